import { throttle } from './throttle.ts';

/**
 * Throttles `act` as `throttle` does, and skips it while the page is hidden: nobody looks, and a browser with twenty
 * tabs would ask for all of them. Skipped calls are made up for by one call when the page is shown again.
 */
export function throttleSeen(act: () => void, ms: number): { call: () => void; close: () => void } {
  let isOwed = false;
  const { call, close } = throttle(() => {
    isOwed = document.hidden;
    if (!isOwed) act();
  }, ms);
  const onShown = () => {
    if (isOwed && !document.hidden) call();
  };
  document.addEventListener('visibilitychange', onShown);
  return {
    call,
    close() {
      document.removeEventListener('visibilitychange', onShown);
      close();
    },
  };
}
