import { notifications as notices, useNotifications } from '@mantine/notifications';
import type { SessionUser } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import { useRouterState } from '@tanstack/react-router';
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
import { CallControllerProvider, useIsCalling } from '#src/features/calls/call-context.tsx';
import type { CallController } from '#src/features/calls/call-controller.ts';
import { CallSlot } from '#src/features/calls/call-slot.tsx';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import { type EnteredRooms, joinedChannelOf } from '#src/features/room/entered-rooms.ts';
import { EnteredRoomsProvider, useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { CallingProvider } from '#src/shared/calling.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { JoinedChannelProvider } from '#src/shared/joined-channel.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { Queries } from '#src/shared/queries.tsx';
import { RealtimeProvider, UserProvider, useServices } from '#src/shared/services.tsx';
import { ErrorBoundary } from '#src/shared/ui/error-boundary.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { whenIdle } from '#src/shared/when-idle.ts';
import { CrashPage } from './pages/plain-page.tsx';
import { LazyRoomBar } from './shell/room-bar-slot.tsx';
import { linkOf, type UserLink } from './user-link.ts';
import '#src/shared/ui/console-styles.ts';

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
        <EnteredRoomsProvider enteredRooms={link.enteredRooms}>
          <WithJoinedChannel enteredRooms={link.enteredRooms}>
            <ChatProvider chat={link.chat}>
              <CallControllerProvider controller={link.calls}>
                <CallsOffered controller={link.calls}>
                  <NoticesOnDemand />
                  {/* An error in the alerts, or in loading them, costs nobody the console or the room [APP11]. */}
                  <ErrorBoundary failed={() => null}>
                    <AlertsWhenIdle link={link} />
                  </ErrorBoundary>
                  <CallSlot controller={link.calls} />
                  <PageCrash>{children}</PageCrash>
                </CallsOffered>
              </CallControllerProvider>
            </ChatProvider>
          </WithJoinedChannel>
        </EnteredRoomsProvider>
      </RealtimeProvider>
    </UserProvider>
  );
}

/** Tells lists, which know no rooms, the current room and who talks there. */
function WithJoinedChannel({ enteredRooms, children }: { enteredRooms: EnteredRooms; children: ReactNode }) {
  const joined = useSnapshot(useMemo(() => joinedChannelOf(enteredRooms), [enteredRooms]));
  return <JoinedChannelProvider joined={joined}>{children}</JoinedChannelProvider>;
}

function CallsOffered({ controller, children }: { controller: CallController; children: ReactNode }) {
  return (
    <CallingProvider start={controller.start} isBusy={useIsCalling(controller)}>
      {children}
    </CallingProvider>
  );
}

const MessageAlerts = lazyComponent(async () => (await import('./message-alerts.tsx')).MessageAlerts);

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
    <ErrorBoundary failed={() => null} retryWith={isUp}>
      <Suspense fallback={null}>
        <Alerts link={link} />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Loaded with the first notification. If it can't be loaded, there are no notifications, and everything else works. */
const Notices = lazyComponent(async () => (await import('./notices.tsx')).Notices);

function NoticesOnDemand() {
  const { notifications } = useNotifications();
  useWaitNotice();
  const [isUsed, setUsed] = useState(false);
  if (!isUsed && notifications.length > 0) setUsed(true);
  if (!isUsed) return null;
  return (
    <ErrorBoundary failed={() => null} retryWith={notifications.length}>
      <Suspense fallback={null}>
        <Notices />
      </Suspense>
    </ErrorBoundary>
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

/** Confines a page's error to the page: the user stays in the room and keeps its bar. Another page is a new try. */
function PageCrash({ children }: { children: ReactNode }) {
  const shown = useRouterState({ select: (state) => state.resolvedLocation });
  return (
    <ErrorBoundary retryWith={shown} failed={(error) => <Crashed error={error} />}>
      {children}
    </ErrorBoundary>
  );
}

function Crashed({ error }: { error: unknown }) {
  const enteredRoom = useSnapshot(useEnteredRooms());
  return (
    <>
      <CrashPage error={error} />
      {enteredRoom && <LazyRoomBar enteredRoom={enteredRoom} />}
    </>
  );
}
