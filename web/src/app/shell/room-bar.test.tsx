import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { PositionSharing, SharingState } from '#src/features/positions/position-sharing.ts';
import { createEnteredRooms } from '#src/features/room/entered-rooms.ts';
import { EnteredRoomsProvider } from '#src/features/room/entered-rooms-context.tsx';
import type { Language } from '#src/shared/languages.ts';
import { camilleTalks, createFakeRoomSession, fakeEnteredRoom, roomSnapshot } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { RoomBarSlot } from './room-bar-slot.tsx';

/** A list with the bar below it, and the room's page. */
async function showList({ sharing, language = 'fr' }: { sharing?: PositionSharing; language?: Language } = {}) {
  const fake = createFakeRoomSession();
  const enteredRooms = createEnteredRooms();
  enteredRooms.enter('MaraudeNord', () => fakeEnteredRoom(fake.room, sharing));
  const root = createRootRoute({ component: RoomBarSlot });
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ['/channelsList'] }),
    routeTree: root.addChildren([
      createRoute({ getParentRoute: () => root, path: '/channelsList' }),
      createRoute({
        getParentRoute: () => root,
        path: '/groupCallView/$roomId',
        beforeLoad: ({ params }) => (params.roomId === 'slow' ? new Promise(() => undefined) : undefined),
      }),
      createRoute({
        getParentRoute: () => root,
        path: '/slow/$roomId',
        beforeLoad: () => new Promise(() => undefined),
      }),
    ]),
  });
  render(
    <WithVoiceWords language={language}>
      <EnteredRoomsProvider enteredRooms={enteredRooms}>
        <RouterProvider router={router as never} />
      </EnteredRoomsProvider>
    </WithVoiceWords>,
  );
  await screen.findByRole('region', { name: /Maraude Nord/ });
  return { ...fake, enteredRooms, router };
}

const bar = () => screen.queryByRole('region', { name: /Vous êtes dans le canal/ });

test('[TALK110] on another page the bar says who is there and who talks', async () => {
  const { show } = await showList();
  expect(bar()).toHaveTextContent('2 présents, à l’écoute');
  act(() => show(roomSnapshot(camilleTalks())));
  expect(screen.getByRole('button', { name: /Camille parle/ })).toHaveAttribute('data-state', 'busy');
});

test('[TALK125] the bar shows that one doesn’t hear who talks', async () => {
  const { show } = await showList();
  const { participants = [], ...talking } = camilleTalks();
  const silenced = participants.map((one) => ({ ...one, isSilenced: !one.isSelf }));
  act(() => show(roomSnapshot({ ...talking, participants: silenced })));
  expect(bar()).toHaveAttribute('data-soundless');
  expect(bar()).toHaveTextContent('Vous ne l’entendez pas');
  act(() => show(roomSnapshot({ ...talking, participants: silenced, isSoundOff: true })));
  expect(bar()).toHaveTextContent('Le son du canal est coupé.');
});

test('[TALK80] the bar’s button has another sign where one can’t talk, or isn’t heard', async () => {
  const { show } = await showList();
  const sign = () => bar()?.querySelector('[data-talk-button] svg')?.innerHTML;
  const idle = sign();
  act(() => show(roomSnapshot({ microphone: { state: 'unavailable', reason: 'muted' } })));
  expect(screen.getByRole('button', { name: 'Micro coupé' })).toBeVisible();
  expect(sign()).not.toBe(idle);
  act(() => show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 30_000 } })));
  const talking = sign();
  act(() => show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 30_000 }, isSoundless: true })));
  expect(sign()).not.toBe(talking);
});

test('[TALK110] its name leads back, and on the room’s own page there is no bar', async () => {
  const { router } = await showList();
  await userEvent.click(screen.getByRole('link', { name: 'Maraude Nord' }));
  expect(router.state.location.pathname).toBe('/groupCallView/MaraudeNord');
  await expect.poll(bar).toBeNull();
});

test('[TALK110] the room’s own page is the same by an address in any letter case', async () => {
  const { router } = await showList();
  await act(() => router.navigate({ href: '/groupcallview/MaraudeNord/' }));
  await expect.poll(bar).toBeNull();
});

