import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { type ChannelMember, getAllUsers } from '@pressel/contract/users';
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { onTestFinished } from 'vitest';
import { App } from '#src/app/app.tsx';
import { SessionGate } from '#src/app/console-layout.tsx';
import { Shell } from '#src/app/shell/shell.tsx';
import { SignedIn } from '#src/app/signed-in.tsx';
import { useRegisterRoom } from '#src/features/room/current-room.tsx';
import type { EnteredRooms } from '#src/features/room/entered-rooms.ts';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble } from './api-double.ts';
import { NO_RENEWAL } from './no-renewal.ts';
import { createRealtimeDouble } from './realtime-double.ts';
import { MEMBER } from './render-room.tsx';
import { channelOf, pageOf, sessionUserOf } from './samples.ts';

const CHANNEL = channelOf(1, 'Nord');
/** The people who were to be shown on the room's map. */
let located: string[] = [];
const ROOM = { stopTalking: () => undefined, locate: (_id: string, name: string) => void located.push(name) };

/** Replaces a room's page: everything that the shell knows of it. */
function Room({ onStays }: { onStays: (enteredRooms: EnteredRooms) => void }) {
  useRegisterRoom(CHANNEL, ROOM);
  onStays(useEnteredRooms());
  return <h1>Le salon</h1>;
}

/** Renders the shell around the room of a channel that has one member, Camille Roux. */
export async function renderShell(members: readonly ChannelMember[] = [MEMBER]) {
  located = [];
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const api = createApiDouble();
  api.signIn(storage, sessionUserOf());
  api.on(getAllChannels, (query) => pageOf([CHANNEL], query, ({ name }) => name));
  api.on(getAllUsers, () => ({ success: true, res: [], totalRecords: 0, connected: 0 }));
  api.on(getUsersInChannel, () => ({ success: true, res: [...members], totalRecords: members.length }));
  const session = createSession({ api, storage });
  onTestFinished(() => session.end('chosen'));
  // The guard of the console's addresses does the same.
  await session.check();
  const realtime = createRealtimeDouble();
  const i18n = await createI18n(storage);
  await i18n.loadNamespaces(['app', 'shell', 'shared', 'channels', 'members', 'calls', 'voice']);
  let enteredRooms: EnteredRooms | undefined;
  const root = createRootRoute({
    component: () => (
      <SessionGate>
        {(user) => (
          <SignedIn user={user}>
            <Shell>
              <Room
                onStays={(one) => {
                  enteredRooms = one;
                }}
              />
            </Shell>
          </SignedIn>
        )}
      </SessionGate>
    ),
  });
  const paths = ['/dashboard', '/usersList', '/channelsList', '/activities', '/groupCallView/$roomId'];
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ['/groupCallView/Nord'] }),
    routeTree: root.addChildren(paths.map((path) => createRoute({ getParentRoute: () => root, path }))),
  });
  render(
    <App
      services={{ api, session, storage, renewal: NO_RENEWAL, openRealtime: () => realtime, guestLink: undefined }}
      i18n={i18n}
      router={router as never}
      env="test"
    />,
  );
  return {
    user: userEvent.setup(),
    realtime,
    router,
    located,
    /** The entered rooms, once the page is rendered. */
    enteredRooms: () => enteredRooms as EnteredRooms,
    channelId: CHANNEL.id as ChannelId,
    /** Returns how often members were read. */
    asked: () => api.inputs(getUsersInChannel).length,
  };
}
