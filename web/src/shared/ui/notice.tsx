import type { TablerIcon } from '@tabler/icons-react';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

export interface NoticeProps {
  icon: TablerIcon;
  title: string;
  children?: ReactNode;
  /** What can be done next. */
  acts?: ReactNode;
  /** 1 where the notice is the whole page. */
  level?: 1 | 2;
}

/** In place of content: what this place is for, or why there is nothing, and the next act. */
export function Notice({ icon: Icon, title, children, acts, level = 2 }: NoticeProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div className={styles.notice}>
      <Icon className={styles.icon} stroke={1.5} aria-hidden="true" />
      <Heading className={styles.title}>{title}</Heading>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {acts !== undefined && <div className={styles.acts}>{acts}</div>}
    </div>
  );
}

/** A failure inside a form or a dialog: an icon and a sentence, told at once by screen readers. */
export function InlineError({ children }: { children: ReactNode }) {
  return (
    <div className={styles.inline} role="alert">
      <IconAlertTriangle size={18} aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}
