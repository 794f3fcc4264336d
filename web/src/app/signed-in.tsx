import { useNotifications } from '@mantine/notifications';
import type { SessionUser } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, startTransition, useLayoutEffect, useState } from 'react';
import { FRESH_MS } from '#src/boot/first-answers.ts';
import { CallDeskProvider } from '#src/features/calls/call-context.tsx';
import { type CallDesk, createCallDesk } from '#src/features/calls/call-desk.ts';
import { bindCalls } from '#src/features/calls/calls.realtime.ts';
import { useIsCalling } from '#src/features/calls/use-is-calling.ts';
import { bindChannels } from '#src/features/channels/channels.realtime.ts';
import { type Chat, createChat } from '#src/features/chat/chat.ts';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import { bindDashboard } from '#src/features/dashboard/dashboard.realtime.ts';
import { bindUsers } from '#src/features/users/users.realtime.ts';
import { createStays, type Stays } from '#src/features/voice/stays.ts';
import { StaysProvider } from '#src/features/voice/stays-context.tsx';
import { CallingProvider } from '#src/shared/calling.tsx';
import { Queries } from '#src/shared/queries.tsx';
import { createRealtime, type Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, UserProvider, useServices } from '#src/shared/services.tsx';
import type { Session } from '#src/shared/session.ts';
import '#src/shared/ui/console-styles.ts';
import { CallSlot, loadCallParts } from './call-slot.tsx';

export interface SignedInProps {
  user: SessionUser;
  children: ReactNode;
}

/** Opens the socket of the signed-in user, updates the lists by its events, and keeps the rooms that they are in. */
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
          <ChatProvider chat={link.chat}>
            <CallDeskProvider desk={link.calls}>
              <CallsOffered desk={link.calls}>
                <NoticesOnDemand />
                <CallSlot desk={link.calls} />
                {children}
              </CallsOffered>
            </CallDeskProvider>
          </ChatProvider>
        </StaysProvider>
      </RealtimeProvider>
    </UserProvider>
  );
}

function CallsOffered({ desk, children }: { desk: CallDesk; children: ReactNode }) {
  return (
    <CallingProvider start={desk.start} isBusy={useIsCalling(desk)}>
      {children}
    </CallingProvider>
  );
}

/** What shows notifications is loaded with the first of them. Without it there are none, and all else goes on. */
const Notices = lazy(async () => {
  const loaded = await import('./notices.tsx').catch(() => undefined);
  return { default: loaded?.Notices ?? NoNotices };
});
const NoNotices = () => null;

function NoticesOnDemand() {
  const { notifications } = useNotifications();
  const [isUsed, setUsed] = useState(false);
  if (!isUsed && notifications.length > 0) setUsed(true);
  if (!isUsed) return null;
  return (
    <Suspense fallback={null}>
      <Notices />
    </Suspense>
  );
}

interface Link {
  realtime: Realtime;
  calls: CallDesk;
  stays: Stays;
  chat: Chat;
}

/** One socket per signed-in user, with their rooms and chats over it. */
function useLinkOf(userId: UserId): Link | undefined {
  const { api, storage, session, renewal, openRealtime = createRealtime } = useServices();
  const queries = useQueryClient();
  const [link, setLink] = useState<Link>();

  // Before the browser paints: nothing below stands without the socket.
  useLayoutEffect(() => {
    const opened = openRealtime({ token: storage.readToken });
    const stays = createStays();
    const chat = createChat({ api, realtime: opened, userId, isAdmin: () => isAdmin(session) });
    const calls = createCallDesk({
      realtime: opened,
      self: { id: userId, name: '' },
      loadParts: () => loadCallParts(opened, storage),
      now: () => performance.now(),
    });
    // Whoever is in a room is asked before newer code is fetched.
    let letGo: (() => void) | undefined;
    const holdWhileInside = () => {
      letGo?.();
      const isInside = stays.getSnapshot() !== undefined || calls.getSnapshot().call.callState !== 'CALL_UNAVAILABLE';
      letGo = isInside ? renewal.hold() : undefined;
    };
    // What index.html asked for before the app stood is at most that old.
    let readSince: number | undefined = Math.max(0, performance.now() - FRESH_MS);
    const stops = [
      stays.subscribe(holdWhileInside),
      calls.subscribe(holdWhileInside),
      bindCalls(opened, queries),
      bindChannels(opened, queries),
      bindDashboard(opened, queries),
      bindUsers(opened, queries),
      opened.onLink((state) => {
        if (state === 'refused') void session.check();
      }),
      opened.on('map_right', ({ mapRight }) => {
        if (mapRight !== seesMap(session)) void session.check();
      }),
      // The server sends events from now on. Changes before, also while the link was down, were missed: everything is
      // read again, unless the server says that there were none since the first list was asked for.
      opened.on('ready', ({ quietMs = 0 }) => {
        const isMissed = readSince === undefined || performance.now() - readSince >= quietMs;
        readSince = undefined;
        if (isMissed) {
          void queries.invalidateQueries();
          // The own role too: the server ends the links of whom it was changed.
          void session.check();
        }
        // A server that was away may be another one now.
        renewal.look();
      }),
    ];
    // In pieces: all that is shown stands below.
    startTransition(() => setLink({ realtime: opened, stays, chat, calls }));
    return () => {
      stays.leave();
      calls.close();
      chat.close();
      for (const stop of stops) stop();
      opened.close();
      setLink(undefined);
    };
  }, [userId, api, storage, session, renewal, openRealtime, queries]);

  return link;
}

/** Asked when it matters: a role that changes must not close the socket of who is in a room. */
function isAdmin(session: Session): boolean {
  const state = session.getSnapshot();
  return state.state === 'signedIn' && state.user.role === 'admin';
}

/** As far as is known here; the server says when it changes. */
function seesMap(session: Session): boolean {
  const state = session.getSnapshot();
  return isAdmin(session) || (state.state === 'signedIn' && state.user.mapRight);
}
