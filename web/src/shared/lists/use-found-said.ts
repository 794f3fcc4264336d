import { useEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { useSay } from '../ui/spoken.tsx';

/** Whoever types another letter is not told what the ones before it found, ms. */
const PAUSE_MS = 500;

/**
 * Says how many a filter finds, once it has been answered and nobody types any more (KEYS6). `total` is undefined while
 * there is no answer.
 */
export function useFoundSaid(filter: string, total: number | undefined): void {
  const { t } = useTranslation('shared');
  const say = useSay();
  const saidFor = useRef(filter.trim());
  const asked = filter.trim();
  useEffect(() => {
    if (total === undefined || asked === saidFor.current) return undefined;
    const timer = setTimeout(() => {
      saidFor.current = asked;
      say(total === 0 ? t('list.nothing') : t('list.found', { count: total }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked, total, say, t]);
}
