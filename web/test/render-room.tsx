import type { SessionUser } from '@pressel/contract/auth';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { render, screen, waitFor } from '@testing-library/react';
import { Profiler, useState } from 'react';
import { expect, onTestFinished } from 'vitest';
import { createAlertChoices } from '#src/features/chat/alert-choices.ts';
import type { Chat } from '#src/features/chat/chat.ts';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import type { OpenRoomSession } from '#src/features/room/create-entered-room.ts';
import { createEnteredRooms } from '#src/features/room/entered-rooms.ts';
import { EnteredRoomsProvider } from '#src/features/room/entered-rooms-context.tsx';
import type { Panel } from '#src/features/room/panel-names.ts';
import { RoomScreen } from '#src/features/room/room-screen.tsx';
import type { Api } from '#src/shared/api/api.ts';
import type { LinkState, Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, ServicesProvider, UserProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { createFakeRoomSession, person, roomSnapshot } from './fake-room-session.ts';
import { NO_RENEWAL } from './no-renewal.ts';
import { WithVoiceWords } from './with-voice-words.tsx';
export const MEMBER: ChannelMember = {
  id: person(1).userId,
  firstName: 'Camille',
  lastName: 'Roux',
  pseudo: '',
  display_name: 'Camille Roux',
  photo_url: null,
  role: 'member',
  user_sockets: [],
};

/** The room's route: its address follows the channel. */
function Address(props: { layout: 'shell' | 'bare'; openRoom: OpenRoomSession; onRenamed: (key: string) => void }) {
  const { layout, openRoom, onRenamed } = props;
  const [roomKey, setRoomKey] = useState('MaraudeNord');
  const [wanted, setWanted] = useState<Panel>();
  const [members, setMembers] = useState({ filter: '', isDescending: false });
  return (
    <RoomScreen
      roomKey={roomKey}
      layout={layout}
      openRoom={openRoom}
      wanted={wanted}
      onWant={setWanted}
      members={members}
      onMembers={setMembers}
      onRenamed={(key) => {
        onRenamed(key);
        setRoomKey(key);
      }}
    />
  );
}

/** Enters a room with one other person, over a voice room that shows what it is told. */
export async function enterRoom(
  first = roomSnapshot(),
  members: readonly ChannelMember[] = [MEMBER],
  layout: 'shell' | 'bare' = 'shell',
  unread = 0,
  onRender: () => void = () => undefined,
) {
  const fake = createFakeRoomSession(first);
  const opened: Parameters<OpenRoomSession>[0][] = [];
  const asked: string[] = [];
  const renamed: string[] = [];
  const handlers = new Map<string, (payload: never) => void>();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const api: Api = {
    call: async (call) => {
      asked.push(call.path);
      return { success: true, res: members, totalRecords: members.length } as never;
    },
    stream: () => Promise.reject(new Error('The room reads no streams.')),
    upload: () => Promise.reject(new Error('The room uploads nothing.')),
  };
  const realtime: Realtime = {
    send: async () => ({ ok: false, code: 'unavailable', params: {} }),
    on(event, handler) {
      handlers.set(event, handler);
      return () => handlers.delete(event);
    },
    onLink(handler: (state: LinkState) => void) {
      handler('up');
      return () => undefined;
    },
    getSnapshot: () => 'up',
    subscribe: () => () => undefined,
    retry: () => undefined,
    reconnect: () => undefined,
    listen: () => () => undefined,
    close: () => undefined,
  };
  const openRoom: OpenRoomSession = (deps) => {
    opened.push(deps);
    return fake.room;
  };
  const user: SessionUser = {
    ...MEMBER,
    identifier: 'camille@example.org',
    mapRight: false,
    createdAt: '2026-01-01T08:00:00.000Z',
  };
  const enteredRooms = createEnteredRooms();
  const chat: Chat = {
    unread: {
      ...{ subscribe: () => () => undefined, subscribeAll: () => () => undefined },
      ...{ count: () => unread, all: () => new Map(), close: () => undefined },
    },
    looking: { getSnapshot: () => undefined, subscribe: () => () => undefined, set: () => undefined },
    alerts: createAlertChoices(createStorage({ local: memoryArea(), session: memoryArea() })),
    getSnapshot: () => undefined,
    subscribe: () => () => undefined,
    openOutbox: () => undefined,
    imageDrafts: (open) => open({ userId: user.id }),
    close: () => undefined,
  };
  // An entered room outlives its page, and its keys would meet the next test.
  onTestFinished(() => enteredRooms.leave());
  const root = createRootRoute();
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ['/'] }),
    routeTree: root.addChildren([
      createRoute({
        getParentRoute: () => root,
        path: '/',
        component: () => <Address layout={layout} openRoom={openRoom} onRenamed={(key) => renamed.push(key)} />,
      }),
      createRoute({ getParentRoute: () => root, path: '/channelsList', component: () => <p>liste</p> }),
      createRoute({ getParentRoute: () => root, path: '/signin', component: () => <p>connexion</p> }),
    ]),
  });
  const view = render(
    <WithVoiceWords>
      <QueryClientProvider client={new QueryClient()}>
        <ServicesProvider services={{ api, storage, session: createSession({ api, storage }), renewal: NO_RENEWAL }}>
          <UserProvider user={user}>
            <RealtimeProvider realtime={realtime}>
              <EnteredRoomsProvider enteredRooms={enteredRooms}>
                <ChatProvider chat={chat}>
                  <Profiler id="room" onRender={onRender}>
                    <RouterProvider router={router as never} />
                  </Profiler>
                </ChatProvider>
              </EnteredRoomsProvider>
            </RealtimeProvider>
          </UserProvider>
        </ServicesProvider>
      </QueryClientProvider>
    </WithVoiceWords>,
  );
  await screen.findByRole('main', { name: 'Salon du canal Maraude Nord' });
  // The page is rendered a moment before it subscribes to changes; the entered room subscribes at once.
  await waitFor(() => expect(fake.watchers()).toBeGreaterThan(1));
  return { ...fake, opened, asked, renamed, handlers, storage, enteredRooms, view };
}
