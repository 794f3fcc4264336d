import { UnstyledButton } from '@mantine/core';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { LANGUAGE_LABELS, LANGUAGES } from '../i18n/languages.ts';
import styles from './language-switch.module.css';

/** The language switch: Fr En De. */
export function LanguageSwitch() {
  const { t } = useTranslation('shared');
  const { current, choose } = useLanguage();
  return (
    <fieldset className={styles.switch} aria-label={t('language.label')}>
      {LANGUAGES.map((one) => (
        <UnstyledButton
          key={one}
          className={styles.choice}
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
