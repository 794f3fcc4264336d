import { useEffect } from 'react';
import { useAnnounce } from './announcer.tsx';
import { usePageTitle } from './page-title.ts';

/** The address whose title was said last. At first the browser says the title of the page it loaded. */
const arrived = { at: undefined as string | undefined };

/**
 * Sets the title of a console page, and says it to users who come from another page (KEYS7). Not `isKnown`: the title
 * is provisional, and the final one is said when it is there.
 */
export function useAnnouncedTitle(title: string, isKnown = true): void {
  usePageTitle(title);
  const say = useAnnounce();
  useEffect(() => {
    if (!isKnown) return;
    const { pathname } = window.location;
    const before = arrived.at ?? loadedAt();
    arrived.at = pathname;
    if (before === pathname) return;
    say(title);
    // The link that led here is gone with the page before. So the focus goes to the beginning of this page, unless
    // something opens meanwhile.
    const isOpening = document.querySelector('[role=menu], [role=dialog]') !== null;
    if (document.activeElement === document.body && !isOpening)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [title, isKnown, say]);
}

function loadedAt(): string {
  const [loaded] = performance.getEntriesByType('navigation');
  return loaded === undefined ? window.location.pathname : new URL(loaded.name).pathname;
}
