import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import {
  camilleTalks,
  createFakeRoomSession,
  fakeActions,
  people,
  roomSnapshot,
  roomSource,
} from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { RoomSnapshot } from './engine/types.ts';
import { VoiceAnnouncer } from './voice-announcer.tsx';
import { VoiceNotices } from './voice-notices.tsx';

function show(change: Partial<RoomSnapshot>, language: 'fr' | 'en' | 'de' = 'fr') {
  const fake = createFakeRoomSession(roomSnapshot(change));
  render(
    <WithVoiceWords language={language}>
      <VoiceNotices room={fake.room} actions={fakeActions(fake.room)} />
    </WithVoiceWords>,
  );
  return fake;
}

test.each([
  ['refused', 'Le micro est refusé à cette page.', 'This page may not use the microphone.'],
  ['missing', 'Aucun micro trouvé.', 'No microphone found.'],
  ['busy', 'Le micro est pris par une autre application.', 'Another application is using the microphone.'],
  ['unplugged', 'Le micro a été débranché.', 'The microphone was unplugged.'],
  ['muted', 'Le micro est coupé. Un appel téléphonique, le bouton du casque', 'The microphone is muted.'],
] as const)('a microphone that is %s: the reason, what still works, and another try', async (reason, fr, en) => {
  const fake = show({ microphone: { state: 'unavailable', reason } });
  expect(screen.getByRole('alert')).toHaveTextContent(fr);
  expect(screen.getByRole('alert')).toHaveTextContent('Vous entendez toujours les autres.');
  await userEvent.click(screen.getByRole('button', { name: 'Réessayer' }));
  expect(fake.calls).toEqual(['retry']);
  show({ microphone: { state: 'unavailable', reason } }, 'en');
  expect(screen.getByText(en)).toBeInTheDocument();
});

test('[TALK124] a loudspeaker that is gone: where sound comes from now, and how to get it back', () => {
  show({ isLoudspeakerGone: true });
  expect(screen.getByRole('alert')).toHaveTextContent('Le haut-parleur choisi n’est plus là.');
  expect(screen.getByRole('alert')).toHaveTextContent('choisissez-en un dans les réglages');
});

