import { act, render, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  camilleTalks,
  createFakeRoomSession,
  fakeActions,
  people,
  roomSnapshot,
  roomSource,
} from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { RoomSnapshot, TalkState } from '../engine/types.ts';
import { DEFAULT_TALK_KEY } from '../talk-key.ts';
import { TalkButton } from './talk-button.tsx';

function show(change: Partial<RoomSnapshot>, language: 'fr' | 'en' | 'de' = 'fr', hasTiles = true) {
  return render(
    <WithVoiceWords language={language}>
      <TalkButton room={roomSource(change)} actions={fakeActions()} talkKey={DEFAULT_TALK_KEY} hasTiles={hasTiles} />
    </WithVoiceWords>,
  );
}

const talk = (state: TalkState): Partial<RoomSnapshot> => ({ talk: state });

const FACES: [name: string, change: Partial<RoomSnapshot>, isPressed: boolean, fr: string, en: string][] = [
  ['idle', {}, false, 'Appuyez pour parler', 'Press to talk'],
  ['joining', { status: { state: 'joining' } }, false, 'Entrée dans le canal…', 'Entering the channel…'],
  [
    'asking',
    talk({ state: 'asking', since: 0, open: true, late: false }),
    true,
    'Demande de parole…',
    'Asking to talk…',
  ],
  ['late', talk({ state: 'asking', since: 0, open: true, late: true }), true, 'Pas de réponse…', 'No answer…'],
  ['unheard', talk({ state: 'unheard' }), false, 'Parole non entendue', 'Not heard'],
  ['ending', talk({ state: 'ending', since: 0 }), false, 'Fin d’émission…', 'Closing…'],
  ['busy', camilleTalks(), false, 'Occupé : Camille parle', 'Busy: Camille is talking'],
  [
    'queued',
    { ...camilleTalks(), ...talk({ state: 'queued', since: 0, position: 2, size: 3 }) },
    true,
    'En file, position 2',
    'In line, position 2',
  ],
  [
    'denied',
    { ...camilleTalks(), ...talk({ state: 'denied', reason: 'taken', talkerName: 'Camille' }) },
    true,
    'Parole refusée',
    'Request denied',
  ],
  ['revoked', talk({ state: 'revoked', reason: 'time_limit', byName: undefined }), true, 'Parole coupée', 'Cut off'],
  [
    'no_microphone',
    { microphone: { state: 'unavailable', reason: 'missing' } },
    false,
    'Pas de micro',
    'No microphone',
  ],
  [
    'no_microphone',
    { microphone: { state: 'unavailable', reason: 'muted' } },
    false,
    'Micro coupé',
    'Microphone muted',
  ],
  ['no_link', { status: { state: 'lost' } }, false, 'Pas de liaison', 'No connection'],
  ['no_link', { ...camilleTalks(), status: { state: 'silent' } }, false, 'Pas de liaison', 'No connection'],
];

describe.each(FACES)('the talk button when %s', (name, change, isPressed, fr, en) => {
  test.each([
    ['fr', fr],
    ['en', en],
  ] as const)('[TALK80] says so in %s, with its own shape', (language, words) => {
    show(change, language);
    const button = screen.getByRole('button', { name: (shown) => shown.includes(words.replace(' :', '\u00a0:')) });
    expect(button).toHaveAttribute('data-state', name);
    expect(button).toHaveAttribute('aria-pressed', String(isPressed));
  });
});

test('[TALK153] a talk that goes on without the server says so', () => {
  show({
    status: { state: 'lost' },
    ...talk({ state: 'talking', since: performance.now(), endsAt: performance.now() + 30_000 }),
  });
  expect(screen.getByRole('button')).toHaveAttribute('data-state', 'talking');
  expect(screen.getByText(/^Serveur injoignable\. Vous pouvez continuer/u)).toBeVisible();
});

test('[TALK125] it says that one doesn’t hear who talks, and is hollow, where one silenced them or the room', () => {
  const { participants = [], ...talking } = camilleTalks();
  show({ ...talking, participants: participants.map((one) => ({ ...one, isSilenced: !one.isSelf })) });
  const button = screen.getByRole('button', { name: /Occupé/u });
  expect(button).toHaveAccessibleDescription(/Vous ne l’entendez pas/u);
  expect(button.closest('[data-soundless]')).not.toBeNull();
});

test('on the air it counts the last seconds down', () => {
  const now = 50_000;
  vi.spyOn(performance, 'now').mockReturnValue(now);
  show(talk({ state: 'talking', since: now - 27_000, endsAt: now + 3_000 }));
  const button = screen.getByRole('button', { name: 'Vous êtes à l’antenne' });
  expect(button).toHaveTextContent('3');
  expect(button).toHaveAccessibleDescription(/Plus que 3 secondes/);
  expect(button).toHaveAttribute('aria-pressed', 'true');
});

