import { createContext, type ReactNode, use, useEffect, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { watchFocus } from './focus-watch.ts';

/** Says a sentence to screen readers, politely; repeats it if it is given again (KEYS5). */
export type Announce = (text: string) => void;

const AnnounceContext = createContext<Announce>(() => undefined);

/** The words are removed before the user reaches them on the way through the page, ms. */
const ANNOUNCEMENT_MS = 5_000;

/**
 * The element for sentences that are not shown, or shown elsewhere. Screen readers say text that comes into a known
 * live region, and skip text that comes together with its region.
 */
export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [words, setWords] = useState<readonly { id: number; text: string }[]>([]);
  const [timers] = useState(() => new Set<ReturnType<typeof setTimeout>>());
  const [say] = useState<Announce>(() => {
    let id = 0;
    return (text: string) => {
      if (text === '') return;
      id += 1;
      const one = { id, text };
      setWords((known) => [...known, one]);
      const timer = setTimeout(() => {
        timers.delete(timer);
        setWords((known) => known.filter((other) => other !== one));
      }, ANNOUNCEMENT_MS);
      timers.add(timer);
    };
  });
  useEffect(() => watchFocus(say), [say]);
  useEffect(() => () => timers.forEach(clearTimeout), [timers]);
  return (
    <AnnounceContext value={say}>
      {children}
      {/* Not role=status, of which screen readers repeat the whole at each change. */}
      <div className="spoken" aria-live="polite" data-spoken="">
        {words.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </AnnounceContext>
  );
}

export const useAnnounce = (): Announce => use(AnnounceContext);

/** Says a sentence when it appears, and each time that it changes; undefined while there is none. */
export function useAnnouncement(text: string | undefined): void {
  const say = useAnnounce();
  useEffect(() => {
    if (text !== undefined) say(text);
  }, [say, text]);
}

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
