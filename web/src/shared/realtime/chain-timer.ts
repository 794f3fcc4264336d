/**
 * Runs `act` once after `ms`; returns the function that cancels it. In pages that are hidden for some minutes and play
 * nothing, browsers run chained timers (five deep) once a minute. There this sets the timer from within a message, so
 * that each timer of a chain is the first one.
 */
export function startChainTimer(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  const begin = (): void => {
    if (!isCancelled) timer = setTimeout(act, ms);
  };
  if (document.hidden) inMessage(begin);
  else begin();
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

function inMessage(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}
