import type { ReactNode } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { DoorFrame } from '#src/shared/ui/door-frame.tsx';
import styles from './auth.module.css';
import type { ServerInfo } from './server-info.ts';

export interface AuthFrameProps {
  title: string;
  info: ServerInfo | undefined;
  children: ReactNode;
}

/** What the sign-in and sign-up pages share: the mark, the language, the version and copyright lines. */
export function AuthFrame({ title, info, children }: AuthFrameProps) {
  const { t } = useTranslation('auth');
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