test('an insecure address offers no useless retry', () => {
  show({ microphone: { state: 'unavailable', reason: 'insecure' } });
  expect(screen.getByRole('alert')).toHaveTextContent('une adresse https');
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test('blocked sound is one touch away', async () => {
  const fake = show({ playback: 'blocked' });
  await userEvent.click(screen.getByRole('button', { name: 'Touchez pour entendre' }));
  expect(fake.calls).toEqual(['unlock']);
});

test('[TALK153] a lost link says that no talk can begin', () => {
  show({ status: { state: 'lost' } });
  expect(document.querySelector('[data-kind=lost]')).toHaveTextContent(
    'Liaison perdue, reconnexion… Vous ne pouvez pas prendre la parole.',
  );
});

test('[TALK101] a server that doesn’t answer: what may be missed, and another connection', () => {
  show({ status: { state: 'silent' } });
  expect(document.querySelector('[data-kind=lost]')).toHaveTextContent(
    'Le serveur ne répond plus. Ce qui se dit en ce moment peut vous échapper.',
  );
  expect(screen.getByRole('button', { name: 'Reconnecter' })).toBeInTheDocument();
});

test.each([
  ['fr', 1, 'Vous avez manqué 1 prise de parole. Qui parlait : Camille.'],
  ['fr', 2, 'Vous avez manqué 2 prises de parole. Qui parlait : Camille et Lin.'],
  ['en', 1, 'You missed 1 transmission. Who talked: Camille.'],
  ['en', 2, 'You missed 2 transmissions. Who talked: Camille and Lin.'],
  ['de', 1, 'Sie haben 1 Funkspruch verpasst. Wer sprach: Camille.'],
  ['de', 2, 'Sie haben 2 Funksprüche verpasst. Wer sprach: Camille und Lin.'],
] as const)('[TALK104] missed talks in %s, %i of them', (language, count, text) => {
  show({ missed: { count, names: ['Camille', 'Lin'].slice(0, count) } }, language);
  expect(screen.getByRole('alert')).toHaveTextContent(text);
});

test('[TALK104] many who talked are named in part, until it is understood', async () => {
  const fake = show({ missed: { count: 9, names: ['Ana', 'Bo', 'Cid', 'Dan', 'Eve'] } });
  expect(screen.getByRole('alert')).toHaveTextContent('Qui parlait : Ana, Bo, Cid et 2 autres.');
  await userEvent.click(screen.getByRole('button', { name: 'Compris' }));
  expect(fake.calls).toEqual(['dismiss']);
});

test('a large room says so', () => {
  show({ isLarge: true, participants: people(20) });
  expect(screen.getByText(/Ce salon est grand \(20 présents\)/)).toBeInTheDocument();
});

test('when all is well nothing is said', () => {
  show({});
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test.each([
  ['nobody talks', {}, ''],
  ['Camille talks', camilleTalks(), 'Camille parle'],
  ['I ask', { talk: { state: 'asking', since: 0, open: true, late: false } }, ''],
  [
    '[TALK83] nobody answers',
    { talk: { state: 'asking', since: 0, open: true, late: true } },
    'Le serveur ne répond pas\u00a0: on ne vous entend sans doute pas.',
  ],
  [
    '[TALK84] nobody heard it',
    { talk: { state: 'unheard' } },
    'Personne ne vous a entendu\u00a0: appuyez de nouveau et répétez.',
  ],
  [
    '[TALK84] nobody heard it, and the link is lost',
    { status: { state: 'lost' }, talk: { state: 'unheard' } },
    'Personne ne vous a entendu\u00a0: appuyez de nouveau et répétez.',
  ],
  ['I talk', { talk: { state: 'talking', since: 0, endsAt: 30_000 } }, 'Vous êtes à l’antenne'],
  [
    '[TALK122] my microphone delivers nothing',
    { talk: { state: 'talking', since: 0, endsAt: 30_000 }, isSoundless: true },
    'Aucun son du micro. Personne ne vous entend\u00a0: vérifiez le micro, ou choisissez-en un autre dans les réglages.',
  ],
  ['I wait', { talk: { state: 'queued', since: 0, position: 2, size: 2 } }, 'En file, position 2'],
  [
    'I was cut off',
    { talk: { state: 'revoked', reason: 'time_limit', byName: undefined } },
    'Parole coupée. Temps de parole écoulé. Relâchez, puis appuyez de nouveau.',
  ],
  ['[KEYS5] the link is lost, which the banner says', { status: { state: 'lost' } }, ''],
] satisfies [string, Partial<RoomSnapshot>, string][])('the live region when %s', (_, change, words) => {
  render(
    <WithVoiceWords>
      <VoiceAnnouncer room={roomSource(change)} />
    </WithVoiceWords>,
  );
  const region = screen.getByRole('status');
  expect(region).toHaveAttribute('aria-live', 'polite');
  expect(region.textContent).toBe(words);
});

test.each([
  ['fr', 'Vous pouvez finir de parler. Pour reprendre la parole, attendez le retour du serveur.'],
  ['en', 'You can finish what you are saying. You can’t start to talk again until the server is back.'],
  ['de', 'Sie können zu Ende sprechen. Erneut sprechen können Sie erst, wenn der Server wieder erreichbar ist.'],
] as const)(
  '[TALK163] who talks on without the server is told that the talk goes on, and what they can’t do: %s',
  (language, words) => {
    const lost = { status: { state: 'lost' } } as const;
    const { show: becomes } = show({ ...lost, talk: { state: 'talking', since: 0, endsAt: 30_000 } }, language);
    expect(screen.getByText(words)).toBeInTheDocument();
    act(() => becomes(roomSnapshot(lost)));
    expect(screen.queryByText(words)).toBeNull();
  },
);
