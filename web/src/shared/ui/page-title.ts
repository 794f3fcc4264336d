import { useEffect } from 'react';
import { PRODUCT_NAME } from './brand.tsx';

/** The document has one title, whoever sets it. */
const titles = { page: '', live: null as { text: string } | null };
const show = () => {
  document.title = `${titles.live?.text ?? titles.page} · ${PRODUCT_NAME}`;
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
  useEffect(() => {
    const mine = title === null ? null : { text: title };
    titles.live = mine;
    show();
    return () => {
      // Whoever takes over may have come before this one goes.
      if (titles.live === mine) titles.live = null;
      show();
    };
  }, [title]);
}
