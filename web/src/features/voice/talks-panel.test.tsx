import { render, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { person, roomSource } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { RecentTalk } from './engine/types.ts';
import { TalksPanel } from './talks-panel.tsx';

const talkOf = (number: number, name: string, change: Partial<RecentTalk>): RecentTalk => ({
  userId: person(number).userId,
  name,
  beganAt: new Date(2026, 10, 26, 4, 0, number).getTime(),
  endedAt: new Date(2026, 10, 26, 4, 0, number + 5).getTime(),
  talkMs: 5_000,
  talks: 1,
  hearing: 'heard',
  ...change,
});
const TALKS = [
  talkOf(4, 'Camille', { hearing: 'missed' }),
  talkOf(3, 'Karim', { talks: 3, talkMs: 65_000 }),
  talkOf(2, 'Moi', { hearing: 'own' }),
  talkOf(1, 'Nadia', { hearing: 'before' }),
];

test.each([
  ['fr', 'Dernières prises de parole', 'Manqué', 'Entendu · 3 prises de parole', 'Vous', 'Avant votre arrivée'],
  ['en', 'Last transmissions', 'Missed', 'Heard · 3 transmissions', 'You', 'Before you came'],
  ['de', 'Letzte Funksprüche', 'Verpasst', 'Gehört · 3 Funksprüche', 'Sie', 'Vor Ihrer Ankunft'],
] as const)(
  '[TALK130] [TALK131] each talk says who, when, how long, and whether one heard it (%s)',
  async (language, title, ...words) => {
    render(
      <WithVoiceWords language={language}>
        <TalksPanel room={roomSource({ recentTalks: TALKS })} />
      </WithVoiceWords>,
    );
    const list = within(await screen.findByRole('list', { name: title }));
    const rows = list.getAllByRole('listitem');
    expect(rows.map((row) => within(row).getByText(/^[A-Z]\w+$/u, { selector: 'bdi' }).textContent)).toEqual([
      ...['Camille', 'Karim', 'Moi', 'Nadia'],
    ]);
    for (const [index, word] of words.entries()) expect(rows[index]).toHaveTextContent(word);
    expect(rows[0]).toHaveTextContent(/04:00:09/u);
    expect(rows[1]).toHaveTextContent(/1\smin\.? 5\ss/iu);
  },
);

test('[TALK130] where nobody has talked yet the panel says so', async () => {
  render(
    <WithVoiceWords>
      <TalksPanel room={roomSource()} />
    </WithVoiceWords>,
  );
  expect(await screen.findByText('Personne n’a encore parlé dans ce canal.')).toBeVisible();
});
