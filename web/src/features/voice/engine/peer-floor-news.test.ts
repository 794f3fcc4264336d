import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Ack } from '@pressel/contract/realtime';
import { floorNews, floorText } from '@pressel/contract/voice';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import {
  type Bench,
  CHANNEL,
  floorOf,
  genuine,
  openLine,
  openRoom,
  participantOf,
  roomStateOf,
  signedBy,
} from '#test/voice-bench.ts';
import { DRY_LOOK_MS } from './floor.ts';
import { NEWS_AT_ONCE, NEWS_EVERY_MS, NEWS_MAX_LENGTH } from './link-lines.ts';

const SOUTH = '01890000-0000-7000-8000-000000000009' as ChannelId;
const southWith = (others: string[]) =>
  ok<'join_room'>(
    roomStateOf(others, {
      channel: { id: SOUTH, name: 'South', rtcSession: 'South', talkMode: 'single' },
      floor: floorOf(1, [], { channelId: SOUTH }),
    }),
  );
const talkers = ({ room }: Bench) => room.getSnapshot().talkers.map(({ name }) => name);

test('[TALK115] what the server says of a talk is taken by the link too, and the newest version counts', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'] });
  const [bob, cid] = [await openLine(bench, 0), await openLine(bench, 1)];
  await bob.hear(genuine(floorOf(5, ['bob'])));
  expect(talkers(bench)).toEqual(['bob']);
  await cid.hear(genuine(floorOf(7, ['cid'])));
  expect(talkers(bench), 'who talks now, and nobody beside').toEqual(['cid']);
  // The rest of the previous voice is played [TALK51]: here it is empty.
  await bench.clock.advance(2 * DRY_LOOK_MS);
  expect([...bench.audio.playing].map((track) => track.enabled)).toEqual([false, true]);
  await bob.hear(genuine(floorOf(6, ['bob'])));
  expect(talkers(bench)).toEqual(['cid']);
  bench.signalling.emit('floor_changed', genuine(floorOf(8)));
  expect(talkers(bench)).toEqual([]);
  await cid.hear(genuine(floorOf(7, ['cid'])));
  expect(talkers(bench)).toEqual([]);
  expect([bob.channel.readyState, cid.channel.readyState]).toEqual(['open', 'open']);
});

test.each([
  [
    'signed by another server',
    { ...floorOf(5, ['bob']), signature: signedBy('other', floorText(floorOf(5, ['bob']))) },
  ],
  ['changed on its way', { ...genuine(floorOf(5)), talkers: floorOf(5, ['bob']).talkers }],
  ['not signed', floorOf(5, ['bob'])],
  ['no news', { hello: 'world' }],
  ['no JSON', 'hello'],
  ['no text', 7],
  ['too long', { ...genuine(floorOf(5, ['bob'])), padding: 'x'.repeat(NEWS_MAX_LENGTH) }],
])('[TALK117] who says what is %s is not heard on this link any more', async (_, data) => {
  const bench = await openRoom({ others: ['bob'] });
  const { channel, hear } = await openLine(bench);
  await hear(data);
  expect(talkers(bench)).toEqual([]);
  expect(channel.readyState).toBe('closed');
  await hear(genuine(floorOf(6, ['bob'])));
  expect(talkers(bench)).toEqual([]);
  expect(bench.room.getSnapshot().participants[1]?.media, 'the voice’s link stays').toBe('connected');
});

test('[TALK117] news of a room that one is not in do nothing, and news of one’s own room go on being heard', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { channel, hear } = await openLine(bench);
  await hear(genuine(floorOf(5, ['bob'], { channelId: SOUTH })));
  expect(talkers(bench)).toEqual([]);
  expect(channel.readyState).toBe('open');
  await hear(genuine(floorOf(6, ['bob'])));
  expect(talkers(bench)).toEqual(['bob']);
});

test.each([
  ['while one enters it', ['bob']],
  ['of whose entering it one has not heard yet', ['cid']],
])('[TALK117] somebody whom one has met may talk in another room %s', async (_, others) => {
  const bench = await openRoom({ others: ['bob'] });
  const { channel, hear } = await openLine(bench);
  const joined = Promise.withResolvers<Ack<'join_room'>>();
  bench.signalling.answer('join_room', () => joined.promise);
  bench.enter('South');
  if (others[0] === 'cid') joined.resolve(southWith(others));
  await settle();
  await hear(genuine(floorOf(2, ['bob'], { channelId: SOUTH })));
  expect(channel.readyState).toBe('open');
  joined.resolve(southWith(others));
  await settle();
});

test('[TALK117] who says too much is not heard any more; who says it slowly is', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'] });
  const [bob, cid] = [await openLine(bench, 0), await openLine(bench, 1)];
  for (let count = 0; count < NEWS_AT_ONCE * 2; count += 1) {
    await bob.hear(genuine(floorOf(1)));
    await bench.clock.advance(NEWS_EVERY_MS);
  }
  expect(bob.channel.readyState).toBe('open');
  for (let count = 0; count < NEWS_AT_ONCE; count += 1) await cid.hear(genuine(floorOf(1)));
  expect(cid.channel.readyState).toBe('open');
  await cid.hear(genuine(floorOf(1)));
  expect(cid.channel.readyState).toBe('closed');
});

