import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
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

/** Says that new rows wait until the user has finished reading, and shows them on request. */
export function ShowWaiting({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <div role="status" className={styles.waiting}>
      {count > 0 && (
        <Button size="xs" variant="default" leftSection={<IconArrowUp size={14} aria-hidden="true" />} onClick={onShow}>
          {t('list.waiting', { count })}
        </Button>
      )}
    </div>
  );
}
