import { useEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { useSay } from '../ui/spoken.tsx';

/** A user who types on is not told what the letters before found, ms. */
const PAUSE_MS = 500;

/**
 * Says how many rows a filter finds, once the answer is there and nobody types any more (KEYS6). `total` is undefined
 * while there is no answer.
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
