import type { ReactNode } from 'react';
import { Brand } from './brand.tsx';
import styles from './door-frame.module.css';
import { LanguageSwitch } from './language-switch.tsx';
import { usePageTitle } from './page.tsx';

/** A page without the console around it: the mark, the language, its content (with its own main), perhaps a foot. */
export function DoorFrame({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <Brand />
        <LanguageSwitch />
      </header>
      {children}
    </div>
  );
}
