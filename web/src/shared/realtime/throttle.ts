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
