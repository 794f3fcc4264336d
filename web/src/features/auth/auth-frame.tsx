import { Button } from '@mantine/core';
import { z } from '@pressel/contract/zod';
import { IconCloudOff, IconShieldQuestion } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { PublicPageFrame } from '#src/shared/ui/public-page-frame.tsx';
import styles from './auth.module.css';
import type { ServerState } from './auth-server.ts';

export interface AuthFrameProps {
  title: string;
  server: ServerState;
  children: ReactNode;
}

/** The common frame of the sign-in and sign-up pages: the mark, the language, the version and copyright lines. */
export function AuthFrame({ title, server: { info, isAway }, children }: AuthFrameProps) {
  const { t } = useTranslation('auth');
  return (
    <PublicPageFrame title={title}>
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
        {info?.isSelfSigned && <CertificateNote />}
        {children}
      </main>
      <footer className={styles.foot}>
        <span>{info ? t('version', { version: info.version, mode: t(`mode.${info.mode}`) }) : '\u00a0'}</span>
        <span>{t('copyright', { year: String(new Date().getFullYear()) })}</span>
      </footer>
    </PublicPageFrame>
  );
}

/** Explains the browser's warning to users who have just passed it, once in each browser [TLS6]. */
function CertificateNote() {
  const { t } = useTranslation('auth');
  const storage = useStorage();
  const [isClosed, setClosed] = useState(() => storage.readPreference('certificateNoted', z.boolean()) === true);
  if (isClosed) return null;
  const close = () => {
    storage.writePreference('certificateNoted', true);
    setClosed(true);
  };
  return (
    <section className={styles.certificate} aria-labelledby="certificate-note">
      <IconShieldQuestion size={18} aria-hidden="true" />
      <div>
        <h2 id="certificate-note">{t('certificate.title')}</h2>
        <p>{t('certificate.text')}</p>
        <p>{t('certificate.check')}</p>
        <Button variant="default" onClick={close}>
          {t('certificate.close')}
        </Button>
      </div>
    </section>
  );
}
