/** What is shown comes first, ms. */
const AFTER_MS = 1_000;

/** Does something once the page has stood a moment and the browser has nothing else to do. @returns a function that forgets it */
export function whenIdle(act: () => void): () => void {
  let idle: number | undefined;
  const timer = setTimeout(() => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) idle = window.requestIdleCallback(act);
    else act();
  }, AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (idle !== undefined) window.cancelIdleCallback(idle);
  };
}
