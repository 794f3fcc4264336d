import type { ReactNode } from 'react';
import styles from './page.module.css';
import { useAnnouncedTitle } from './page-title.ts';

export interface PageProps {
  title: string;
  /** The page's name in the tab's title and on arrival, where the heading says something else. */
  name?: string;
  /** A short fact beside the title, such as a count. */
  fact?: string | undefined;
  /** The way back to the list that the page belongs to, before the title. */
  back?: ReactNode;
  /** Buttons at the end of the title row. */
  acts?: ReactNode;
  /** Uses the full width of wide screens, for tables with many columns. */
  isWide?: boolean;
  /** Title, filter and the list's header stay visible while the list scrolls. */
  isList?: boolean;
  children: ReactNode;
}

/** A page of the console: h1, buttons and content. */
export function Page({ title, name = title, fact, back, acts, isWide = false, isList = false, children }: PageProps) {
  useAnnouncedTitle(name);
  return (
    <main className={styles.page} data-wide={isWide || undefined} data-list={isList || undefined}>
      <header className={styles.head}>
        {back}
        <h1 className={styles.title}>{title}</h1>
        {fact !== undefined && <span className={styles.fact}>{fact}</span>}
        {acts !== undefined && <div className={styles.acts}>{acts}</div>}
      </header>
      {children}
    </main>
  );
}
