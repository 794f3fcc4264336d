import type { ChannelId } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { createMemoryHistory } from '@tanstack/react-router';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StrictMode } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { createAppRouter } from '#src/app/router.tsx';
import { createEnteredRoom, type OpenRoomSession } from '#src/features/room/create-entered-room.ts';
import { createEnteredRooms } from '#src/features/room/entered-rooms.ts';
import { EnteredRoomsProvider } from '#src/features/room/entered-rooms-context.tsx';
import { createPageTalk } from '#src/features/voice/engine/page-talk.ts';
import { readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import { RealtimeProvider, ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { camilleTalks, createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { Board } from './board-route.tsx';

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as ChannelId;
const nameOf = (id: ChannelId) => `Canal n° ${Number(id.slice(-12))}`;

/** Creates the board's page and the rooms that it opens, by channel number. Channels above 900 refuse entry. */
function createBoard() {
  const rooms = new Map<number, ReturnType<typeof createFakeRoomSession>>();
  const pageTalk = createPageTalk();
  const openRoom: OpenRoomSession = ({ channelId }) => {
    const id = channelId as ChannelId;
    const number = Number(id.slice(-12));
    const fake = createFakeRoomSession(
      number > 900
        ? roomSnapshot({ status: { state: 'refused', code: 'not_found' }, channel: null })
        : roomSnapshot({ channel: { id, name: nameOf(id), rtcSession: `r${number}`, talkMode: 'single' } }),
      pageTalk,
    );
    rooms.set(number, fake);
    return fake.room;
  };
  const enteredRooms = createEnteredRooms();
  onTestFinished(() => enteredRooms.leave());
  const storage = createStorage({ local: memoryArea(), session: memoryArea() });
  const realtime = createRealtimeDouble();
  const api = createApiDouble();
  const services = { api, storage, session: createSession({ api, storage }), renewal: NO_RENEWAL };
  const page = (...numbers: number[]) => {
    // The board's address, as the app reads it.
    const at = `/board?rooms=${numbers.map(idOf).join(',')}`;
    const context = { session: services.session, loadWords: async () => undefined };
    const router = createAppRouter(context, createMemoryHistory({ initialEntries: [at] }));
    const { rooms = '' }: { rooms?: string } = router.matchRoutes(router.latestLocation).at(-1)?.search ?? {};
    return (
      <StrictMode>
        <WithVoiceWords>
          <ServicesProvider services={services}>
            <RealtimeProvider realtime={realtime}>
              <EnteredRoomsProvider enteredRooms={enteredRooms}>
                <Board rooms={rooms} openRoom={openRoom} />
              </EnteredRoomsProvider>
            </RealtimeProvider>
          </ServicesProvider>
        </WithVoiceWords>
      </StrictMode>
    );
  };
  return {
    page,
    enteredRooms,
    storage,
    /** Enters one room by its own page. */
    enterAlone: (number: number) =>
      enteredRooms.enter(`r${number}`, (room) =>
        createEnteredRoom({ room, channelId: idOf(number), realtime, storage, openRoom }),
      ),
    calls: (number: number) => rooms.get(number)?.calls,
    show: (number: number, change: Parameters<typeof roomSnapshot>[0]) =>
      act(() => rooms.get(number)?.show(roomSnapshot(change))),
  };
}

const rows = () => screen.getAllByRole('listitem').map((row) => row.getAttribute('data-room'));
const talkToAll = () => within(screen.getByRole('region', { name: 'Canaux cochés' })).getByRole('button');
const pressKey = () => {
  fireEvent.keyDown(document.body, { code: 'Space' });
  fireEvent.keyUp(document.body, { code: 'Space' });
};

test('[ROOM51] a room that the address doesn’t name is left: the key talks to nothing that isn’t shown', () => {
  const { page, enterAlone, calls } = createBoard();
  enterAlone(1);
  render(page(2));
  pressKey();
  expect(calls(1)).not.toContain('press');
  expect(calls(2)).toEqual(expect.arrayContaining(['press', 'release']));
  expect(calls(1)).toContain('close');
  expect(rows()).toEqual(['Canal n° 2']);
});

test('[ROOM50] a room that the address names goes on, and after the page too, with its key', () => {
  const { page, enterAlone, calls, enteredRooms } = createBoard();
  const enteredRoom = enterAlone(1);
  const { unmount } = render(page(1, 2));
  pressKey();
  expect(
    calls(1)?.filter((call) => call === 'press'),
    'once',
  ).toHaveLength(1);
  unmount();
  expect(enteredRooms.all()).toEqual([enteredRoom]);
  expect(calls(1)).not.toContain('close');
  expect(calls(2)).toContain('close');
  pressKey();
  expect(calls(1)?.filter((call) => call === 'press')).toHaveLength(2);
});

test('[ROOM50] another address keeps the rooms that it names too, and whether they are ticked', () => {
  const { page, calls } = createBoard();
  const { rerender } = render(page(1, 2));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Parler aussi dans Canal n° 2' }));
  const before = { two: calls(2), length: calls(2)?.length };
  rerender(page(2, 3));
  expect(rows()).toEqual(['Canal n° 2', 'Canal n° 3']);
  expect(calls(1)).toContain('close');
  expect(calls(2), 'the same visit').toBe(before.two);
  expect(calls(2), 'and a talk in it goes on').toHaveLength(before.length as number);
  expect(screen.getByRole('checkbox', { name: 'Parler aussi dans Canal n° 2' })).not.toBeChecked();
  expect(talkToAll()).toHaveTextContent('Parler dans 1 canal coché');
});

test('[ROOM50] the last button stays when a box is ticked or not, and the key talks to none of the others', () => {
  const { page, calls } = createBoard();
  render(page(1, 2));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Parler aussi dans Canal n° 1' }));
  expect(talkToAll()).toHaveTextContent('Parler dans 1 canal coché');
  pressKey();
  expect(calls(1)).not.toContain('press');
  expect(calls(2)).toContain('press');
});

test('[ROOM50] a room that refuses, or that one is removed from, is neither ticked nor counted, and says which one it is', () => {
  const { page, calls, show } = createBoard();
  render(page(1, 2, 901, 902));
  expect(rows()).toEqual(['Canal n° 1', 'Canal n° 2', `Canal ${idOf(901)}`, `Canal ${idOf(902)}`]);
  expect(screen.getAllByRole('checkbox')).toHaveLength(2);
  expect(talkToAll()).toHaveTextContent('Parler dans 2 canaux cochés');
  pressKey();
  expect(calls(901)).not.toContain('press');
  show(2, { status: { state: 'closed', reason: 'removed' } });
  expect(screen.getAllByRole('checkbox')).toHaveLength(1);
  expect(talkToAll()).toHaveTextContent('Parler dans 1 canal coché');
});

test('[ROOM50] of an address that names too many channels the first are followed, and the page says so', async () => {
  const { page } = createBoard();
  const numbers = Array.from({ length: ROOMS_MAX + 10 }, (_, index) => index + 1);
  const { rerender } = render(page(...numbers));
  expect(rows()).toHaveLength(ROOMS_MAX);
  expect(screen.getByRole('alert')).toHaveTextContent('plus de 20 canaux : seuls les 20 premiers');
  rerender(page(...numbers.slice(0, ROOMS_MAX)));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('[ROOM60] the board says who talks and where to a screen reader, and what is the matter with the microphone', () => {
  const { page, show } = createBoard();
  render(page(1, 2));
  const channel = (number: number) => ({ ...roomSnapshot().channel, name: `Canal n° ${number}` }) as never;
  show(1, { channel: channel(1), status: { state: 'closed', reason: 'removed' } });
  show(2, { ...camilleTalks(), channel: channel(2), microphone: { state: 'unavailable', reason: 'refused' } });
  expect(document.querySelector('[data-voice-announcer]')).toHaveTextContent(/Canal n° 2.* : Camille parle\.$/u);
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(screen.getByRole('alert')).toHaveTextContent('Le micro est refusé à cette page.');
});

test('[ROOM61] the board has the settings: another microphone is chosen once, and all else holds in every room', async () => {
  const { page, calls, show, storage } = createBoard();
  render(page(1, 2));
  const user = userEvent.setup();
  show(1, { status: { state: 'closed', reason: 'removed' } });
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('combobox', { name: 'Micro' }));
  await user.click(await screen.findByRole('option', { name: 'Table' }));
  expect([...(calls(1) ?? []), ...(calls(2) ?? [])].filter((call) => call === 'microphone mic-2')).toHaveLength(1);
  expect(calls(2), 'no talk goes on under the settings [TALK66]').toContain('stop');
  await user.click(screen.getByRole('switch', { name: /^Signaux sonores/u }));
  expect(calls(2)).toContain('preferences false 200');
  expect(screen.queryByRole('switch', { name: /^Couper le son/u })).toBeNull();
  expect(readPreferences(storage)).toMatchObject({ microphoneId: 'mic-2', tones: false });
});

test('[ROOM61] another key is chosen on the board, which talks at once and is named under the button', async () => {
  const { page, calls } = createBoard();
  render(page(1, 2));
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await user.click(await screen.findByRole('button', { name: /^Changer/u }));
  fireEvent.keyDown(document.body, { code: 'KeyB', key: 'b' });
  expect(calls(1), 'a key that is being chosen talks to nobody').not.toContain('press');
  await user.keyboard('{Escape}');
  expect(screen.getByText('Touche B : canaux cochés')).toBeVisible();
  fireEvent.keyDown(document.body, { code: 'KeyB', key: 'b' });
  expect(calls(1)).toContain('press');
  expect(calls(2)).toContain('press');
});
