import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { RoomState } from '@pressel/contract/presence';
import { type FloorNews, floorText } from '@pressel/contract/voice';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import {
  type Bench,
  CHANNEL,
  floorOf,
  linkAll,
  openRoom,
  participantOf,
  roomStateOf,
  signedBy,
} from '#test/voice-bench.ts';
import { LINK_KEEP_MS } from './joining.ts';

const talkOf = ({ room }: Bench) => room.getSnapshot().talk;
const namesOf = ({ room }: Bench) => room.getSnapshot().participants.map(({ id }) => id);
const heard = ({ room, audio }: Bench) => ({ talkers: room.getSnapshot().talkers.map(({ id }) => id), audio });
const joinsOf = ({ signalling }: Bench) => signalling.sentOf('join_room');

/** A room with links to all others; self talks if `talks` is set. */
async function open({ talks = false, others = ['bob', 'cid'] } = {}): Promise<Bench> {
  const bench = await openRoom({ others });
  linkAll(bench);
  if (!talks) return bench;
  bench.room.press();
  await settle();
  bench.signalling.emit('floor_changed', floorOf(8, ['self']));
  expect(talkOf(bench).state).toBe('talking');
  return bench;
}

/** The server is back, and answers the join with this state. */
async function comeBack({ signalling }: Bench, state: Partial<RoomState> = {}, others = ['bob', 'cid']): Promise<void> {
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(others, state)));
  signalling.setLink('up');
  await settle();
}

/** The next server process's answer to self's token. */
const RESTARTED: Partial<RoomState> = { resume: 'self.process2.mac' };

/** A talker's page passes on the server's signed floor. */
async function tellBeside({ network }: Bench, floor: FloorNews): Promise<void> {
  const text = JSON.stringify({ ...floor, signature: signedBy('key', floorText(floor)) });
  network.live()[0]?.channel?.onmessage?.({ data: text });
  await settle();
}

test('[TALK153] [TALK154] a talk goes on without the server, and after its return under the same number', async () => {
  const bench = await open({ talks: true });
  const links = bench.network.connections.length;
  bench.signalling.setLink('down');
  await bench.clock.advance(8_000);
  expect([bench.isMicOpen(), talkOf(bench).state]).toEqual([true, 'talking']);
  expect(bench.network.live()).toHaveLength(2);
  await comeBack(bench, { floor: floorOf(1_000, ['self']) });
  expect(joinsOf(bench).at(-1)).toMatchObject({
    channelId: CHANNEL,
    resume: 'self.token',
    claim: 1,
    floor: { version: 8 },
  });
  expect(bench.signalling.sentOf('floor_renew').at(-1)).toEqual({ channelId: CHANNEL, seq: 1 });
  const renewals = bench.signalling.sentOf('floor_renew').length;
  await bench.clock.advance(3_000);
  expect(bench.signalling.sentOf('floor_renew').length).toBeGreaterThan(renewals + 2);
  expect([bench.isMicOpen(), talkOf(bench).state]).toEqual([true, 'talking']);
  expect(bench.network.connections).toHaveLength(links);
  bench.room.release();
  await bench.clock.advance(200);
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.signalling.sentOf('floor_release')).toEqual([{ channelId: CHANNEL, seq: 2 }]);
  bench.room.press();
  await settle();
  expect(bench.signalling.sentOf('floor_request').at(-1)).toMatchObject({ seq: 3 });
});

test('[TALK153] a talk that goes on without the server ends with its time, with its release, and after 30 s', async () => {
  const limited = await open({ talks: true });
  limited.signalling.setLink('down');
  await limited.clock.advance(LINK_KEEP_MS - 1_000);
  expect(limited.isMicOpen()).toBe(true);
  await limited.clock.advance(2_000);
  expect(limited.isMicOpen()).toBe(false);
  expect(limited.network.live()).toEqual([]);

  const released = await open({ talks: true });
  released.signalling.setLink('down');
  released.room.release();
  await released.clock.advance(200);
  expect([released.isMicOpen(), talkOf(released).state]).toEqual([false, 'idle']);
  released.room.press();
  expect(talkOf(released)).toMatchObject({ state: 'denied', reason: 'link' });
  expect(released.isMicOpen()).toBe(false);
  await comeBack(released);
  expect(joinsOf(released).at(-1)?.claim).toBeUndefined();
});

