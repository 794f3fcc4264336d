import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { UserCallScreen } from '#src/features/room/user-call-screen.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useServices } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { BareRoom } from './bare-room.tsx';
import { PlainPage } from './pages/plain-page.tsx';

/** `/userCallView/`: the link itself was taken out of the address before the app started (boot/take-links.ts). */
export function UserCallRoute() {
  const { callLink, session } = useServices();
  const state = useSnapshot(session);
  const navigate = useNavigate();
  if (callLink === undefined) return <CallLinkPage reason="used" />;
  if (callLink === 'broken') return <CallLinkPage reason="broken" />;
  if (state.state === 'signedIn' && state.user.id !== callLink.userId) return <CallLinkPage reason="broken" />;
  return (
    <BareRoom signedOut={<CallLinkPage reason="expired" />}>
      <UserCallScreen channelId={callLink.channelId} onBack={() => void navigate({ to: '/', reloadDocument: true })} />
    </BareRoom>
  );
}

/** Says why a call link leads nowhere, and what to do. `used`: the page was reloaded and no longer has the link. */
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
