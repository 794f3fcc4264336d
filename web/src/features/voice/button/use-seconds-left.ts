import { useEffect, useState } from 'react';

/**
 * Whole seconds until `endsAt`, rounded up, never negative; undefined without it.
 * `endsAt` is a performance.now() reading, ms.
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
      if (seconds > 0) timer = setTimeout(tick, left - (seconds - 1) * 1000 + 1);
    };
    tick();
    return () => clearTimeout(timer);
  }, [endsAt]);
  return reading !== undefined && reading.endsAt === endsAt ? reading.seconds : undefined;
}
