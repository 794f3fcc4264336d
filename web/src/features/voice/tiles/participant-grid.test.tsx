import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { createFakeRoomSession, people, person, roomSnapshot } from '#test/fake-room-session.ts';
import { openRoom, participantOf } from '#test/voice-bench.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { RoomParticipant, RoomSnapshot } from '../engine/types.ts';
import { createLevelMeter } from '../level-meter.ts';
import { gridLayout, ParticipantGrid } from './participant-grid.tsx';

function show(
  change: Partial<RoomSnapshot>,
  language: 'fr' | 'en' = 'fr',
  onVolume: (userId: string, volume: number) => void = () => undefined,
) {
  const fake = createFakeRoomSession(roomSnapshot(change));
  render(
    <WithVoiceWords language={language}>
      <ParticipantGrid room={fake.room} levels={createLevelMeter(() => 0)} onVolume={onVolume} />
    </WithVoiceWords>,
  );
  return { again: (next: Partial<RoomSnapshot>) => act(() => fake.show(roomSnapshot(next))) };
}

test.each([
  [1, 'one'],
  [2, 'few'],
  [4, 'few'],
  [5, 'six'],
  [6, 'six'],
  [7, 'eight'],
  [8, 'eight'],
  [9, 'thirteen'],
  [13, 'thirteen'],
  [14, 'crowd'],
])('%i people are laid out as %s', (count, layout) => {
  expect(gridLayout(count)).toBe(layout);
  show({ participants: people(count) });
  expect(screen.getByRole('list')).toHaveAttribute('data-layout', layout);
  expect(screen.getAllByRole('listitem')).toHaveLength(count);
});

test('alone, it waits for the others and says that nobody hears yet', () => {
  show({ participants: people(1) });
  expect(screen.getByText('En attente des autres…')).toBeInTheDocument();
  expect(screen.getByText('Pour l’instant, personne ne peut vous entendre.')).toBeInTheDocument();
});

test('with somebody else it does not wait', () => {
  show({ participants: people(2) }, 'en');
  expect(screen.queryByText('Waiting for users')).not.toBeInTheDocument();
});

test('nothing changes place when somebody talks', () => {
  const { again } = show({ participants: people(5) });
  const names = () => screen.getAllByRole('listitem').map((tile) => tile.querySelector('[dir=auto]')?.textContent);
  const before = names();
  again({ participants: people(5).map((one, index) => ({ ...one, isTalking: index === 4 })) });
  expect(names()).toEqual(before);
});

const STATES: [change: Partial<RoomParticipant>, fr: string, en: string][] = [
  [{}, 'À l’écoute', 'Listening'],
  [{ isTalking: true }, 'Parle', 'Talking'],
  [{ isTalking: true, media: 'failed' }, 'Parle, son non reçu', 'Talking, no sound received'],
  [{ isTalking: true, volume: 0 }, 'Parle, coupé par vous', 'Talking, muted by you'],
  [{ queuePosition: 3 }, 'En file, n° 3', 'In line, no. 3'],
  [{ media: 'connecting' }, 'Connexion…', 'Connecting…'],
  [{ media: 'interrupted' }, 'Son interrompu…', 'Sound interrupted…'],
  [{ media: 'failed' }, 'Injoignable', 'Unreachable'],
  [{ isSelf: true, media: 'self', isTalking: true }, 'À l’antenne', 'On the air'],
];

test('[PRES27] the tile of somebody whose beats stay away says that they can’t be reached', async () => {
  const { room, signalling, network } = await openRoom({ others: ['bob'] });
  for (const one of network.connections) one.become('connected');
  const { again } = show(room.getSnapshot(), 'en');
  const tile = () => screen.getByText('bob').closest('li');
  expect(tile()).toHaveTextContent('Listening');
  signalling.emit('participant_changed', { ...participantOf('bob'), silent: true });
  again(room.getSnapshot());
  expect(tile()).toHaveTextContent('Unreachable');
  signalling.emit('participant_changed', participantOf('bob'));
  again(room.getSnapshot());
  expect(tile()).toHaveTextContent('Listening');
  room.close();
});

test.each(STATES)('a tile says what one does in words (%o)', (change, fr, en) => {
  for (const [language, words] of [
    ['fr', fr],
    ['en', en],
  ] as const) {
    show({ participants: [person(7, { name: language, ...change })] }, language);
    const tile = screen.getByText(language).closest('li');
    expect(tile && within(tile).getByText(words)).toBeInTheDocument();
  }
});

test('[TALK56] each other person has a volume, down to silence; oneself has none', async () => {
  const set: string[] = [];
  show({}, 'fr', (userId, volume) => set.push(`${userId === person(1).userId} ${volume}`));
  expect(screen.getAllByRole('button')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Volume de Camille' }));
  expect(await screen.findByRole('slider')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('switch', { name: /^Couper le son/ }));
  expect(set).toEqual(['true 0']);
});

test('[TALK56] where the browser knows no volume but full and none, nothing else is offered', async () => {
  show({ canSetVolume: false });
  await userEvent.click(screen.getByRole('button', { name: 'Volume de Camille' }));
  expect(await screen.findByRole('switch', { name: /^Couper le son/ })).toBeInTheDocument();
  expect(screen.queryByRole('slider')).toBeNull();
});

test("one's own tile says so", () => {
  show({});
  const [mine, other] = screen.getAllByRole('listitem');
  expect(mine).toHaveTextContent('Vous');
  expect(other).not.toHaveTextContent('Vous');
});

test('while joining, places are held and nobody is shown', () => {
  show({ status: { state: 'joining' }, participants: [] });
  expect(screen.getByRole('status', { name: 'Entrée dans le canal…' })).toBeInTheDocument();
});
