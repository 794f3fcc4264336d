import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Brand } from '#src/shared/ui/brand.tsx';
import { LanguageSwitch } from '#src/shared/ui/language-switch.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { usePageTitle } from '#src/shared/ui/page.tsx';
import styles from './plain-page.module.css';

export interface PlainPageProps {
  icon: TablerIcon;
  title: string;
  children: ReactNode;
  acts: ReactNode;
}

/** A page without the console around it: one thing to say, and what to do. */
export function PlainPage({ icon, title, children, acts }: PlainPageProps) {
  usePageTitle(title);
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <Brand />
        <LanguageSwitch />
      </header>
      <main className={styles.main}>
        <Notice icon={icon} title={title} acts={acts} level={1}>
          {children}
        </Notice>
      </main>
    </div>
  );
}
