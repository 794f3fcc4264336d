import type { SessionUser } from '@pressel/contract/auth';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Chat } from '#src/features/chat/chat.ts';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import { createStays } from '#src/features/voice/stays.ts';
import { StaysProvider } from '#src/features/voice/stays-context.tsx';
import type { Api } from '#src/shared/api/api.ts';
import type { LinkState, Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, ServicesProvider, UserProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createFakeVoiceRoom, person, roomSnapshot } from '#test/fake-voice-room.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { OpenRoom } from './open-stay.ts';
import type { Panel } from './panel-names.ts';
import { RoomScreen } from './room-screen.tsx';

const MEMBER: ChannelMember = {
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
function Address(props: { layout: 'shell' | 'bare'; openRoom: OpenRoom; onRenamed: (key: string) => void }) {
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

beforeEach(stubLayout);

/** A stay outlives its page, and its keys would meet the next test. */
let leave: () => void = () => undefined;
afterEach(() => leave());

async function enter(
  first = roomSnapshot(),
  members: readonly ChannelMember[] = [MEMBER],
  layout: 'shell' | 'bare' = 'shell',
  unread = 0,
) {
  const fake = createFakeVoiceRoom(first);
  const opened: Parameters<OpenRoom>[0][] = [];
  const asked: string[] = [];
  const renamed: string[] = [];
  const handlers = new Map<string, (payload: never) => void>();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const api: Api = {
    call: async (call) => {
      asked.push(call.path);
      return { success: true, res: members } as never;
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
  const openRoom: OpenRoom = (deps) => {
    opened.push(deps);
    return fake.room;
  };
  const user: SessionUser = {
    ...MEMBER,
    identifier: 'camille@example.org',
    mapRight: false,
    createdAt: '2026-01-01T08:00:00.000Z',
  };
  const stays = createStays();
  const chat: Chat = {
    unread: { subscribe: () => () => undefined, count: () => unread, close: () => undefined },
    getSnapshot: () => undefined,
    subscribe: () => () => undefined,
    openOutbox: () => undefined,
    close: () => undefined,
  };
  leave = stays.leave;
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
              <StaysProvider stays={stays}>
                <ChatProvider chat={chat}>
                  <RouterProvider router={router as never} />
                </ChatProvider>
              </StaysProvider>
            </RealtimeProvider>
          </UserProvider>
        </ServicesProvider>
      </QueryClientProvider>
    </WithVoiceWords>,
  );
  await screen.findByRole('main', { name: 'Salon du canal Maraude Nord' });
  // It stands a moment before it hears of changes, as the stay does from the first.
  await waitFor(() => expect(fake.watchers()).toBeGreaterThan(1));
  return { ...fake, opened, asked, renamed, handlers, storage, stays, view };
}

test('it enters the room of the address and shows who is there', async () => {
  const { opened } = await enter();
  expect(opened).toHaveLength(1);
  expect(opened[0]?.room).toBe('MaraudeNord');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Maraude Nord');
  expect(screen.getByText('2 présents')).toBeInTheDocument();
  expect(screen.getByText('En liaison')).toBeInTheDocument();
});

test('the address follows a new name of the channel, and nobody leaves the room for it', async () => {
  const { opened, renamed, calls, show, storage } = await enter();
  const { channel } = roomSnapshot();
  if (channel === null) throw new Error('A room without its channel');
  act(() => show(roomSnapshot({ channel: { ...channel, name: 'Maraude Sud', rtcSession: 'MaraudeSud' } })));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Maraude Sud');
  expect(renamed).toEqual(['MaraudeSud']);
  expect(storage.readRoomName('MaraudeSud')).toBe('Maraude Sud');
  expect(opened).toHaveLength(1);
  expect(calls).toEqual([]);
});

test('[TALK67] [TALK110] leaving the page ends a talk, and the room is left when somebody says so', async () => {
  const { calls, view, stays } = await enter();
  view.unmount();
  expect(calls).toContain('stop');
  expect(calls).not.toContain('close');
  expect(stays.getSnapshot()).toBeDefined();
  stays.leave();
  expect(calls[calls.length - 1]).toBe('close');
});

test('[TALK110] a page without the console is the stay: leaving it closes the room', async () => {
  const { calls, view, watchers, stays } = await enter(roomSnapshot(), [MEMBER], 'bare');
  view.unmount();
  expect(calls[calls.length - 1]).toBe('close');
  expect(stays.getSnapshot()).toBeUndefined();
  expect(watchers()).toBe(0);
});

test('[TALK110] the way back shows the list, and one stays in the room', async () => {
  const { calls, stays } = await enter();
  await userEvent.click(screen.getByRole('button', { name: 'Revenir à la liste en restant dans le canal' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
  expect(calls).not.toContain('close');
  expect(stays.getSnapshot()).toBeDefined();
});

test('[TALK111] on other pages the talk key leaves to buttons what is theirs', async () => {
  const { calls, view } = await enter();
  view.unmount();
  calls.length = 0;
  render(<button type="button">Ailleurs</button>);
  const button = screen.getByRole('button', { name: 'Ailleurs' });
  fireEvent.keyDown(button, { code: 'Space', key: ' ' });
  fireEvent.keyUp(button, { code: 'Space', key: ' ' });
  expect(calls).toEqual([]);
  fireEvent.keyDown(document.body, { code: 'Space', key: ' ' });
  fireEvent.keyUp(document.body, { code: 'Space', key: ' ' });
  expect(calls).toEqual(['press', 'release']);
});

test('a room that refused is forgotten with its page', async () => {
  const { view, stays } = await enter(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }));
  view.unmount();
  expect(stays.getSnapshot()).toBeUndefined();
});

test('leaving by the button goes back to the channels and closes the room', async () => {
  const { calls } = await enter();
  await userEvent.click(screen.getByRole('button', { name: 'Quitter' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
  expect(calls).toContain('close');
});

test('holding the talk key presses, letting go releases', async () => {
  const { calls } = await enter();
  fireEvent.keyDown(document.body, { code: 'Space', key: ' ' });
  fireEvent.keyUp(document.body, { code: 'Space', key: ' ' });
  expect(calls).toEqual(['press', 'release']);
});

test('[ROOM7] a panel of the room is no dialog: a talk goes on while it opens, and the address names it', async () => {
  const { calls } = await enter();
  const toggle = screen.getByRole('button', { name: 'Membres' });
  await userEvent.click(toggle);
  expect(await screen.findByText('Camille Roux')).toBeInTheDocument();
  expect(screen.getByText('1 membre')).toBeInTheDocument();
  expect(toggle).toHaveAttribute('aria-pressed', 'true');
  expect(calls).toEqual([]);
  await userEvent.click(toggle);
  expect(screen.queryByText('Camille Roux')).not.toBeInTheDocument();
});

test('unread messages are marked where they are opened, by number and in words', async () => {
  await enter(roomSnapshot(), [MEMBER], 'shell', 3);
  expect(screen.getByRole('button', { name: /Messages/ })).toHaveTextContent('3 messages non lus');
});

test('[TALK56] what another tab of the browser chose meanwhile is kept', async () => {
  const { voicePreferences, DEFAULT_VOICE_PREFERENCES } = await import(
    '#src/features/voice/settings/voice-preferences.ts'
  );
  const { storage } = await enter(roomSnapshot({ participants: [person(1), person(2)] }));
  const user = userEvent.setup();
  const muted = person(3).userId;
  storage.writePreference('voice', { ...DEFAULT_VOICE_PREFERENCES, tailMs: 50, volumes: { [muted]: 0 } });
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('switch', { name: /^Tonalités/ }));
  await user.keyboard('{Escape}');
  await user.click(screen.getAllByRole('button', { name: /^Volume/u })[0] as HTMLElement);
  await user.click(await screen.findByRole('switch', { name: /^Couper/u }));
  const kept = storage.readPreference('voice', voicePreferences);
  expect(kept).toMatchObject({ tones: false, tailMs: 50, volumes: { [muted]: 0 } });
  expect(Object.keys(kept?.volumes ?? {}), 'and what was chosen here').toHaveLength(2);
});

test('settings hold at once and are kept for the next stay', async () => {
  const { calls, view, storage, stays } = await enter();
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('switch', { name: /^Tonalités/ }));
  expect(calls).toContain('preferences false 200');
  await user.click(screen.getByRole('button', { name: 'Changer' }));
  fireEvent.keyDown(document.body, { code: 'F8', key: 'F8' });
  expect(
    storage.readPreference(
      'voice',
      (await import('#src/features/voice/settings/voice-preferences.ts')).voicePreferences,
    ),
  ).toEqual({
    tones: false,
    tailMs: 200,
    hearsOwnDevices: false,
    volumes: {},
    talkKey: { code: 'F8', label: '' },
    microphoneId: '',
    isCameraOn: true,
    cameraId: '',
  });
  view.unmount();
  stays.leave();
  const again = await enter();
  expect(again.opened[0]?.preferences).toEqual({
    tones: false,
    tailMs: 200,
    hearsOwnDevices: false,
    volumes: {},
    microphoneId: '',
  });
  fireEvent.keyDown(document.body, { code: 'Space', key: ' ' });
  expect(again.calls).toEqual([]);
  fireEvent.keyDown(document.body, { code: 'F8', key: 'F8' });
  expect(again.calls).toEqual(['press']);
});

test('a room that may not be entered says why and offers the next act', async () => {
  await enter(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Vous n’êtes pas membre de ce canal');
  await userEvent.click(screen.getByRole('button', { name: 'Voir les canaux' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
});

test.each([
  ['removed', 'Vous avez été retiré de ce canal'],
  ['deleted', 'Ce canal a été supprimé'],
  ['signed_out', 'Votre session est terminée'],
] as const)('a room that ends while one is in it says so (%s)', async (reason, words) => {
  const { show } = await enter();
  act(() => show(roomSnapshot({ status: { state: 'closed', reason } })));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(words);
  expect(screen.queryByRole('button', { name: /Appuyez/ })).not.toBeInTheDocument();
});

test('[CHATS27] who is removed while writing finds the text in the place of the room', async () => {
  const { show, storage } = await enter();
  const channelId = roomSnapshot().channel?.id ?? '';
  storage.keepDraft(channelId, 'À moitié écrit');
  act(() => show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } })));
  const unsent = screen.getByRole('region', { name: '1 message n’a pas pu être envoyé' });
  expect(within(unsent).getByText('À moitié écrit')).toBeInTheDocument();
  await userEvent.click(within(unsent).getByRole('button', { name: 'Abandonner' }));
  expect(unsent).not.toBeInTheDocument();
  expect(storage.readDraft(channelId)).toBe('');
});

test('[CHATS27] whose session ended is shown nothing that was written there', async () => {
  const { show, storage } = await enter();
  storage.keepDraft(roomSnapshot().channel?.id ?? '', 'Privé');
  act(() => show(roomSnapshot({ status: { state: 'closed', reason: 'signed_out' } })));
  expect(screen.queryByText('Privé')).not.toBeInTheDocument();
});

test('a session ended by the server leads to the sign-in page', async () => {
  await enter(roomSnapshot({ status: { state: 'refused', code: 'unauthenticated' } }));
  await userEvent.click(screen.getByRole('button', { name: 'Se connecter' }));
  expect(await screen.findByText('connexion')).toBeInTheDocument();
});

test('[PRES24] who comes and goes is told in the news, so that the members are not read again', async () => {
  const absent = { ...MEMBER, id: person(9).userId, display_name: 'Zoé Petit' };
  const { asked, handlers } = await enter(roomSnapshot(), [absent]);
  await userEvent.click(screen.getByRole('button', { name: 'Membres' }));
  expect(await screen.findByText('Hors ligne')).toBeInTheDocument();
  const before = asked.length;
  const channelId = roomSnapshot().channel?.id ?? null;
  const news: ServerPayload<'onUserStatusChanged'> = {
    channelId,
    users: [
      {
        userId: absent.id,
        connected: true,
        user_sockets: [{ userId: absent.id, channelId: null, socket_id: person(9).id }],
      },
    ],
    rooms: [],
  };
  act(() => handlers.get('onUserStatusChanged')?.(news as never));
  expect(await screen.findByText('En ligne')).toBeInTheDocument();
  expect(asked).toHaveLength(before);
});

test('members that are not shown are not asked for, nor kept fresh', async () => {
  const { asked, handlers } = await enter();
  expect(asked).toEqual([]);
  expect(handlers.has('changed')).toBe(false);
});

test('the members are read again when memberships change', async () => {
  const { asked, handlers } = await enter();
  await userEvent.click(screen.getByRole('button', { name: 'Membres' }));
  await expect.poll(() => handlers.has('changed')).toBe(true);
  const before = asked.length;
  act(() => handlers.get('changed')?.({ what: 'memberships' } as never));
  await expect.poll(() => asked.length).toBe(before + 1);
});

test('entering keeps which room it was', async () => {
  expect((await enter()).storage.readRoomName('MaraudeNord')).toBe('Maraude Nord');
  const channelId = roomSnapshot().channel?.id;
  expect(localStorage).toMatchObject({ roomId: 'MaraudeNord', channelId, selectedChannel: channelId });
});
