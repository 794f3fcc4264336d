import { useEffect } from 'react';
import { usePageTitle } from './page-title.ts';
import { useSay } from './spoken.tsx';

/** The address whose title was said last: by the browser, that of the page it loaded. */
const arrived = { at: undefined as string | undefined };

/**
 * Sets the title of a page of the console, and says it to whoever comes from another one (KEYS7). Not `isKnown`: it stands
 * for another, which is said when it is there.
 */
export function useArrival(title: string, isKnown = true): void {
  usePageTitle(title);
  const say = useSay();
  useEffect(() => {
    if (!isKnown) return;
    const { pathname } = window.location;
    const before = arrived.at ?? loadedAt();
    arrived.at = pathname;
    if (before === pathname) return;
    say(title);
    // What led here is gone with the page before: one goes on where this page begins, unless something opens meanwhile.
    const isOpening = document.querySelector('[role=menu], [role=dialog]') !== null;
    if (document.activeElement === document.body && !isOpening)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [title, isKnown, say]);
}

function loadedAt(): string {
  const [loaded] = performance.getEntriesByType('navigation');
  return loaded === undefined ? window.location.pathname : new URL(loaded.name).pathname;
}
