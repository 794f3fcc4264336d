import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { people, person, roomSource } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { RoomParticipant } from '../engine/types.ts';
import { TalkerStrip } from './talker-strip.tsx';

function show(participants: readonly RoomParticipant[]) {
  const view = render(
    <WithVoiceWords>
      <TalkerStrip room={roomSource({ participants })} />
    </WithVoiceWords>,
  );
  return () => view.container.querySelector('[data-strip]');
}

const self = (change: Partial<RoomParticipant> = {}) => person(0, { isSelf: true, media: 'self', ...change });

test('[ROOM2] who waits is named in the order of the queue, oneself among them', () => {
  const strip = show([
    self({ queuePosition: 2 }),
    person(1, { name: 'Camille', queuePosition: 3 }),
    person(2, { name: 'Nadia', isTalking: true }),
    person(3, { name: 'Léa', queuePosition: 1 }),
    person(4, { name: 'Max' }),
  ]);
  expect(strip()).toHaveAttribute('data-strip', 'receive');
  expect(screen.getByText('Nadia parle')).toBeInTheDocument();
  expect(strip()).toHaveTextContent(/En file : Léa, vous et Camille$/u);
  expect(strip()).not.toHaveTextContent('Max');
});

test('[ROOM2] several talk at once in an open channel, each is named; a guest as one', () => {
  const strip = show([
    self(),
    person(1, { name: 'Camille', isTalking: true }),
    person(2, { name: 'Max', isTalking: true, guest: { name: 'Max', link: 'Renfort' } }),
  ]);
  expect(strip()).toHaveTextContent(/Camille et Max \(accès invité\) parlent$/u);
});

test('[ROOM2] whoever talks reads that they are on the air; where nobody waits there is no queue', () => {
  const strip = show([self({ isTalking: true }), person(1, { isTalking: true })]);
  expect(strip()).toHaveAttribute('data-strip', 'transmit');
  expect(strip()).not.toHaveTextContent('En file');
});

test('[ROOM2] nobody talks: the strip says so', () => {
  const strip = show(people(2));
  expect(strip()).toHaveAttribute('data-strip', 'idle');
  expect(strip()).toHaveTextContent('Personne ne parle');
});
