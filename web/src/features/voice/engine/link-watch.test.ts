import type { ParticipantId } from '@pressel/contract/ids';
import type { PastTalk } from '@pressel/contract/voice';
import { expect, test, vi } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok, unavailable } from '#test/fake-signalling.ts';
import { type Bench, CHANNEL, floorOf, linkAll, openRoom, participantOf, roomStateOf } from '#test/voice-bench.ts';
import { ASK_LIMIT_MS, REPLACE_AFTER_MS, REPLACE_SPREAD_MS } from './link-watch.ts';

const statusOf = ({ room }: Bench) => room.getSnapshot().status.state;
const silence = ({ signalling }: Bench) => signalling.answer('beat', () => new Promise(() => undefined));
const answers = ({ signalling }: Bench) => signalling.answer('beat', () => ok<'beat'>({}));
const talkOf = (name: string, beganMsAgo: number, endedMsAgo: number): PastTalk => ({
  id: name as ParticipantId,
  name,
  beganMsAgo,
  endedMsAgo,
});
const listTalks = ({ signalling }: Bench, talks: PastTalk[] | null) =>
  signalling.answer('talks_since', () => ok<'talks_since'>({ talks }));

test('[TALK100] beats once a second with the newest version, and stops when the room is left', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  signalling.emit('floor_changed', floorOf(7));
  await clock.advance(10_000);
  const beats = signalling.sentOf('beat');
  expect(beats.length).toBeGreaterThanOrEqual(9);
  expect(beats.length).toBeLessThanOrEqual(11);
  expect(beats.at(-1)).toEqual({ rooms: [{ channelId: CHANNEL, version: 7 }] });
  expect(statusOf(bench)).toBe('joined');
  room.close();
  await clock.advance(10_000);
  expect(signalling.sentOf('beat')).toHaveLength(beats.length);
});

test('[TALK100] an acknowledged renewal is as good as a beat, and one that isn’t is none', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  await clock.advance(1_250);
  room.press();
  await clock.advance(500);
  const beats = () => signalling.sentOf('beat').length;
  const before = beats();
  await clock.advance(10_000);
  expect(signalling.sentOf('floor_renew').length).toBeGreaterThanOrEqual(16);
  expect(beats()).toBe(before);
  expect(statusOf(bench)).toBe('joined');
  room.release();
  await clock.advance(1_500);
  expect(beats(), 'afterwards it beats again').toBeGreaterThan(before);
  expect(signalling.sentOf('talks_since'), 'nothing can have been missed meanwhile').toEqual([]);

  room.press();
  await clock.advance(1_000);
  silence(bench);
  signalling.answer('floor_renew', () => new Promise(() => undefined));
  await clock.advance(3_000);
  expect(statusOf(bench)).toBe('silent');
});

test('[TALK100] an answer with another floor puts it right', async () => {
  const { clock, signalling, room } = await openRoom({ others: ['bob'] });
  signalling.answer('beat', () => ok<'beat'>({ floors: [floorOf(4, ['bob'])] }));
  await clock.advance(1_250);
  expect(room.getSnapshot().talkers).toMatchObject([{ name: 'bob' }]);
});

test('[TALK101] silence is known within 3 s of the last answer, and an answer heals it without another connection', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  await clock.advance(5_000);
  let answer: () => void = () => undefined;
  signalling.answer('beat', () => new Promise((resolve) => (answer = () => resolve(ok<'beat'>({})))));
  await clock.advance(2_000);
  expect(statusOf(bench)).toBe('joined');
  await clock.advance(1_000);
  expect(statusOf(bench)).toBe('silent');
  room.press();
  expect(room.getSnapshot().talk).toMatchObject({ state: 'denied', reason: 'link' });
  room.release();
  signalling.emit('floor_changed', floorOf(3, ['bob']));
  expect(room.getSnapshot().talkers, 'what comes late is taken').toHaveLength(1);
  answer();
  await settle();
  expect(statusOf(bench)).toBe('joined');
  expect(signalling.reconnects).toBe(0);
});

test('[TALK101] a refused beat is an answer too', async () => {
  const bench = await openRoom();
  bench.signalling.answer('beat', () => ({ ok: false, code: 'too_many', params: {} }));
  await bench.clock.advance(10_000);
  expect(statusOf(bench)).toBe('joined');
});

