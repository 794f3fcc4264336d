import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import styles from './dashboard.module.css';

export interface CardProps {
  title: string;
  /** A short fact beside the title. */
  fact?: string | undefined;
  /** A link or button at the end of the title's line. */
  act?: ReactNode;
  /** The card's place in the page's grid. */
  area: 'live' | 'channels' | 'talk' | 'activities';
  children: ReactNode;
}

/** A part of the dashboard. */
export function Card({ title, fact, act, area, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles.card} data-area={area} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {fact !== undefined && <p className={styles.fact}>{fact}</p>}
        {act}
      </header>
      {children}
    </section>
  );
}

/** A link to the page that has everything. */
export function MoreLink({
  to,
  children,
}: {
  to: '/channelsList' | '/usersList' | '/activities';
  children: ReactNode;
}) {
  return (
    <Link to={to} className={styles.more}>
      {children}
    </Link>
  );
}

/** Shown in a card that has no content; `more`: what the user can do about it. */
export function Nothing({ children, more }: { children: ReactNode; more?: string }) {
  return (
    <div className={styles.nothing}>
      <p>{children}</p>
      {more !== undefined && <p>{more}</p>}
    </div>
  );
}