test('[TALK116] who talks passes on what the server says of it, to who comes meanwhile too, and how it ended', async () => {
  const bench = await openRoom({ others: ['bob', 'cid', 'dan'] });
  const bob = await openLine(bench, 0);
  const { signalling } = bench;
  signalling.emit('floor_changed', genuine(floorOf(2, ['bob'])));
  expect(bob.told, 'of others’ talks they tell themselves').toEqual([]);
  signalling.emit('floor_changed', genuine(floorOf(3, ['self'])));
  const cid = await openLine(bench, 1);
  expect(bob.told).toEqual([genuine(floorOf(3, ['self']))]);
  expect(cid.told).toEqual(bob.told);
  signalling.emit('floor_changed', genuine(floorOf(4, ['self'], { queue: ['bob' as ParticipantId] })));
  expect(bob.told, 'who waits makes the talker say nothing').toHaveLength(1);
  const dan = await openLine(bench, 2);
  expect(dan.told.map(({ version }) => version)).toEqual([4]);
  signalling.emit('floor_changed', genuine(floorOf(5, ['bob'])));
  expect(bob.told.map(({ version }) => version)).toEqual([3, 5]);
  signalling.emit('floor_changed', genuine(floorOf(6)));
  expect(bob.told).toHaveLength(2);
});

test('[TALK115] what was said in an earlier stay counts no more in the next one', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { hear, channel } = await openLine(bench);
  bench.signalling.answer('join_room', () =>
    ok<'join_room'>(roomStateOf(['bob'], { self: participantOf('anew'), floorKey: 'restarted' })),
  );
  bench.signalling.setLink('down');
  bench.signalling.setLink('up');
  await settle();
  await hear(genuine(floorOf(9, ['bob'])));
  expect(channel.readyState, 'its link is gone').toBe('closed');
  const again = await openLine(bench, 1);
  await again.hear(genuine(floorOf(9, ['bob'])));
  expect(talkers(bench)).toEqual([]);
  expect(again.channel.readyState).toBe('closed');
});

test('[TALK115] what is still being checked when the link is lost does not count in the next stay, whose versions are others', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { channel } = await openLine(bench);
  channel.onmessage?.({ data: JSON.stringify(genuine(floorOf(9, ['bob']))) });
  bench.signalling.setLink('down');
  bench.signalling.setLink('up');
  await settle();
  expect(talkers(bench)).toEqual([]);
  bench.signalling.emit('floor_changed', floorOf(2, ['bob']));
  expect(talkers(bench), 'as the server says it').toEqual(['bob']);
  bench.signalling.emit('floor_changed', floorOf(3));
  expect(talkers(bench)).toEqual([]);
});

test('[TALK115] what was signed before the answer to the join is no news, whatever its version', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const bob = await openLine(bench);
  const old = genuine(floorOf(500, ['bob'], { signedAt: 500 }));
  bench.signalling.emit('floor_changed', old);
  bench.signalling.emit('floor_changed', genuine(floorOf(501, [], { signedAt: 501 })));
  await bench.clock.advance(1_000);
  bench.signalling.setLink('down');
  // After its restart the server begins at a low version [TALK152].
  const floor = genuine(floorOf(2, [], { signedAt: 600 }));
  bench.signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(['bob'], { floor })));
  bench.signalling.setLink('up');
  await settle();
  await bob.hear(old);
  expect(talkers(bench)).toEqual([]);
  expect(bob.channel.readyState, 'an honest page may say it too').toBe('open');
  await bob.hear(genuine(floorOf(3, ['bob'], { signedAt: 600 })));
  expect(talkers(bench)).toEqual(['bob']);
});

test('[TALK147] who presses on an idle floor says so once, with the floor as the server signed it, and then passes on the grant', async () => {
  const bench = await openRoom({ others: ['bob'], state: { floor: genuine(floorOf(1)) } });
  const bob = await openLine(bench);
  bench.room.press();
  await settle();
  expect(bob.told).toEqual([{ ...genuine(floorOf(1)), isPress: true }]);
  bench.signalling.emit('floor_changed', genuine(floorOf(2, ['self'])));
  bench.room.stop();
  bench.signalling.emit('floor_changed', genuine(floorOf(3)));
  expect(bob.told.slice(1)).toEqual([genuine(floorOf(2, ['self'])), genuine(floorOf(3))]);
  bench.room.press();
  await settle();
  expect(bob.told.slice(3)).toEqual([{ ...genuine(floorOf(3)), isPress: true }]);
});

test('[TALK147] who waits for the floor, or asks while somebody talks, says nothing until it is granted', async () => {
  const bench = await openRoom({ others: ['bob'], state: { floor: floorOf(1, ['bob']) } });
  const bob = await openLine(bench);
  bench.signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'queued', channelId: CHANNEL, seq, position: 1, size: 1 }),
  );
  bench.room.press();
  await settle();
  expect(bob.told).toEqual([]);
});

test('[TALK147] a page that knows no presses takes one for an old floor', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { hear, channel } = await openLine(bench);
  await hear({ ...floorOf(0), isPress: true });
  await hear({ ...genuine(floorOf(1)), isPress: true });
  expect(channel.readyState).toBe('open');
  // How an older page reads this news.
  expect(floorNews().parse({ ...floorOf(0), isPress: true })).toEqual(floorOf(0));
});
