import { notifications as notices, useNotifications } from '@mantine/notifications';
import type { SessionUser } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import {
  type ComponentType,
  type ReactNode,
  Suspense,
  startTransition,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { CallDeskProvider } from '#src/features/calls/call-context.tsx';
import type { CallDesk } from '#src/features/calls/call-desk.ts';
import { useIsCalling } from '#src/features/calls/use-is-calling.ts';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import { hereOf, type Stays } from '#src/features/voice/stays.ts';
import { StaysProvider } from '#src/features/voice/stays-context.tsx';
import { CallingProvider } from '#src/shared/calling.tsx';
import { HereProvider } from '#src/shared/here.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyPart } from '#src/shared/lazy-part.ts';
import { Queries } from '#src/shared/queries.tsx';
import { RealtimeProvider, UserProvider, useServices } from '#src/shared/services.tsx';
import '#src/shared/ui/console-styles.ts';
import { PartBoundary } from '#src/shared/ui/part-boundary.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { whenIdle } from '#src/shared/when-idle.ts';
import { CallSlot } from './call-slot.tsx';
import { PageCrash } from './pages/page-crash.tsx';
import { linkOf, type UserLink } from './user-link.ts';

export interface SignedInProps {
  user: SessionUser;
  children: ReactNode;
}

/** Everything over the signed-in user's socket. An error below shows in its place, and the rooms go on [APP11]. */
export function SignedIn(props: SignedInProps) {
  return (
    <Queries>
      <Linked {...props} />
    </Queries>
  );
}

function Linked({ user, children }: SignedInProps) {
  const link = useLinkOf(user.id);
  if (link === undefined) return null;
  return (
    <UserProvider user={user}>
      <RealtimeProvider realtime={link.realtime}>
        <StaysProvider stays={link.stays}>
          <HereKnown stays={link.stays}>
            <ChatProvider chat={link.chat}>
              <CallDeskProvider desk={link.calls}>
                <CallsOffered desk={link.calls}>
                  <NoticesOnDemand />
                  {/* An error in the alerts, or in loading them, costs nobody the console or the room [APP11]. */}
                  <PartBoundary failed={() => null}>
                    <AlertsWhenIdle link={link} />
                  </PartBoundary>
                  <CallSlot desk={link.calls} />
                  <PageCrash>{children}</PageCrash>
                </CallsOffered>
              </CallDeskProvider>
            </ChatProvider>
          </HereKnown>
        </StaysProvider>
      </RealtimeProvider>
    </UserProvider>
  );
}

/** Tells lists, which know no rooms, the current room and who talks there. */
function HereKnown({ stays, children }: { stays: Stays; children: ReactNode }) {
  const here = useSnapshot(useMemo(() => hereOf(stays), [stays]));
  return <HereProvider here={here}>{children}</HereProvider>;
}

function CallsOffered({ desk, children }: { desk: CallDesk; children: ReactNode }) {
  return (
    <CallingProvider start={desk.start} isBusy={useIsCalling(desk)}>
      {children}
    </CallingProvider>
  );
}

const MessageAlerts = lazyPart(async () => (await import('./message-alerts.tsx')).MessageAlerts);

interface AlertsProps {
  link: UserLink;
  /** The component that alerts to messages; tests pass their own. */
  Alerts?: ComponentType<{ link: UserLink }>;
}

/**
 * Alerts to messages of others. Loaded after the page, while there is a link; a failed load waits for the next link
 * [CHATS60].
 */
export function AlertsWhenIdle({ link, Alerts = MessageAlerts }: AlertsProps) {
  const isUp = useSnapshot(link.realtime) === 'up';
  const [isIdle, setIdle] = useState(false);
  const [isDue, setDue] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  if (!isDue && isIdle && isUp) setDue(true);
  if (!isDue) return null;
  return (
    <PartBoundary failed={() => null} retryWith={isUp}>
      <Suspense fallback={null}>
        <Alerts link={link} />
      </Suspense>
    </PartBoundary>
  );
}

/** Loaded with the first notification. If it can't be loaded, there are no notifications, and everything else works. */
const Notices = lazyPart(async () => (await import('./notices.tsx')).Notices);

function NoticesOnDemand() {
  const { notifications } = useNotifications();
  useWaitNotice();
  const [isUsed, setUsed] = useState(false);
  if (!isUsed && notifications.length > 0) setUsed(true);
  if (!isUsed) return null;
  return (
    <PartBoundary failed={() => null} retryWith={notifications.length}>
      <Suspense fallback={null}>
        <Notices />
      </Suspense>
    </PartBoundary>
  );
}

/** Shows a notice while calls wait because the server asked for it [BUDGET7]. */
function useWaitNotice(): void {
  const { t } = useTranslation('shared');
  const { patience } = useServices();
  const message = t('serverWaits');
  useEffect(() => {
    if (patience === undefined) return;
    const tell = () => {
      notices.hide(WAIT_NOTICE);
      if (patience.getSnapshot()) {
        notices.show({ id: WAIT_NOTICE, message, loading: true, autoClose: false, withCloseButton: false });
      }
    };
    tell();
    const leave = patience.subscribe(tell);
    return () => {
      leave();
      notices.hide(WAIT_NOTICE);
    };
  }, [patience, message]);
}
const WAIT_NOTICE = 'server-waits';

/** Returns the user's link, which outlives this page. */
function useLinkOf(userId: UserId): UserLink | undefined {
  const services = useServices();
  const [link, setLink] = useState<UserLink>();

  // Runs before the browser paints, because nothing below renders without the socket.
  useLayoutEffect(() => {
    const opened = linkOf(userId, services);
    // A transition, because everything shown is rendered below.
    startTransition(() => setLink(opened));
    return () => setLink(undefined);
  }, [userId, services]);

  return link;
}
