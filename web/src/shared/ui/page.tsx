import { type ReactNode, useEffect } from 'react';
import { PRODUCT_NAME } from './brand.tsx';
import styles from './page.module.css';

/** Sets the document title. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${PRODUCT_NAME}`;
  }, [title]);
}

export interface PageProps {
  title: string;
  /** A short fact beside the title, such as a count. */
  fact?: string | undefined;
  /** Buttons at the end of the title row. */
  acts?: ReactNode;
  /** Uses the full width of wide screens, for tables with many columns. */
  isWide?: boolean;
  children: ReactNode;
}

/** A page of the console: h1, buttons and content. */
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
