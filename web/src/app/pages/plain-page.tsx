import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Notice } from '#src/shared/ui/notice.tsx';
import { PublicPageFrame } from '#src/shared/ui/public-page-frame.tsx';
import styles from './plain-page.module.css';

export interface PlainPageProps {
  icon: TablerIcon;
  title: string;
  children: ReactNode;
  acts: ReactNode;
}

/** A page outside the console with one message and its buttons. */
export function PlainPage({ icon, title, children, acts }: PlainPageProps) {
  return (
    <PublicPageFrame title={title}>
      <main className={styles.main}>
        <Notice icon={icon} title={title} acts={acts} level={1}>
          {children}
        </Notice>
      </main>
    </PublicPageFrame>
  );
}
