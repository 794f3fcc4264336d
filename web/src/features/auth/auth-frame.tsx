import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { DoorFrame } from '#src/shared/ui/door-frame.tsx';
import styles from './auth.module.css';
import { serverInfoQuery } from './auth.queries.ts';

/** What the sign-in and sign-up pages share: the mark, the language, the version and copyright lines. */
export function AuthFrame({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation('auth');
  const info = useQuery(serverInfoQuery(useApi())).data;
  return (
    <DoorFrame title={title}>
      <main className={styles.main}>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </main>
      <footer className={styles.foot}>
        <span>{info ? t('version', { version: info.version, mode: t(`mode.${info.mode}`) }) : '\u00a0'}</span>
        <span>{t('copyright', { year: String(new Date().getFullYear()) })}</span>
      </footer>
    </DoorFrame>
  );
}
