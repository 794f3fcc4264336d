import { useEffect } from 'react';
import { useAnnounce } from './announcer.tsx';
import { PRODUCT_NAME } from './brand.tsx';

/** The document has one title, whichever component sets it. */
const titles = { page: '', live: null as { text: string } | null, urgent: null as { text: string } | null, count: 0 };
/** A larger count means nothing more to users. */
const COUNT_MAX = 99;
const show = () => {
  const { count } = titles;
  const counted = count === 0 ? '' : `(${count > COUNT_MAX ? `${COUNT_MAX}+` : count}) `;
  document.title = `${counted}${(titles.urgent ?? titles.live)?.text ?? titles.page} · ${PRODUCT_NAME}`;
};

/** Sets the title of the current page. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    titles.page = title;
    show();
  }, [title]);
}

/** Shows what goes on in the document's title, instead of the page's title; null when there is nothing to say. */
export function useLiveTitle(title: string | null): void {
  useEffect(() => hold('live', title), [title]);
}

/** The same for anything that must be answered now: it precedes everything else. */
export function useUrgentTitle(title: string | null): void {
  useEffect(() => hold('urgent', title), [title]);
}

/** Shows the number of new things before the title; 0: nothing. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    titles.count = count;
    show();
    return () => {
      titles.count = 0;
      show();
    };
  }, [count]);
}

function hold(place: 'live' | 'urgent', title: string | null): () => void {
  const mine = title === null ? null : { text: title };
  titles[place] = mine;
  show();
  return () => {
    // The next component may have set its title before this one unmounts.
    if (titles[place] === mine) titles[place] = null;
    show();
  };
}

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