test('[TALK154] a talk whose floor went to somebody else meanwhile ends at once', async () => {
  const bench = await open({ talks: true });
  bench.signalling.setLink('down');
  await comeBack(bench, { floor: floorOf(9, ['bob']) });
  expect(bench.isMicOpen()).toBe(false);
  expect(talkOf(bench)).toMatchObject({ state: 'revoked', reason: 'lease_expired' });
  expect(heard(bench).talkers).toEqual(['bob']);
});

test('[TALK154] it ends as well when the successor’s page says so, before the server is back', async () => {
  const bench = await open({ talks: true });
  bench.signalling.setLink('down');
  await tellBeside(bench, floorOf(10, ['bob']));
  expect(bench.isMicOpen()).toBe(false);
  expect(talkOf(bench)).toMatchObject({ state: 'revoked', reason: 'lease_expired' });
});

test('[TALK154] a talk that ends while the server is told that it goes on is released', async () => {
  const bench = await open({ talks: true });
  bench.signalling.setLink('down');
  let answer = (): void => undefined;
  bench.signalling.answer('join_room', () => {
    const state = roomStateOf(['bob', 'cid'], { floor: floorOf(1_000, ['self']) });
    return new Promise((resolve) => {
      answer = () => resolve(ok<'join_room'>(state));
    });
  });
  bench.signalling.setLink('up');
  bench.room.stop();
  expect(bench.isMicOpen()).toBe(false);
  answer();
  await settle();
  expect(bench.signalling.sentOf('floor_release').map(({ seq }) => seq)).toEqual([2, 3]);
});

test('[TALK153] who isn’t the participant of before any more begins anew, and the talk is over', async () => {
  const bench = await open({ talks: true });
  const links = bench.network.connections.length;
  bench.signalling.setLink('down');
  await comeBack(bench, { self: participantOf('anew'), floor: floorOf(3) });
  expect(bench.isMicOpen()).toBe(false);
  expect(talkOf(bench)).toMatchObject({ state: 'revoked', reason: 'link' });
  expect(bench.network.connections).toHaveLength(links + 2);
  expect(bench.network.live()).toHaveLength(2);
  bench.room.release();
  bench.room.press();
  await settle();
  expect(bench.signalling.sentOf('floor_request').at(-1)).toMatchObject({ seq: 1 });
});

test('[TALK153] who talks stays audible without the server, and no longer than they may talk', async () => {
  const bench = await open();
  const talkers = [{ ...participantOf('bob'), talkingMs: 5_000, remainingMs: 25_000 }];
  bench.signalling.emit('floor_changed', floorOf(8, [], { talkers }));
  bench.signalling.setLink('down');
  await bench.clock.advance(25_500);
  expect(heard(bench).talkers).toEqual(['bob']);
  expect(bench.room.getSnapshot().status).toEqual({ state: 'lost' });
  await bench.clock.advance(1_000);
  expect(heard(bench).talkers).toEqual([]);
});

test('[TALK153] talks that begin meanwhile are heard by what their talkers’ pages tell, one at a time', async () => {
  const bench = await open();
  bench.signalling.setLink('down');
  for (const [index, name] of ['bob', 'cid', 'bob', 'cid'].entries()) {
    await tellBeside(bench, floorOf(10 + 2 * index, [name]));
    expect(heard(bench).talkers).toEqual([name]);
    await bench.clock.advance(4_000);
    await tellBeside(bench, floorOf(11 + 2 * index));
    await bench.clock.advance(1_000);
    expect(heard(bench).talkers).toEqual([]);
  }
  await comeBack(bench, { floor: floorOf(17) });
  expect(bench.room.getSnapshot().missed).toBeNull();
  expect(bench.network.live()).toHaveLength(2);
});

