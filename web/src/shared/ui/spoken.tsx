import { createContext, type ReactNode, use, useEffect, useState } from 'react';

/** Says a sentence to screen readers, politely; the same one again is said again (KEYS5). */
export type Say = (text: string) => void;

const SayContext = createContext<Say>(() => undefined);

/** Words are out of the page again before somebody comes by them on the way through it, ms. */
const STAYS_MS = 5_000;

/**
 * The place of what is said without being shown, or is shown in a place of its own making: readers say what comes into a
 * place they know, and pass over what comes together with its place.
 */
export function SpokenProvider({ children }: { children: ReactNode }) {
  const [words, setWords] = useState<readonly { id: number; text: string }[]>([]);
  const [timers] = useState(() => new Set<ReturnType<typeof setTimeout>>());
  const [say] = useState<Say>(() => {
    let id = 0;
    return (text: string) => {
      if (text === '') return;
      id += 1;
      const one = { id, text };
      setWords((known) => [...known, one]);
      const timer = setTimeout(() => {
        timers.delete(timer);
        setWords((known) => known.filter((other) => other !== one));
      }, STAYS_MS);
      timers.add(timer);
    };
  });
  useEffect(() => watch(say), [say]);
  useEffect(() => () => timers.forEach(clearTimeout), [timers]);
  return (
    <SayContext value={say}>
      {children}
      {/* No status: the whole of one is said anew at each change. */}
      <div className="spoken" aria-live="polite" data-spoken="">
        {words.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </SayContext>
  );
}

export const useSay = (): Say => use(SayContext);

/** Says a sentence that appears, and each time that it changes; undefined while there is none. */
export function useSaid(text: string | undefined): void {
  const say = useSay();
  useEffect(() => {
    if (text !== undefined) say(text);
  }, [say, text]);
}

/** Loaded behind the first screen, which does without it; so does a page that it doesn't come to. */
function watch(say: Say): () => void {
  const stopping = import('./focus-watch.ts').then(
    ({ watchFocus }) => watchFocus(say),
    () => () => undefined,
  );
  return () => void stopping.then((stop) => stop());
}
