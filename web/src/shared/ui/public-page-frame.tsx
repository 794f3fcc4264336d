import { type ReactNode, useState } from 'react';
import { Brand } from './brand.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { NewVersion } from './new-version.tsx';
import { usePageTitle } from './page-title.ts';
import styles from './public-page-frame.module.css';

/** Frame of pages outside the console (sign-in, errors): brand, language switch, and content with its own <main>. */
export function PublicPageFrame({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  const [isTyped, setTyped] = useState(false);
  return (
    <div className={styles.frame} onInput={() => setTyped(true)}>
      <header className={styles.top}>
        <Brand />
        <div className={styles.end}>
          {/* A reload would lose typed text; later pages offer it again. */}
          {!isTyped && <NewVersion />}
          <LanguageSwitch />
        </div>
      </header>
      {children}
    </div>
  );
}