test('[TALK155] whom the answer misses after a restart stays while linked, for 30 s from the loss; who comes back keeps the connection', async () => {
  const bench = await open({ others: ['bob', 'cid', 'dan'] });
  bench.signalling.setLink('down');
  await bench.clock.advance(5_000);
  await comeBack(bench, RESTARTED, ['bob']);
  expect(namesOf(bench)).toEqual(['self', 'bob', 'cid', 'dan']);
  expect(bench.network.live()).toHaveLength(3);
  bench.signalling.emit('user joined', { ...participantOf('cid'), channelId: CHANNEL });
  expect(bench.network.live()).toHaveLength(3);
  expect(bench.signalling.sentOf('offer')).toHaveLength(3);
  await bench.clock.advance(LINK_KEEP_MS - 5_000);
  expect(namesOf(bench)).toEqual(['self', 'bob', 'cid']);
  expect(bench.network.live()).toHaveLength(2);
});

test('[TALK155] another lost link before everybody is back keeps them no longer, and no shorter', async () => {
  const bench = await open({ others: ['bob', 'cid'] });
  bench.signalling.setLink('down');
  await bench.clock.advance(2_000);
  await comeBack(bench, RESTARTED, ['bob']);
  await bench.clock.advance(3_000);
  bench.signalling.setLink('down');
  await bench.clock.advance(1_000);
  // The same process answers.
  await comeBack(bench, RESTARTED, ['bob']);
  expect(namesOf(bench)).toEqual(['self', 'bob', 'cid']);
  expect(bench.network.live()).toHaveLength(2);
  await bench.clock.advance(LINK_KEEP_MS - 6_000);
  expect(namesOf(bench)).toEqual(['self', 'bob']);
});

test('[TALK155] whom the answer of the same process misses was removed or left: they hear and are heard no more', async () => {
  const bench = await open({ others: ['bob', 'cid'] });
  bench.signalling.setLink('down');
  await bench.clock.advance(5_000);
  await comeBack(bench, {}, ['bob']);
  expect(namesOf(bench)).toEqual(['self', 'bob']);
  expect(bench.network.connections[1]?.signalingState).toBe('closed');
  expect(bench.network.live()).toHaveLength(1);
});

test('[TALK155] in every room it is told apart whether the server restarted', async () => {
  const bench = await open({ others: ['bob', 'cid'] });
  const other = '01890000-0000-7000-8000-000000000002' as ChannelId;
  const beside = roomStateOf(['dan'], { channel: { ...roomStateOf().channel, id: other, name: 'Beta' } });
  let [first, second] = [roomStateOf(['bob', 'cid']), beside];
  bench.signalling.answer('join_room', ({ channelId, room }) =>
    ok<'join_room'>(room === 'Beta' || channelId === other ? second : first),
  );
  const beta = bench.enter('Beta');
  await settle();
  linkAll(bench);
  await settle();
  bench.signalling.setLink('down');
  first = { ...roomStateOf(['bob']), ...RESTARTED };
  second = { ...beside, participants: [], ...RESTARTED };
  bench.signalling.setLink('up');
  await settle();
  expect(namesOf(bench)).toEqual(['self', 'bob', 'cid']);
  expect(beta.getSnapshot().participants.map(({ id }) => id)).toEqual(['self', 'dan']);
});

test('[TALK155] who left while the link was lost is gone as soon as their connection is', async () => {
  const bench = await open({ others: ['bob', 'cid'] });
  bench.signalling.setLink('down');
  bench.network.connections[1]?.become('disconnected');
  await comeBack(bench, RESTARTED, ['bob']);
  expect(namesOf(bench)).toEqual(['self', 'bob']);
  expect(bench.network.live()).toHaveLength(1);
});

test('[TALK155] a connection that ends after the return goes with its participant', async () => {
  const bench = await open({ others: ['bob', 'cid'] });
  bench.signalling.setLink('down');
  await comeBack(bench, RESTARTED, ['bob']);
  expect(namesOf(bench)).toEqual(['self', 'bob', 'cid']);
  bench.network.connections[1]?.become('failed');
  await settle();
  expect(namesOf(bench)).toEqual(['self', 'bob']);
  expect(bench.room.getSnapshot().participants.some(({ id }) => id === ('cid' as ParticipantId))).toBe(false);
});
