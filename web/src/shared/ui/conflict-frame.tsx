import { IconGitCompare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './conflict-frame.module.css';

export interface ConflictFrameProps {
  title: string;
  /** Explanation and choices. */
  text: string;
  /** Both versions side by side. */
  children: ReactNode;
  acts: ReactNode;
  /** Announces it to screen readers; false when another element of the form announces the same. */
  isAnnounced?: boolean;
}

/** A conflict inside a form: somebody else changed the same object, and the user chooses a version. */
export function ConflictFrame({ title, text, children, acts, isAnnounced = false }: ConflictFrameProps) {
  return (
    <section className={styles.conflict} role={isAnnounced ? 'alert' : undefined} aria-label={title}>
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
