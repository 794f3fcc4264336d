type After = (ms: number, act: () => void) => () => void;

/** Runs once after so many ms; returns the function that cancels it. */
export const afterTimeout: After = (ms, act) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** @param after another clock than the browser's. @throws Error after `ms`, if the work isn't done by then */
export async function within<T>(ms: number, work: Promise<T>, after = afterTimeout): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = after(ms, () => late.reject(new Error(`No answer within ${ms} ms`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
