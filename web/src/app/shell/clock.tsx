import { useEffect, useState } from 'react';
import { formatClock, formatDay } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-translation.tsx';
import styles from './clock.module.css';

/** Time and date, updated each second. */
export function Clock() {
  const { current } = useLanguage();
  const now = useNow();
  return (
    <div className={styles.clock}>
      <time className={styles.time} dateTime={new Date(now).toISOString()}>
        {formatClock(now, current)}
      </time>
      <span className={styles.day}>{formatDay(now, current)}</span>
    </div>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const time = Date.now();
      setNow(time);
      // Timeout to the next full second: an interval drifts and sometimes skips one.
      timer = setTimeout(tick, 1000 - (time % 1000));
    };
    tick();
    return () => clearTimeout(timer);
  }, []);
  return now;
}
