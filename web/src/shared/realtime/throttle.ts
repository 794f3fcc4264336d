/**
 * Throttles `act` as `throttle` does, and skips it while the page is hidden: nobody looks, and a browser with twenty
 * tabs would ask for all of them. Skipped calls are made up for by one call when the page is shown again.
 */
export function throttleSeen(act: () => void, ms: number): { call: () => void; close: () => void } {
  let isDue = false;
  const { call, close } = throttle(() => {
    isDue = document.hidden;
    if (!isDue) act();
  }, ms);
  const onShown = () => {
    if (isDue && !document.hidden) call();
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

/**
 * Throttles `act`: the first call runs at once, further calls within `ms` run once at the end of that time. Otherwise
 * thousands of users coming online would cause thousands of reads of a list.
 */
export function throttle(act: () => void, ms: number): { call: () => void; close: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const rest = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!isWaiting) return;
      isWaiting = false;
      act();
      rest();
    }, ms);
  };
  return {
    call() {
      if (timer !== undefined) {
        isWaiting = true;
        return;
      }
      act();
      rest();
    },
    close() {
      clearTimeout(timer);
      timer = undefined;
      isWaiting = false;
    },
  };
}
