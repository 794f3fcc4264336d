import { TALK_WARNING_MS } from '@pressel/contract/limits';
import { useEffect, useState } from 'react';

/**
 * The last seconds are counted one by one. Before them nobody reads the number, and each step costs a frame [TALK90].
 */
const COUNTED_S = TALK_WARNING_MS / 1000;
const STEP_S = 3;

/**
 * Seconds until `endsAt`, rounded up and never negative, in steps of STEP_S down to the last seconds; undefined without
 * `endsAt`. `endsAt` is a performance.now() reading, ms.
 */
export function useSecondsLeft(endsAt: number | undefined): number | undefined {
  const [reading, setReading] = useState<{ endsAt: number; seconds: number } | undefined>(undefined);
  useEffect(() => {
    if (endsAt === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const left = endsAt - performance.now();
      const seconds = Math.max(0, Math.ceil(left / 1000));
      setReading({ endsAt, seconds });
      const next = seconds > COUNTED_S ? Math.max(COUNTED_S, seconds - STEP_S) : seconds - 1;
      if (seconds > 0) timer = setTimeout(tick, left - next * 1000 + 1);
    };
    tick();
    return () => clearTimeout(timer);
  }, [endsAt]);
  return reading !== undefined && reading.endsAt === endsAt ? reading.seconds : undefined;
}
