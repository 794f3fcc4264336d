import { type ReactNode, useEffect } from 'react';
import { PRODUCT_NAME } from './brand.tsx';
import styles from './page.module.css';

/** Names the tab after the page. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${PRODUCT_NAME}`;
  }, [title]);
}

export interface PageProps {
  title: string;
  /** What stands beside the title: how many, since when. */
  fact?: string | undefined;
  /** Buttons at the end of the title's line. */
  acts?: ReactNode;
  /** For tables of many columns: as wide as a wide screen has room. */
  isWide?: boolean;
  children: ReactNode;
}

/** A page of the console: its one h1, its acts, its content. */
export function Page({ title, fact, acts, isWide = false, children }: PageProps) {
  usePageTitle(title);
  return (
    <main className={styles.page} data-wide={isWide || undefined}>
      <header className={styles.head}>
        <h1 className={styles.title}>{title}</h1>
        {fact !== undefined && <span className={styles.fact}>{fact}</span>}
        {acts !== undefined && <div className={styles.acts}>{acts}</div>}
      </header>
      {children}
    </main>
  );
}
