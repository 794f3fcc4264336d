import { useEffect } from 'react';
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
