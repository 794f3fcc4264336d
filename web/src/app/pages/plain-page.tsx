import { Button, Loader } from '@mantine/core';
import { IconBug, IconCloudOff, IconDoorEnter, IconLock, IconMapOff, type TablerIcon } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChunkGoneError } from '#src/shared/renewal.ts';
import { useServices, useSession } from '#src/shared/services.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { useAnnouncedTitle } from '#src/shared/ui/page-title.ts';
import { PublicPageFrame } from '#src/shared/ui/public-page-frame.tsx';
import { useRetry } from '#src/shared/use-retry.ts';
import styles from './plain-page.module.css';

/** Shown to members on pages for administrators. */
export function AdminsOnlyPage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  return (
    <InsidePage
      icon={IconLock}
      title={t('notYours.title')}
      acts={<Button renderRoot={(props) => <Link to="/channelsList" {...props} />}>{shared('back')}</Button>}
    >
      {t('notYours.text')}
    </InsidePage>
  );
}

/** The page for an unknown address inside the console. */
export function LostPage() {
  const { t } = useTranslation('app');
  return (
    <InsidePage
      icon={IconMapOff}
      title={t('notFound.title')}
      acts={<Button renderRoot={(props) => <Link to="/dashboard" {...props} />}>{t('notFound.home')}</Button>}
    >
      {t('notFound.text')}
    </InsidePage>
  );
}

/** Shown when loading a page's code or checking the session takes noticeably long. */
export function PendingPage() {
  const { t } = useTranslation('shared');
  return (
    <div className={styles.pending} role="status" aria-label={t('loading')}>
      <Loader color="var(--text-dim)" size="sm" />
    </div>
  );
}

/** There is a session, but the server can't be reached to confirm it. Retries and opens the app by itself. */
export function OfflinePage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const session = useSession();
  const [isAsking, setAsking] = useState(false);

  useRetry(true, () => void session.check());

  return (
    <PlainPage
      icon={IconCloudOff}
      title={t('offline.title')}
      acts={
        <Button
          loading={isAsking}
          onClick={() => {
            setAsking(true);
            void session.check().finally(() => setAsking(false));
          }}
        >
          {shared('retry')}
        </Button>
      }
    >
      {t('offline.text')}
    </PlainPage>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation('app');
  return (
    <PlainPage
      icon={IconMapOff}
      title={t('notFound.title')}
      acts={<Button renderRoot={(props) => <Link to="/" {...props} />}>{t('notFound.home')}</Button>}
    >
      {t('notFound.text')}
    </PlainPage>
  );
}

/** A room's URL opened without a session: explains how to sign in. Nothing is joined. */
export function HowToEnterPage() {
  const { t } = useTranslation('app');
  const href = useLocation({ select: (location) => location.href });
  return (
    <PlainPage
      icon={IconDoorEnter}
      title={t('enter.title')}
      acts={
        <Button renderRoot={(props) => <Link to="/signin" search={{ next: href }} {...props} />}>
          {t('enter.signIn')}
        </Button>
      }
    >
      {t('enter.text')}
    </PlainPage>
  );
}

/** A page inside the console with one message and its buttons: menu, room and talk button stay. */
export function InsidePage({ title, ...notice }: PlainPageProps) {
  useAnnouncedTitle(title);
  return (
    <main className={styles.main}>
      <Notice title={title} level={1} {...notice} />
    </main>
  );
}

interface PlainPageProps {
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

/** Replaces a page that threw. */
export function CrashPage({ error }: { error: unknown }) {
  const { t } = useTranslation('app');
  if (error instanceof ChunkGoneError) return <RenewalPage />;
  return (
    <PlainPage
      icon={IconBug}
      title={t('crash.title')}
      acts={<Button onClick={() => window.location.reload()}>{t('crash.reload')}</Button>}
    >
      {t('crash.text')}
    </PlainPage>
  );
}

/** Replaces a page whose code is no longer on the server: reloads once, then asks. */
function RenewalPage() {
  const { t } = useTranslation('app');
  const { renewal } = useServices();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    let isShown = true;
    void renewal.renew().then((isReloading) => {
      if (isShown && !isReloading) setAsking(true);
    });
    return () => {
      isShown = false;
    };
  }, [renewal]);
  if (!isAsking) return <PendingPage />;
  return (
    <PlainPage
      icon={IconCloudOff}
      title={t('renewal.title')}
      acts={<Button onClick={() => void renewal.reload()}>{t('crash.reload')}</Button>}
    >
      {t('renewal.text')}
    </PlainPage>
  );
}
