/**
 * Runs `act` once after `ms`; returns what cancels it. Browsers run timers that were set from within timers, five deep, once a
 * minute in pages that are hidden for some minutes and play nothing: there it is set from within a message, so that each
 * timer of a chain is the first one.
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
