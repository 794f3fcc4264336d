import { useEffect } from 'react';
import { PRODUCT_NAME } from './brand.tsx';

/** The document has one title, whoever sets it. */
const titles = { page: '', live: null as { text: string } | null, urgent: null as { text: string } | null };
const show = () => {
  document.title = `${(titles.urgent ?? titles.live)?.text ?? titles.page} · ${PRODUCT_NAME}`;
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
