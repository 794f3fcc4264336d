import { IconGitCompare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './conflict-frame.module.css';

export interface ConflictFrameProps {
  title: string;
  /** What it means and what can be done. */
  text: string;
  /** Theirs beside mine. */
  children: ReactNode;
  acts: ReactNode;
  /** Read out by screen readers at once; not where something else of the form says the same. */
  isTold?: boolean;
}

/** Inside a form: somebody else changed the same thing meanwhile, and which of both it shall be. */
export function ConflictFrame({ title, text, children, acts, isTold = false }: ConflictFrameProps) {
  return (
    <section className={styles.conflict} role={isTold ? 'alert' : undefined} aria-label={title}>
      <p className={styles.title}>
        <IconGitCompare size={18} aria-hidden="true" />
        {title}
      </p>
      <p>{text}</p>
      {children}
      <div className={styles.acts}>{acts}</div>
    </section>
  );
}