test('[TALK101] the microphone is shown open as long as it may be: a talk ends by its own rules', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room, isMicOpen } = bench;
  room.press();
  await settle();
  silence(bench);
  signalling.answer('floor_renew', () => unavailable);
  for (let step = 0; step < 40; step += 1) {
    await clock.advance(100);
    const isShown = room.getSnapshot().talk.state === 'talking';
    expect(isShown).toBe(isMicOpen());
  }
  expect(statusOf(bench)).toBe('silent');
  expect(room.getSnapshot().talk).toMatchObject({ state: 'revoked', reason: 'link' });
});

test('[TALK102] the connection is replaced after a longer silence, and later each time it did not help', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling } = bench;
  silence(bench);
  await clock.advance(REPLACE_AFTER_MS - 500);
  expect(signalling.reconnects).toBe(0);
  await clock.advance(REPLACE_SPREAD_MS + 1_000);
  expect(signalling.reconnects).toBe(1);
  await clock.advance(60_000);
  expect(signalling.reconnects, 'nothing more before it is up again').toBe(1);
  const comeBack = async () => {
    signalling.setLink('down');
    signalling.setLink('up');
    await settle();
  };
  await comeBack();
  await clock.advance(REPLACE_AFTER_MS * 2 - 500);
  expect(signalling.reconnects).toBe(1);
  await clock.advance(REPLACE_SPREAD_MS + 1_000);
  expect(signalling.reconnects).toBe(2);
  await comeBack();
  answers(bench);
  await clock.advance(40_000);
  silence(bench);
  await clock.advance(REPLACE_AFTER_MS + REPLACE_SPREAD_MS + 1_000);
  expect(signalling.reconnects, 'after a calm time as at first').toBe(3);
});

test('[TALK101] what a page sleeps through is no silence of the server', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  const states = new Set<string>();
  room.subscribe(() => states.add(statusOf(bench)));
  await clock.advance(3_000);
  for (let minute = 0; minute < 5; minute += 1) clock.sleep(60_000);
  await clock.advance(3_000);
  expect(signalling.reconnects).toBe(0);
  expect(states).not.toContain('silent');
});

test('[TALK103] sound while nobody has the floor: the server is asked at once', async () => {
  const { clock, signalling, network, room } = await openRoom({ others: ['bob'] });
  await clock.advance(2_000);
  const before = signalling.sentOf('beat').length;
  const [bob] = network.connections;
  if (bob === undefined) throw new Error('no connection');
  bob.isTalkedOn = true;
  signalling.answer('beat', () => ok<'beat'>({ floors: [floorOf(2, ['bob'])] }));
  let waited = 0;
  for (; room.getSnapshot().talkers.length === 0 && waited < 5_000; waited += 50) await clock.advance(50);
  expect(waited).toBeLessThanOrEqual(1_000);
  expect(signalling.sentOf('beat').length).toBeGreaterThan(before);
});

test.each([
  ['silence', 0],
  ['packets that don’t say how loud they are', undefined],
])('[TALK103] %s on an idle floor is no reason to ask', async (_name, level) => {
  const { clock, signalling, network } = await openRoom({ others: ['bob'] });
  await clock.advance(2_000);
  const [bob] = network.connections;
  if (bob === undefined) throw new Error('no connection');
  Object.assign(bob, { isTalkedOn: true, audioLevel: level });
  signalling.answer('beat', () => unavailable);
  await clock.advance(ASK_LIMIT_MS + 1_250);
  expect(signalling.reconnects).toBe(0);
});

test('[TALK103] a large room is asked for sound no more often than a small one, and its sound is noticed', async () => {
  const bench = await openRoom({ others: Array.from({ length: 12 }, (_, index) => `bob ${index}`) });
  const { clock, signalling, network } = bench;
  const asked = network.connections.flatMap(({ transceivers }) =>
    transceivers.map(({ receiver }) => vi.spyOn(receiver, 'getSynchronizationSources')),
  );
  await clock.advance(6_000);
  const reads = asked.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(6 * 8 + 12);
  silence(bench);
  const [, , , , , , , one] = network.connections;
  if (one === undefined) throw new Error('no connection');
  one.isTalkedOn = true;
  await clock.advance(ASK_LIMIT_MS + 2_000);
  expect(signalling.reconnects).toBe(1);
});

