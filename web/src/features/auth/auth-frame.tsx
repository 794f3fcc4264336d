import { IconCloudOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useApi } from '#src/shared/services.tsx';
import { DoorFrame } from '#src/shared/ui/door-frame.tsx';
import styles from './auth.module.css';
import { serverInfoQuery } from './auth.queries.ts';

/** What the sign-in and sign-up pages share: the mark, the language, the version and copyright lines. */
export function AuthFrame({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation('auth');
  const { data: info, error, failureReason } = useQuery(serverInfoQuery(useApi()));
  const isAway = isUnreachable(error ?? failureReason);
  return (
    <DoorFrame title={title}>
      <main className={styles.main}>
        <h1 className={styles.title}>{title}</h1>
        <div role="status">
          {isAway && (
            <p className={styles.away} data-server-away="">
              <IconCloudOff size={18} aria-hidden="true" />
              <span>
                <strong>{t('away.title')}</strong> {t('away.text')}
              </span>
            </p>
          )}
        </div>
        {children}
      </main>
      <footer className={styles.foot}>
        <span>{info ? t('version', { version: info.version, mode: t(`mode.${info.mode}`) }) : '\u00a0'}</span>
        <span>{t('copyright', { year: String(new Date().getFullYear()) })}</span>
      </footer>
    </DoorFrame>
  );
}
