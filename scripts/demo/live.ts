import type { Step } from './plan.ts';

/** If a step is later than this, the machine slept. The story then goes on where it was, not all at once. */
const OVERSLEPT_MS = 3_000;

export interface LiveOptions {
  plan: Iterator<Step>;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  /** @throws when it is to end */
  wait: (ms: number) => Promise<unknown>;
  begin: (step: Step) => void;
}

/** Lets the plan happen in its time, until `wait` throws. */
export async function live({ plan, steadyNow, wait, begin }: LiveOptions): Promise<void> {
  let begun = steadyNow();
  for (let next = plan.next(); next.done !== true; next = plan.next()) {
    const due = begun + next.value.at;
    const early = due - steadyNow();
    if (early > 0) await wait(early);
    const late = steadyNow() - due;
    if (late > OVERSLEPT_MS) begun += late;
    begin(next.value);
  }
}