test('[TALK103] the sound is watched again once a talk is over', async () => {
  const { clock, signalling, network } = await openRoom({ others: ['bob'] });
  const [bob] = network.connections;
  if (bob === undefined) throw new Error('no connection');
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  await clock.advance(3_000);
  signalling.emit('floor_changed', floorOf(3));
  signalling.answer('beat', () => ok<'beat'>({ floors: [floorOf(4, ['bob'])] }));
  const before = signalling.sentOf('beat').length;
  bob.isTalkedOn = true;
  // Before the next regular beat.
  await clock.advance(780);
  expect(signalling.sentOf('beat').length).toBeGreaterThan(before);
});

test('[TALK103] sound that comes a moment before its news is no reason to ask', async () => {
  const { clock, signalling, network } = await openRoom({ others: ['bob'] });
  const [bob] = network.connections;
  if (bob === undefined) throw new Error('no connection');
  signalling.answer('beat', () => unavailable);
  bob.isTalkedOn = true;
  await clock.advance(550);
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  await clock.advance(ASK_LIMIT_MS + 500);
  expect(signalling.reconnects).toBe(0);
});

test('[TALK103] unanswered while the sound goes on, the connection is replaced soon, but not again and again', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, network } = bench;
  silence(bench);
  const talkOn = () => {
    for (const one of network.live()) one.isTalkedOn = true;
  };
  talkOn();
  await clock.advance(ASK_LIMIT_MS + 1_250);
  expect(signalling.reconnects).toBe(1);
  signalling.setLink('down');
  signalling.setLink('up');
  await settle();
  talkOn();
  await clock.advance(ASK_LIMIT_MS + 1_250);
  expect(signalling.reconnects).toBe(1);
});

test('[TALK104] the talks during a silence are counted, but not those of which a part was heard', async () => {
  const bench = await openRoom({ others: ['bob', 'cid', 'dan'] });
  linkAll(bench);
  const { clock, signalling, room } = bench;
  signalling.emit('floor_changed', floorOf(5, ['cid']));
  await clock.advance(2_000);
  let answer: () => void = () => undefined;
  signalling.answer('beat', () => new Promise((resolve) => (answer = () => resolve(ok<'beat'>({})))));
  await clock.advance(4_000);
  // All delayed news arrive at once; dan's talk goes on.
  signalling.emit('floor_changed', floorOf(6));
  signalling.emit('floor_changed', floorOf(7, ['bob']));
  signalling.emit('floor_changed', floorOf(8));
  signalling.emit('floor_changed', floorOf(9, ['dan']));
  listTalks(bench, [talkOf('bob', 2_500, 1_500), talkOf('cid', 3_500, 3_000), talkOf('bob', 1_200, 700)]);
  answer();
  await settle();
  expect(signalling.sentOf('talks_since')).toEqual([{ channelId: CHANNEL, stay: '1.proof', version: 5 }]);
  expect(room.getSnapshot().missed, 'cid was audible all the time').toEqual({ count: 2, names: ['bob'] });
  room.dismissMissed();
  expect(room.getSnapshot().missed).toBeNull();
});

test('[TALK104] who talked when the page fell asleep, and again while it slept, was missed', async () => {
  const bench = await openRoom({ others: ['bob'] });
  linkAll(bench);
  const { clock, signalling, room } = bench;
  signalling.emit('floor_changed', floorOf(5, ['bob']));
  await clock.advance(2_000);
  clock.sleep(60_000);
  signalling.setLink('down');
  listTalks(bench, [talkOf('bob', 62_000, 59_500), talkOf('bob', 30_000, 28_000)]);
  signalling.answer('join_room', () =>
    ok<'join_room'>(roomStateOf(['bob'], { self: participantOf('anew'), floor: floorOf(12), stay: '12.proof' })),
  );
  signalling.setLink('up');
  await settle();
  expect(room.getSnapshot().missed).toEqual({ count: 1, names: ['bob'] });
});

