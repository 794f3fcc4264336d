import type { TablerIcon } from '@tabler/icons-react';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

export interface NoticeProps {
  icon: TablerIcon;
  title: string;
  children?: ReactNode;
  /** Buttons for possible next steps. */
  acts?: ReactNode;
  /** Heading level: 1 when the notice is the whole page, 3 within a part of one. */
  level?: 1 | 2 | 3;
}

/** A placeholder for missing content: what belongs here or why it is empty, and the next step. */
export function Notice({ icon: Icon, title, children, acts, level = 2 }: NoticeProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={styles.notice}>
      <Icon className={styles.icon} stroke={1.5} aria-hidden="true" />
      <Heading className={styles.title}>{title}</Heading>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {acts !== undefined && <div className={styles.acts}>{acts}</div>}
    </div>
  );
}

/** An error inside a form or dialog: icon and sentence, announced by screen readers at once. */
export function InlineError({ children }: { children: ReactNode }) {
  return (
    <div className={styles.inline} role="alert">
      <IconAlertTriangle size={18} aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}
