/**
 * Joins bursts: the first call acts at once, those within the next `ms` become one act at its end. A channel of
 * thousands coming online must not read the lists thousands of times.
 */
export function gather(act: () => void, ms: number): { call: () => void; close: () => void } {
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