test('[TALK104] talks that were heard as they came are not counted, though a beat was late', async () => {
  const bench = await openRoom({ others: ['bob'] });
  linkAll(bench);
  const { clock, signalling, room } = bench;
  await clock.advance(1_000);
  let answer: () => void = () => undefined;
  signalling.answer('beat', () => new Promise((resolve) => (answer = () => resolve(ok<'beat'>({})))));
  await clock.advance(500);
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  await clock.advance(800);
  signalling.emit('floor_changed', floorOf(3));
  await clock.advance(1_500);
  listTalks(bench, [talkOf('bob', 2_350, 1_550)]);
  answer();
  await settle();
  expect(signalling.sentOf('talks_since')).toHaveLength(1);
  expect(room.getSnapshot().missed).toBeNull();
});

test('[TALK105] who comes back says who they were, and is told what they missed', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  signalling.emit('floor_changed', floorOf(8));
  await clock.advance(3_000);
  signalling.setLink('down');
  await clock.advance(20_000);
  listTalks(bench, [talkOf('bob', 9_000, 8_000), talkOf('cid', 6_000, 2_000)]);
  const self = participantOf('anew');
  signalling.answer('join_room', () =>
    ok<'join_room'>(roomStateOf(['bob', 'cid'], { self, floor: floorOf(12), stay: '12.proof' })),
  );
  signalling.setLink('up');
  await settle();
  expect(signalling.sentOf('join_room').at(-1)).toMatchObject({ resume: 'self.token' });
  expect(signalling.sentOf('talks_since')).toEqual([{ channelId: CHANNEL, stay: '1.proof', version: 8 }]);
  expect(room.getSnapshot().missed).toEqual({ count: 2, names: ['bob', 'cid'] });
});

test.each([
  ['the server no longer knows', null],
  ['nobody talked', []],
])('[TALK105] nothing is said when %s', async (_when, talks) => {
  const bench = await openRoom({ others: ['bob'] });
  listTalks(bench, talks);
  bench.signalling.setLink('down');
  bench.signalling.setLink('up');
  await settle();
  expect(bench.signalling.sentOf('talks_since')).toHaveLength(1);
  expect(bench.room.getSnapshot().missed).toBeNull();
});

test('[TALK105] a question that is not answered is asked again, about the whole time', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  signalling.answer('talks_since', () => unavailable);
  signalling.setLink('down');
  signalling.setLink('up');
  await settle();
  signalling.emit('floor_changed', floorOf(6));
  listTalks(bench, [talkOf('bob', 9_000, 8_000)]);
  await clock.advance(1_500);
  expect(signalling.sentOf('talks_since')).toEqual([
    { channelId: CHANNEL, stay: '1.proof', version: 1 },
    { channelId: CHANNEL, stay: '1.proof', version: 1 },
  ]);
  expect(room.getSnapshot().missed).toEqual({ count: 1, names: ['bob'] });
});

test('[TALK100] a page that the server does not see in the room is lost, and enters it again', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling, room } = bench;
  signalling.answer('beat', () => ({ ok: false, code: 'not_in_room', params: {} }));
  let enter: () => void = () => undefined;
  signalling.answer(
    'join_room',
    () => new Promise((resolve) => (enter = () => resolve(ok<'join_room'>(roomStateOf(['bob']))))),
  );
  await clock.advance(1_250);
  expect(signalling.sentOf('join_room')).toHaveLength(2);
  expect(statusOf(bench)).toBe('lost');
  room.press();
  expect(room.getSnapshot().talk, 'nobody would hear it').toMatchObject({ state: 'denied', reason: 'link' });
  room.release();
  expect(signalling.sentOf('floor_request')).toHaveLength(0);
  answers(bench);
  enter();
  await settle();
  expect(statusOf(bench)).toBe('joined');
});

test('[TALK100] it stays lost for as long as it cannot enter', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, signalling } = bench;
  signalling.answer('beat', () => ({ ok: false, code: 'not_in_room', params: {} }));
  signalling.answer('join_room', () => ({ ok: false, code: 'too_many', params: {} }));
  await clock.advance(1_250);
  expect(statusOf(bench)).toBe('lost');
  answers(bench);
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(['bob'])));
  await clock.advance(2_000);
  expect(statusOf(bench)).toBe('joined');
  expect(signalling.reconnects, 'the server answers').toBe(0);
});
