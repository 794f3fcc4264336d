import type { ServerPayload } from '@pressel/contract/realtime';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { keepPreferences, readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import { person, roomSnapshot } from '#test/fake-room-session.ts';
import { enterRoom, MEMBER } from '#test/render-room.tsx';
import { stubLayout } from '#test/stub-layout.ts';

beforeEach(stubLayout);

test('it enters the room of the address and shows who is there', async () => {
  const { opened } = await enterRoom();
  expect(opened).toHaveLength(1);
  expect(opened[0]?.room).toBe('MaraudeNord');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Maraude Nord');
  expect(screen.getByText('2 présents')).toBeInTheDocument();
  expect(screen.getByText('En liaison')).toBeInTheDocument();
});

test.each([
  ['1 présent|3 connexions', [0, 0, 0], []],
  ['2 présents et 1 invité', [0, 1], [2]],
  ['1 présent et 2 invités|4 connexions', [0, 0], [1, 2]],
  ['2 présents', [], [1, 2]],
  ['Vous seul', [], [1]],
] as const)('[ROOM22] the number above the tiles says what it counts: %s', async (words, users, guests) => {
  const one = (userId: number, index: number) => ({ ...person(index), userId: person(userId).userId });
  const participants = [
    ...users.map(one),
    ...guests.map((number) => ({ ...person(number + 10), guest: { name: 'Julie', link: 'Samu' } })),
  ];
  await enterRoom(roomSnapshot({ participants }));
  const [banner] = screen.getAllByRole('banner');
  const facts = [...(banner?.querySelectorAll('p > span') ?? [])].map(({ textContent }) => textContent);
  expect(facts.slice(1).join('|')).toBe(words);
});

test('[ROOM26] who is alone in a room is told so once', async () => {
  await enterRoom(roomSnapshot({ participants: [person(0, { isSelf: true, media: 'self' })] }));
  expect(document.body.textContent?.match(/entend/gu)).toHaveLength(1);
  expect(screen.getByText('Gardez le bouton appuyé tant que vous parlez.')).toBeVisible();
});

test('the address follows a new name of the channel, and nobody leaves the room for it', async () => {
  const { opened, renamed, calls, show, storage } = await enterRoom();
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
  const { calls, view, enteredRooms } = await enterRoom();
  view.unmount();
  expect(calls).toContain('stop');
  expect(calls).not.toContain('close');
  expect(enteredRooms.getSnapshot()).toBeDefined();
  enteredRooms.leave();
  expect(calls[calls.length - 1]).toBe('close');
});

test('[TALK110] a page without the console is the stay: leaving it closes the room', async () => {
  const { calls, view, watchers, enteredRooms } = await enterRoom(roomSnapshot(), [MEMBER], 'bare');
  view.unmount();
  expect(calls[calls.length - 1]).toBe('close');
  expect(enteredRooms.getSnapshot()).toBeUndefined();
  expect(watchers()).toBe(0);
});

test('[TALK110] the way back shows the list, and one stays in the room', async () => {
  const { calls, enteredRooms } = await enterRoom();
  await userEvent.click(screen.getByRole('button', { name: 'Revenir à la liste en restant dans le canal' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
  expect(calls).not.toContain('close');
  expect(enteredRooms.getSnapshot()).toBeDefined();
});

test('[TALK111] on other pages the talk key leaves to buttons what is theirs', async () => {
  const { calls, view } = await enterRoom();
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
  const { view, enteredRooms } = await enterRoom(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }));
  view.unmount();
  expect(enteredRooms.getSnapshot()).toBeUndefined();
});

test('leaving by the button goes back to the channels and closes the room', async () => {
  const { calls } = await enterRoom();
  await userEvent.click(screen.getByRole('button', { name: 'Quitter' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
  expect(calls).toContain('close');
});

test('holding the talk key presses, letting go releases', async () => {
  const { calls } = await enterRoom();
  fireEvent.keyDown(document.body, { code: 'Space', key: ' ' });
  fireEvent.keyUp(document.body, { code: 'Space', key: ' ' });
  expect(calls).toEqual(['press', 'release']);
});

test('[ROOM7] a panel of the room is no dialog: a talk goes on while it opens, and the address names it', async () => {
  const { calls } = await enterRoom();
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
  await enterRoom(roomSnapshot(), [MEMBER], 'shell', 3);
  expect(screen.getByRole('button', { name: /Messages/ })).toHaveTextContent('3 messages non lus');
});

test('[TALK56] what another tab of the browser chose meanwhile is kept', async () => {
  const { storage } = await enterRoom(roomSnapshot({ participants: [person(1), person(2)] }));
  const user = userEvent.setup();
  const muted = person(3).userId;
  keepPreferences(storage, { ...readPreferences(storage), tailMs: 50, volumes: { [muted]: 0 } });
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('switch', { name: /^Signaux sonores/ }));
  await user.keyboard('{Escape}');
  await user.click(screen.getAllByRole('button', { name: /^Volume/u })[0] as HTMLElement);
  await user.click(await screen.findByRole('switch', { name: /^Couper/u }));
  const kept = readPreferences(storage);
  expect(kept).toMatchObject({ tones: false, tailMs: 50, volumes: { [muted]: 0 } });
  expect(Object.keys(kept.volumes), 'and what was chosen here').toHaveLength(2);
});

test('settings hold at once and are kept for the next stay', async () => {
  const { calls, view, storage, enteredRooms } = await enterRoom();
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('switch', { name: /^Signaux sonores/ }));
  expect(calls).toContain('preferences false 200');
  await user.click(screen.getByRole('button', { name: 'Changer' }));
  fireEvent.keyDown(document.body, { code: 'F8', key: 'F8' });
  expect(readPreferences(storage)).toEqual({
    tones: false,
    tailMs: 200,
    hearsOwnDevices: false,
    volumes: {},
    roomVolume: 1,
    talkKey: { code: 'F8', label: '' },
    microphoneId: '',
    loudspeakerId: '',
    isCameraOn: true,
    cameraId: '',
  });
  view.unmount();
  enteredRooms.leave();
  const again = await enterRoom();
  expect(again.opened[0]?.preferences).toEqual({
    tones: false,
    tailMs: 200,
    hearsOwnDevices: false,
    volumes: {},
    roomVolume: 1,
    microphoneId: '',
  });
  fireEvent.keyDown(document.body, { code: 'Space', key: ' ' });
  expect(again.calls).toEqual([]);
  fireEvent.keyDown(document.body, { code: 'F8', key: 'F8' });
  expect(again.calls).toEqual(['press']);
});

test('[VID13] a button leads to the same channel with pictures, and says how many show one', async () => {
  const { show } = await enterRoom();
  const door = () => screen.getByRole('link', { name: /^Passer en vidéo/u });
  expect(door()).toHaveAttribute('href', '/join/MaraudeNord');
  expect(door()).toHaveAccessibleName('Passer en vidéo');
  act(() =>
    show(
      roomSnapshot({
        participants: [person(0, { isSelf: true }), person(1, { video: 'camera' }), person(2, { video: 'off' })],
      }),
    ),
  );
  expect(door()).toHaveAccessibleName('Passer en vidéo\u00a0: 1 personne à l’image');
});

test('[TALK125] a room whose sound is off says so all the while, with the way to turn it on', async () => {
  const { calls } = await enterRoom(roomSnapshot({ isSoundOff: true }));
  expect(screen.getByText('Le son du canal est coupé.')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Rétablir le son' }));
  expect(calls).toContain('sound on');
});

test('a room that may not be entered says why and offers the next act', async () => {
  await enterRoom(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Vous n’êtes pas membre de ce canal');
  await userEvent.click(screen.getByRole('button', { name: 'Voir les canaux' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
});

test.each([
  ['removed', 'Vous avez été retiré de ce canal'],
  ['deleted', 'Ce canal a été supprimé'],
  ['signed_out', 'Votre session est terminée'],
] as const)('a room that ends while one is in it says so (%s)', async (reason, words) => {
  const { show } = await enterRoom();
  act(() => show(roomSnapshot({ status: { state: 'closed', reason } })));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(words);
  expect(screen.queryByRole('button', { name: /Appuyez/ })).not.toBeInTheDocument();
});

test('[CHATS27] who is removed while writing finds the text in the place of the room', async () => {
  const { show, storage } = await enterRoom();
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
  const { show, storage } = await enterRoom();
  storage.keepDraft(roomSnapshot().channel?.id ?? '', 'Privé');
  act(() => show(roomSnapshot({ status: { state: 'closed', reason: 'signed_out' } })));
  expect(screen.queryByText('Privé')).not.toBeInTheDocument();
});

test('a session ended by the server leads to the sign-in page', async () => {
  await enterRoom(roomSnapshot({ status: { state: 'refused', code: 'unauthenticated' } }));
  await userEvent.click(screen.getByRole('button', { name: 'Se connecter' }));
  expect(await screen.findByText('connexion')).toBeInTheDocument();
});

test('[PRES24] who comes and goes is told in the news, so that the members are not read again', async () => {
  const absent = { ...MEMBER, id: person(9).userId, display_name: 'Zoé Petit' };
  const { asked, handlers } = await enterRoom(roomSnapshot(), [absent]);
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

test('[MEM1] members that are not shown are not asked for, nor kept fresh', async () => {
  const { asked, handlers } = await enterRoom();
  expect(asked).toEqual([]);
  expect(handlers.has('changed')).toBe(false);
});

test('[MEM4] the members are read again when memberships of nobody in particular change', async () => {
  const { asked, handlers } = await enterRoom();
  await userEvent.click(screen.getByRole('button', { name: 'Membres' }));
  await expect.poll(() => handlers.has('changed')).toBe(true);
  const before = asked.length;
  act(() => handlers.get('changed')?.({ what: 'memberships' } as never));
  await expect.poll(() => asked.length).toBe(before + 1);
});

test('entering keeps which room it was', async () => {
  expect((await enterRoom()).storage.readRoomName('MaraudeNord')).toBe('Maraude Nord');
  const channelId = roomSnapshot().channel?.id;
  expect(localStorage).toMatchObject({ roomId: 'MaraudeNord', channelId, selectedChannel: channelId });
});
