import { cleanup, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { camilleTalks, createFakeRoomSession, fakeActions, roomSnapshot } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { TalkButton } from './button/talk-button.tsx';
import type { RoomSnapshot } from './engine/types.ts';
import { DEFAULT_TALK_KEY } from './talk-key.ts';
import { RoomsAnnouncer, VoiceAnnouncer } from './voice-announcer.tsx';
import { VoiceNotices } from './voice-notices.tsx';

/** Removes the characters that isolate names of another direction. */
const withoutMarks = (part: Element | null) =>
  part?.textContent?.replaceAll(/[\u2066-\u2069]/gu, '').replaceAll('\u00a0', ' ');

/** The texts that a screen reader speaks about a room's voice, in page order. */
function said(change: Partial<RoomSnapshot>): (string | null)[] {
  const { room } = createFakeRoomSession(roomSnapshot(change));
  const actions = fakeActions(room);
  render(
    <WithVoiceWords>
      <VoiceNotices room={room} actions={actions} />
      <TalkButton room={room} actions={actions} talkKey={DEFAULT_TALK_KEY} hasTiles />
      <VoiceAnnouncer room={room} />
    </WithVoiceWords>,
  );
  return [...document.querySelectorAll('[role=status], [role=alert], [aria-live]')]
    .map((region) => region.textContent)
    .filter((text) => text !== '');
}

test('[TALK153] a talk that goes on without the server is said with that', () => {
  const talk = { state: 'talking', since: 0, endsAt: 30_000 } as const;
  expect(said({ status: { state: 'lost' }, talk })).toEqual([
    expect.stringMatching(/^Vous êtes.*Serveur injoignable/u),
  ]);
});

test.each<[string, Partial<RoomSnapshot>, RegExp]>([
  [
    'somebody else talks',
    { ...camilleTalks(), talk: { state: 'denied', reason: 'taken', talkerName: 'Camille' } },
    /^Parole refusée\. .*Camille/u,
  ],
  ['no answer came', { talk: { state: 'denied', reason: 'unanswered', talkerName: undefined } }, /^Parole refusée\. /u],
  ['the link went', { talk: { state: 'denied', reason: 'link', talkerName: undefined } }, /^Parole refusée\. /u],
])('[KEYS9] a press that is refused is said once, with why: %s', (_, change, words) => {
  const sentences = said(change);
  expect(sentences).toHaveLength(1);
  expect(sentences[0]).toMatch(words);
});

test('[KEYS9] a press without a microphone adds one sentence to the notice that stands', () => {
  const microphone = { state: 'unavailable', reason: 'refused' } as const;
  const before = said({ microphone });
  cleanup();
  const after = said({ microphone, talk: { state: 'denied', reason: 'microphone', talkerName: undefined } });
  expect(before).toHaveLength(1);
  expect(after).toEqual([before[0], expect.stringMatching(/^Parole refusée\. .*micro/u)]);
});

test('[KEYS9] who talks is said once', () => {
  expect(said(camilleTalks())).toEqual(['Camille parle']);
});

test('[ROOM60] of several rooms that is said which it is, and once what holds for some of them', () => {
  const talk = { state: 'talking', since: 0, endsAt: 30_000 } as const;
  const named = (name: string) => ({ channel: { ...roomSnapshot().channel, name } }) as Partial<RoomSnapshot>;
  const rooms = [
    { ...named('Nord'), talk },
    { ...named('Sud'), ...camilleTalks() },
    { ...named('Est'), talk },
    named('Ouest'),
  ].map((change) => createFakeRoomSession(roomSnapshot(change)).room);
  render(
    <WithVoiceWords>
      <RoomsAnnouncer rooms={rooms} />
    </WithVoiceWords>,
  );
  expect(withoutMarks(document.querySelector('[role=status]'))).toBe(
    'Nord et Est : Vous êtes à l’antenne. Sud : Camille parle.',
  );
});
