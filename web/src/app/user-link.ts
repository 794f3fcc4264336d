import { notifications } from '@mantine/notifications';
import type { SessionUser } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import { type CallController, createCallController } from '#src/features/calls/call-controller.ts';
import { loadCallParts } from '#src/features/calls/call-slot.tsx';
import { isFree } from '#src/features/calls/call-state.ts';
import { bindCalls } from '#src/features/calls/calls.realtime.ts';
import { bindChannels } from '#src/features/channels/channels.realtime.ts';
import { type Chat, createChat } from '#src/features/chat/chat.ts';
import { bindDashboard } from '#src/features/dashboard/dashboard.realtime.ts';
import { createEnteredRooms, type EnteredRooms } from '#src/features/room/entered-rooms.ts';
import { keepReturn, returnToRoom } from '#src/features/room/return-to-room.ts';
import { roomAttention } from '#src/features/room/room-attention.ts';
import { bindUsers } from '#src/features/users/users.realtime.ts';
import { browserApart } from '#src/shared/apart.ts';
import { FRESH_MS } from '#src/shared/api/first-answers.ts';
import { queriesOf } from '#src/shared/queries.tsx';
import { createRealtime, type Realtime } from '#src/shared/realtime/realtime.ts';
import { whenReady } from '#src/shared/realtime/when-ready.ts';
import type { Attention } from '#src/shared/renewal.ts';
import type { Services } from '#src/shared/services.tsx';
import type { Session } from '#src/shared/session.ts';
import { afterTimeout } from '#src/shared/within.ts';

/** The signed-in user's socket, with their rooms, calls and chats over it. */
export interface UserLink {
  realtime: Realtime;
  calls: CallController;
  enteredRooms: EnteredRooms;
  chat: Chat;
}

interface OpenLink extends UserLink {
  userId: UserId;
  close(): void;
}

type LinkDeps = Pick<Services, 'api' | 'storage' | 'session' | 'renewal' | 'callLink' | 'openRealtime'>;

/** One link per session; an app has one session. */
const links = new WeakMap<Session, OpenLink>();

/**
 * Returns the user's link: the open one, or a new one. It belongs to the session, not to a page. It ends when the user
 * signs out or somebody else signs in, whatever React does or fails at [TALK114].
 */
export function linkOf(userId: UserId, deps: LinkDeps): UserLink {
  const { session } = deps;
  const known = links.get(session);
  if (known?.userId === userId) return known;
  known?.close();
  const opened = openLink(userId, deps);
  const unfollow = session.subscribe(() => {
    const state = session.getSnapshot();
    // A server that can't be reached ends nobody's session.
    if (state.state === 'signedOut' || (state.state === 'signedIn' && state.user.id !== userId)) link.close();
  });
  const link: OpenLink = {
    ...opened,
    userId,
    close() {
      if (links.get(session) === link) links.delete(session);
      unfollow();
      opened.close();
    },
  };
  links.set(session, link);
  return link;
}

function openLink(
  userId: UserId,
  { api, storage, session, renewal, callLink, openRealtime = createRealtime }: LinkDeps,
): UserLink & { close(): void } {
  const queries = queriesOf(session);
  const realtime = openRealtime({ token: storage.readToken, renewal });
  const enteredRooms = createEnteredRooms();
  const chat = createChat({ api, realtime, userId, storage, isAdmin: () => isAdmin(session) });
  const calls = createCallController({
    realtime,
    self: { id: userId, name: '' },
    loadParts: () => loadCallParts(realtime, storage),
    now: () => performance.now(),
    after: afterTimeout,
  });
  // The app asks a user in a room before it fetches newer code.
  let letGo: (() => void) | undefined;
  const attention = (): Attention => {
    if (!isFree(calls.getSnapshot().call)) return 'working';
    const found = enteredRooms.all().map(({ room }) => roomAttention(room, document.visibilityState !== 'visible'));
    return (['working', 'listening'] as const).find((one) => found.includes(one)) ?? 'none';
  };
  const apart = browserApart(renewal, storage, callLink === undefined);
  const holdWhileInside = () => {
    letGo?.();
    const isInside =
      enteredRooms.getSnapshot() !== undefined || calls.getSnapshot().call.callState !== 'CALL_UNAVAILABLE';
    letGo = isInside ? renewal.blockReload(attention) : undefined;
  };
  // Answers that index.html requested before the app started are at most this old.
  let readSince: number | undefined = Math.max(0, performance.now() - FRESH_MS);
  const stops = [
    enteredRooms.subscribe(holdWhileInside),
    calls.subscribe(holdWhileInside),
    realtime.on('server_version', apart.serverIs),
    renewal.beforeReload(() => keepReturn(enteredRooms, storage, userId)),
    bindCalls(realtime, queries),
    bindChannels(realtime, queries),
    bindDashboard(realtime, queries),
    bindUsers(realtime, queries),
    realtime.onLink((state) => {
      if (state === 'refused') void session.check();
    }),
    realtime.on('map_right', ({ mapRight }) => {
      if (mapRight !== seesMap(session)) void session.check();
    }),
    // The server sends events from now on. Earlier changes, also while the link was down, were missed. So everything is
    // read again, unless the server says that nothing changed since the first list was requested.
    whenReady(realtime, ({ quietMs = 0 }) => {
      const isMissed = readSince === undefined || performance.now() - readSince >= quietMs;
      readSince = undefined;
      if (isMissed) {
        void queries.invalidateQueries();
        // Includes the own role: the server ends the links of users whose role was changed.
        void session.check();
      }
      // A server that was away may be another one now.
      renewal.look();
    }),
  ];
  // If its code can't be loaded, the user enters the room from its page.
  returnToRoom({ enteredRooms, storage, realtime, userId }).catch(() => undefined);
  return {
    realtime,
    enteredRooms,
    chat,
    calls,
    close() {
      // Notifications name people and channels, and would be there for the next user.
      notifications.clean();
      enteredRooms.leave();
      calls.close();
      chat.close();
      for (const stop of stops) stop();
      apart.close();
      letGo?.();
      realtime.close();
    },
  };
}

const userOf = (session: Session): SessionUser | undefined => {
  const state = session.getSnapshot();
  return state.state === 'signedIn' ? state.user : undefined;
};

/** Read when it matters: a change of role must not close the socket of a user in a room. */
const isAdmin = (session: Session): boolean => userOf(session)?.role === 'admin';

/** As far as this page knows; the server says when it changes. */
const seesMap = (session: Session): boolean => isAdmin(session) || userOf(session)?.mapRight === true;
