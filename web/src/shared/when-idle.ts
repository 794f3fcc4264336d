/** The screen comes first, so the work waits this long, ms. */
const AFTER_MS = 1_000;
/** Nothing is waited for any longer, ms. */
const HANGING_MS = 5_000;

/**
 * Runs `act` once the page has been there for a moment and the browser is idle, or after HANGING_MS: a browser that never rests, or shows
 * another tab, is not idle. @returns the function that cancels it
 */
export function whenIdle(act: () => void): () => void {
  let idle: number | undefined;
  const timer = setTimeout(() => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) idle = window.requestIdleCallback(act, { timeout: HANGING_MS });
    else act();
  }, AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (idle !== undefined) window.cancelIdleCallback(idle);
  };
}

type Part = () => Promise<unknown>;

/** Loads parts now, all at once. A part that can't be loaded is loaded at its first use. */
export function loadAhead(parts: readonly Part[]): void {
  for (const part of parts) part().catch(() => undefined);
}

/**
 * Returns the handlers of an element that call `act` once, at the first sign that the user is about to use it. A pointer
 * that only rests there is no sign: browsers say that it enters the page when the page appears below it.
 */
export function atFirstSign(act: () => void): Record<'onPointerMove' | 'onPointerDown' | 'onFocus', () => void> {
  let isDue = true;
  const once = () => {
    if (isDue) act();
    isDue = false;
  };
  return { onPointerMove: once, onPointerDown: once, onFocus: once };
}

/**
 * Loads parts once the browser is idle, one after another, so that no task gets long. A part that can't be loaded now is
 * loaded at its first use. @returns the function that cancels it
 */
export function loadWhenIdle(parts: readonly Part[]): () => void {
  let isCancelled = false;
  const load = async () => {
    for (const part of parts) {
      if (isCancelled) return;
      await Promise.race([part().catch(() => undefined), wait(HANGING_MS)]);
    }
  };
  const cancel = whenIdle(() => void load());
  return () => {
    isCancelled = true;
    cancel();
  };
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Resolves in another task, so that the page responds in between. Not a timer: those are slow in hidden tabs. */
export function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
