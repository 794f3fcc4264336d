import { signUpUser } from '@pressel/contract/auth';
import { MESSAGE_MAX_LENGTH } from '@pressel/contract/limits';
import { roomKey } from '@pressel/contract/text';
import { expect, test } from 'vitest';
import { pastWeek } from './history.ts';
import { PICTURES, paint } from './pictures.ts';
import { createRandom } from './random.ts';
import { metresBetween, pointAt } from './routes.ts';
import { ADMINISTRATOR, CHANNELS, membersOf, PEOPLE, VOICED_CHANNELS, VOICES_PER_CHANNEL } from './team.ts';
import { captionFor, lineFor } from './words.ts';

const NOW = Date.UTC(2026, 10, 22, 16, 30);
const everybody = [ADMINISTRATOR, ...PEOPLE];
/** Every text that the demo may write, as far as a few thousand tries find them. */
const texts = (): string[] => {
  const random = createRandom(1);
  const at = new Date(NOW);
  const lines = [...CHANNELS.keys()].flatMap((channel) => [
    ...Array.from({ length: 200 }, () => lineFor(channel, at, random)),
    ...PICTURES.flatMap((picture) => Array.from({ length: 20 }, () => captionFor(picture, channel, at, random))),
  ]);
  return [...new Set(lines)];
};

test('forty members and an administrator, whom nobody confuses', () => {
  expect(PEOPLE).toHaveLength(40);
  for (const of of [
    ({ login }: (typeof everybody)[number]) => login,
    ({ firstName, lastName }: (typeof everybody)[number]) => `${firstName} ${lastName}`,
    ({ phoneNumber }: (typeof everybody)[number]) => phoneNumber,
  ])
    expect(new Set(everybody.map(of)).size).toBe(41);
  const callSigns = PEOPLE.map(({ pseudo }) => pseudo).filter((pseudo) => pseudo !== '');
  expect(new Set(callSigns).size).toBe(callSigns.length);
});

test('nobody can be reached: addresses of example.org, and numbers that are kept for fiction', () => {
  for (const { login, phoneNumber } of everybody) {
    expect(login).toMatch(/^[a-z]+\.[a-z]+@example\.org$/u);
    expect(phoneNumber).toMatch(/^06 39 98(?: \d\d){2}$/u);
  }
});

test('the product would take each of them as a new user', () => {
  for (const { login, ...person } of everybody) {
    const account = { ...person, email: login, phone_number: person.phoneNumber, password: 'loire' };
    expect(signUpUser.body.safeParse(account).error).toBeUndefined();
  }
});

test('eight channels with keys of their own; everybody is in one, and enough for the voices in each that has some', () => {
  expect(new Set(CHANNELS.map(({ name }) => roomKey(name))).size).toBe(8);
  for (const { channels } of PEOPLE) {
    expect(channels.length).toBeGreaterThan(0);
    for (const channel of channels) expect([...CHANNELS.keys()]).toContain(channel);
    expect(new Set(channels).size).toBe(channels.length);
  }
  for (const channel of VOICED_CHANNELS) expect(membersOf(channel).length).toBeGreaterThan(2 * VOICES_PER_CHANNEL);
});

test('what they write is French as it is printed, and short enough', () => {
  const all = [...texts(), ...CHANNELS.map(({ name }) => name), ...PEOPLE.map(({ pseudo }) => pseudo)];
  for (const text of all) {
    expect(text).not.toMatch(/[^\u00a0]:/u);
    expect(text).not.toMatch(/[^\u202f][?!;]/u);
    expect(text).not.toMatch(/«[^\u00a0]|[^\u00a0]»/u);
    expect(text).not.toMatch(/['{}"]| {2}|\d\.\d|\bde le\b|\bundefined\b/u);
    expect(text.length).toBeLessThan(MESSAGE_MAX_LENGTH);
  }
  expect(all.some((text) => text.includes('\u202f?'))).toBe(true);
  expect(all.some((text) => text.includes('\u00a0:'))).toBe(true);
});

test('what was read or has begun is told of the hour that came, what is planned of the next one', () => {
  const at = new Date(2026, 10, 24, 21, 21);
  const random = createRandom(8);
  const told = Array.from({ length: 400 }, (_, index) => [
    lineFor(index % CHANNELS.length, at, random),
    captionFor('gauge', index % CHANNELS.length, at, random),
  ]).flat();
  const over = told.filter(
    (text) => /L’échelle|Relevé|depuis|cotes|situation/u.test(text) && /\d\u00a0h\b/u.test(text),
  );
  expect(over.length).toBeGreaterThan(20);
  for (const text of over) expect(text).toContain('21\u00a0h');
  const ahead = told.filter((text) => /repas|avant|Relève/u.test(text) && /\d\u00a0h\b/u.test(text));
  expect(ahead.length).toBeGreaterThan(5);
  for (const text of ahead) expect(text).toContain('22\u00a0h');
  expect(told.join('\n')).not.toMatch(/pied vers/u);
});

test('the week before is in the order of time, over before now, and of members in their own channels', () => {
  const week = pastWeek(NOW, createRandom(7));
  expect(week.map(({ at }) => at)).toEqual(week.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(Math.max(...week.map(({ at }) => at))).toBeLessThan(NOW);
  expect(Math.min(...week.map(({ at }) => at))).toBeGreaterThan(NOW - 7 * 86_400_000);
  for (const act of week) if ('channel' in act) expect(PEOPLE[act.who]?.channels).toContain(act.channel);
  const messages = week.filter((act) => act.type === 'message');
  for (const channel of CHANNELS.keys())
    expect(messages.filter((act) => act.channel === channel).length).toBeGreaterThan(5);
  expect(messages.some(({ picture }) => picture !== null)).toBe(true);
  expect(pastWeek(NOW, createRandom(7))).toEqual(week);
});

test('who moves goes on where they were a moment ago, at their speed, and turns at the end', () => {
  for (const { course } of PEOPLE) {
    for (const at of [-3_600_000, -1_000, 0, 5_000, 3_600_000, 86_400_000]) {
      const [from, to] = [pointAt(course, at), pointAt(course, at + 1_000)];
      expect(metresBetween([from.lat, from.lng], [to.lat, to.lng])).toBeLessThan(course.speed * 1.02 + 0.001);
      expect(from.lat).toBeGreaterThan(47.1);
      expect(from.lat).toBeLessThan(48);
    }
  }
});

test('pictures are PNGs of different things', () => {
  const painted = PICTURES.map((name) => paint(name));
  for (const png of painted) {
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(png.length).toBeLessThan(1_048_576);
  }
  expect(new Set(painted.map((png) => png.toString('base64'))).size).toBe(PICTURES.length);
});
