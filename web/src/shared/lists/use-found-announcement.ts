import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useAnnounce } from '#src/shared/ui/announcer.tsx';

/** A user who types on is not told what the letters before found, ms. */
const PAUSE_MS = 500;

/**
 * Says how many rows a filter finds, once the answer is there and nobody types any more (KEYS6). `total` is undefined
 * while there is no answer.
 */
export function useFoundAnnouncement(filter: string, total: number | undefined): void {
  const { t } = useTranslation('shared');
  const say = useAnnounce();
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
