import { useEffect } from 'react';
import { PRODUCT_NAME } from './brand.tsx';

/** The document has one title, whoever sets it. */
const titles = { page: '', live: null as { text: string } | null, urgent: null as { text: string } | null, count: 0 };
/** More say nothing more. */
const COUNT_MAX = 99;
const show = () => {
  const { count } = titles;
  const counted = count === 0 ? '' : `(${count > COUNT_MAX ? `${COUNT_MAX}+` : count}) `;
  document.title = `${counted}${(titles.urgent ?? titles.live)?.text ?? titles.page} · ${PRODUCT_NAME}`;
};

/** Sets the title of the page that is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    titles.page = title;
    show();
  }, [title]);
}

/** Says in the document's title what goes on, instead of the page's title; null when there is nothing to say. */
export function useLiveTitle(title: string | null): void {
  useEffect(() => hold('live', title), [title]);
}

/** The same for what must be answered now: it stands before anything else. */
export function useUrgentTitle(title: string | null): void {
  useEffect(() => hold('urgent', title), [title]);
}

/** Says in front of the title how much is new; 0: nothing. */
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
    // Whoever takes over may have come before this one goes.
    if (titles[place] === mine) titles[place] = null;
    show();
  };
}
