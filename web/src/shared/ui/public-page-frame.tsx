import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { LANGUAGE_LABELS, LANGUAGES } from '#src/shared/languages.ts';
import { Brand } from './brand.tsx';
import languageSwitchStyles from './language-switch.module.css';
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

/** The language switch: Fr En De. */
function LanguageSwitch() {
  const { t } = useTranslation('shared');
  const { current, choose } = useLanguage();
  return (
    <fieldset className={languageSwitchStyles.switch} aria-label={t('language.label')}>
      {LANGUAGES.map((one) => (
        <UnstyledButton
          key={one}
          className={languageSwitchStyles.choice}
          aria-pressed={one === current}
          aria-label={LANGUAGE_LABELS[one].name}
          lang={one}
          onClick={() => choose(one)}
        >
          {LANGUAGE_LABELS[one].short}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}