test('of a talk that ended in its last seconds no number stays, also in the next', () => {
  vi.spyOn(performance, 'now').mockReturnValue(50_000);
  const talking = (endsAt: number) => roomSnapshot(talk({ state: 'talking', since: endsAt - 30_000, endsAt }));
  const fake = createFakeRoomSession(talking(52_000));
  render(
    <WithVoiceWords>
      <TalkButton room={fake.room} actions={fakeActions()} talkKey={DEFAULT_TALK_KEY} hasTiles />
    </WithVoiceWords>,
  );
  const isCounting = () => document.querySelector('[data-warning]') !== null;
  expect(isCounting()).toBe(true);
  act(() => fake.show(roomSnapshot()));
  expect(isCounting()).toBe(false);
  expect(screen.getByRole('button')).not.toHaveTextContent('2');
  act(() => fake.show(talking(80_000)));
  expect(isCounting()).toBe(false);
});

test('on the air with time left it shows no countdown', () => {
  const now = 50_000;
  vi.spyOn(performance, 'now').mockReturnValue(now);
  show(talk({ state: 'talking', since: now, endsAt: now + 30_000 }), 'en');
  expect(screen.getByRole('button', { name: 'You are on the air' })).toHaveAccessibleDescription(
    /Let go when you are done\./,
  );
});

test('it is described by the talk key, unless pressing is no use', () => {
  const { unmount } = show({});
  expect(screen.getByRole('button')).toHaveAccessibleDescription(/Maintenez Espace/);
  unmount();
  show({ status: { state: 'lost' } });
  expect(screen.getByRole('button')).toHaveAccessibleDescription('Reconnexion en cours…');
});

test.each([
  ['fr', 'Aucun son du micro', /^Personne ne vous entend\u00a0: vérifiez le micro/],
  ['en', 'No sound from your microphone', /^Nobody hears you: check the microphone/],
  ['de', 'Kein Ton vom Mikrofon', /^Niemand hört Sie: Prüfen Sie das Mikrofon/],
] as const)('[TALK122] on the air without a sound it says in %s that nobody hears', (language, title, detail) => {
  const now = 50_000;
  vi.spyOn(performance, 'now').mockReturnValue(now);
  show({ talk: { state: 'talking', since: now, endsAt: now + 2_000 }, isSoundless: true }, language);
  const button = screen.getByRole('button', { name: title });
  expect(button, 'also in the last seconds').toHaveAccessibleDescription(detail);
  expect(button).toHaveAttribute('data-state', 'talking');
  expect(button).toHaveAttribute('aria-pressed', 'true');
});

test.each([
  ['fr', 'Réactivez-le sur le casque ou dans le système.'],
  ['en', 'Turn it back on at the headset or in the system.'],
  ['de', 'Schalten Sie es am Headset oder im System wieder ein.'],
] as const)('[TALK121] a muted microphone says in %s how to get it back', (language, words) => {
  show({ microphone: { state: 'unavailable', reason: 'muted' } }, language);
  expect(screen.getByRole('button')).toHaveAccessibleDescription(words);
});

test.each([
  ['preempted', 'Sam', 'Sam est prioritaire et a pris la parole.'],
  ['preempted', undefined, 'Une personne prioritaire a pris la parole.'],
  ['time_limit', undefined, 'Temps de parole écoulé. Relâchez, puis appuyez de nouveau.'],
  ['link', undefined, 'La liaison est perdue : on ne vous entend plus.'],
] as const)('a talk cut off by %s (%s) says why', (reason, byName, why) => {
  show(talk({ state: 'revoked', reason, byName }));
  expect(screen.getByText(why)).toBeInTheDocument();
});

test.each([
  ['taken', 'Camille parle. Relâchez, puis réessayez.'],
  ['queue_full', 'La file d’attente est pleine. Relâchez, puis réessayez.'],
  ['microphone', 'Le micro n’est pas disponible : voyez le message ci-dessus.'],
  ['link', 'Le serveur ne répond pas. Relâchez, puis réessayez.'],
  ['unanswered', 'Le serveur ne répond pas : personne ne vous a entendu. Relâchez, puis réessayez.'],
] as const)('a press denied for %s says why', (reason, why) => {
  show(talk({ state: 'denied', reason, talkerName: reason === 'taken' ? 'Camille' : undefined }));
  expect(screen.getByText(why)).toBeInTheDocument();
});

test.each([
  [1, 'Gardez le bouton appuyé : ce sera à vous.'],
  [2, 'Gardez le bouton appuyé : 1 personne avant vous.'],
  [4, 'Gardez le bouton appuyé : 3 personnes avant vous.'],
])('in line at position %i it says how many come first', (position, words) => {
  show(talk({ state: 'queued', since: 0, position, size: 9 }));
  expect(screen.getByText(words)).toBeInTheDocument();
});

test('[ROOM26] alone in the room it says that nobody will hear, where no tile does', () => {
  show({ participants: people(1) }, 'fr', false);
  expect(screen.getByText(/on ne vous entendra pas encore/)).toBeInTheDocument();
});

test('who has priority is told that a press takes over, not that it queues', async () => {
  const talks = camilleTalks();
  show({ ...talks, talkers: talks.talkers?.map((one) => ({ ...one, givesWay: true })) ?? [] });
  expect(await screen.findByText('Appuyez pour prendre la parole : vous êtes prioritaire.')).toBeInTheDocument();
});

test('in an open channel a talker does not make it busy', () => {
  const channel = roomSnapshot().channel;
  show({ ...camilleTalks(), channel: channel && { ...channel, talkMode: 'open' } });
  expect(screen.getByRole('button', { name: 'Appuyez pour parler' })).toHaveAccessibleDescription(
    /Camille parle en ce moment/,
  );
});
