import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useServices } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { OfflinePage } from '../pages/offline-page.tsx';
import { PlainPage } from '../pages/plain-page.tsx';
import styles from '../room-routes.module.css';
import { SignedIn } from '../signed-in.tsx';
import { UserCallScreen } from './user-call-screen.tsx';

/** `/userCallView/`: the link itself was taken out of the address before the app stood (boot/take-call-link.ts). */
export function UserCallRoute() {
  const { callLink, session } = useServices();
  const state = useSnapshot(session);
  const navigate = useNavigate();
  if (callLink === undefined) return <CallLinkPage reason="used" />;
  if (callLink === 'broken') return <CallLinkPage reason="broken" />;
  switch (state.state) {
    case 'signedIn':
      if (state.user.id !== callLink.userId) return <CallLinkPage reason="broken" />;
      return (
        <SignedIn user={state.user}>
          <div className={styles.bare}>
            <div className={styles.room}>
              <UserCallScreen
                channelId={callLink.channelId}
                onBack={() => void navigate({ to: '/', reloadDocument: true })}
              />
            </div>
          </div>
        </SignedIn>
      );
    case 'unreachable':
      return <OfflinePage />;
    case 'signedOut':
      return <CallLinkPage reason="expired" />;
    case 'unknown':
      return null;
    default:
      return state satisfies never;
  }
}

/** Why a call link leads nowhere, and what to do. `used`: the page was loaded again, and nothing of the link was kept. */
function CallLinkPage({ reason }: { reason: 'used' | 'broken' | 'expired' }) {
  const { t } = useTranslation('app');
  return (
    <PlainPage
      icon={IconLink}
      title={t(`callLink.${reason}`)}
      acts={<Button renderRoot={(props) => <Link to="/" reloadDocument {...props} />}>{t('notFound.home')}</Button>}
    >
      {t(`callLink.${reason}More`)}
    </PlainPage>
  );
}