test('[TALK164] while the way to a room’s page waits for its sound there is no bar, and a way that leads elsewhere brings it back', async () => {
  const { router } = await showList();
  act(() => void router.navigate({ to: '/slow/$roomId', params: { roomId: 'x' } } as never));
  expect(bar(), 'any other page').not.toBeNull();
  act(() => void router.navigate({ to: '/groupCallView/$roomId', params: { roomId: 'slow' } } as never));
  await expect.poll(bar).toBeNull();
  await act(() => router.navigate({ to: '/channelsList' } as never));
  expect(bar()).not.toBeNull();
});

test('[TALK110] leaving is an act', async () => {
  const { calls, enteredRooms } = await showList();
  await userEvent.click(screen.getByRole('button', { name: 'Quitter' }));
  expect(calls).toContain('close');
  expect(enteredRooms.getSnapshot()).toBeUndefined();
  expect(bar()).toBeNull();
});

test('[POS30] [ROOM10] that the position is shared is said in the bar, with the switch that ends it', async () => {
  let state: SharingState = { state: 'on', isPending: false };
  const listeners = new Set<() => void>();
  const sharing: PositionSharing = {
    getSnapshot: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => undefined,
    stop() {
      state = { state: 'off' };
      for (const listener of listeners) listener();
    },
  };
  const { show } = await showList({ sharing });
  expect(bar()).toHaveTextContent('Votre position est partagée');
  act(() => show(roomSnapshot({ status: { state: 'lost' } })));
  const toggle = screen.getByRole('switch', { name: 'Partager ma position' });
  expect(toggle).toBeChecked();
  await userEvent.click(toggle);
  expect(bar()).not.toHaveTextContent('Votre position');
  expect(screen.queryByRole('switch')).toBeNull();
});

test('what ended the stay is said until it was read', async () => {
  const { show } = await showList();
  act(() => show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } })));
  expect(bar()).toHaveTextContent('Vous avez été retiré de ce canal');
  expect(screen.queryByRole('button', { name: /Appuyez/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Fermer' }));
  expect(bar()).toBeNull();
});

test('[TALK104] [KEYS9] which talks were missed is said in the bar too, once, until it is understood', async () => {
  const { show, calls } = await showList();
  act(() => show(roomSnapshot({ missed: { count: 2, names: ['Camille', 'Lin'] } })));
  expect(bar()).toHaveTextContent('Vous avez manqué 2 prises de parole. Qui parlait : Camille et Lin.');
  const said = [...document.querySelectorAll('[role=status], [role=alert], [aria-live]')].map((one) => one.textContent);
  expect(said.filter((text) => text?.includes('manqué'))).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Compris' }));
  expect(calls).toEqual(['dismiss']);
  act(() => show(roomSnapshot()));
  expect(bar()).not.toHaveTextContent('manqué');
});

test.each([
  ['fr', 'Vous avez manqué 1 prise de parole. Qui parlait : Camille.'],
  ['en', 'You missed 1 transmission. Who talked: Camille.'],
  ['de', 'Sie haben 1 Funkspruch verpasst. Wer sprach: Camille.'],
] as const)('[TALK104] the bar says what was missed in %s', async (language, text) => {
  const { show } = await showList({ language });
  act(() => show(roomSnapshot({ missed: { count: 1, names: ['Camille'] } })));
  expect(screen.getByRole('alert')).toHaveTextContent(text);
});

test('[TALK104] of a stay that is over the bar says why, and nothing that was missed', async () => {
  const { show } = await showList();
  const missed = { count: 1, names: ['Camille'] };
  act(() => show(roomSnapshot({ missed, status: { state: 'closed', reason: 'removed' } })));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('[ROOM26] what a lost link takes from who is in a room, and a talk that was cut, are told in the bar', async () => {
  const { show } = await showList();
  act(() => show(roomSnapshot({ status: { state: 'lost' } })));
  expect(bar()).toHaveTextContent('Vous ne pouvez pas prendre la parole.');
  const talking = { state: 'talking', since: 0, endsAt: 30_000 } as const;
  act(() => show(roomSnapshot({ status: { state: 'lost' }, talk: talking })));
  expect(bar()).toHaveTextContent('Sans serveur : vous pouvez continuer.');
  act(() => show(roomSnapshot({ talk: { state: 'revoked', reason: 'time_limit' } as never })));
  expect(bar()).toHaveTextContent('Temps de parole écoulé.');
});
