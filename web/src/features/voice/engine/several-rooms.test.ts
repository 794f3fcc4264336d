import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok, unavailable } from '#test/fake-signalling.ts';
import { type Bench, CHANNEL, floorOf, openRoom, participantOf, roomStateOf } from '#test/voice-bench.ts';
import type { RoomOptions, RoomSession } from './room-types.ts';

const BRAVO = '01890000-0000-7000-8000-000000000002' as ChannelId;
const CHARLIE = '01890000-0000-7000-8000-000000000003' as ChannelId;
const channelOf: Record<string, ChannelId> = { Alpha: CHANNEL, Bravo: BRAVO, Charlie: CHARLIE };
const bob = 'bob' as ParticipantId;

const stateOf = (room: string, others: readonly string[]) =>
  roomStateOf([...others], {
    channel: { id: channelOf[room] ?? CHANNEL, name: room, rtcSession: room, talkMode: 'single' },
    floor: floorOf(1, [], { channelId: channelOf[room] ?? CHANNEL }),
  });

interface Rooms extends Bench {
  rooms: Record<string, RoomSession>;
  /** Enters another room with these people in it. */
  add(room: string, others: readonly string[], more?: Partial<RoomOptions>): Promise<RoomSession>;
  /** Participants who get packets of self's voice. */
  sentTo(): string[];
  /** Participants who are played. */
  heard(): string[];
}

/** Several rooms at one engine; the first one is Alpha; all links are up. */
const openRooms = async (people: Record<string, readonly string[]>): Promise<Rooms> => {
  const lists = { ...people };
  const bench = await openRoom({ others: [...(people.Alpha ?? [])], tailMs: 0 });
  const { signalling, network } = bench;
  signalling.answer('join_room', ({ room }) => ok<'join_room'>(stateOf(room, lists[room] ?? [])));
  signalling.answer('floor_request', ({ seq, channelId = CHANNEL }) =>
    ok<'floor_request'>({ type: 'granted', channelId: channelId as ChannelId, seq, talkMs: 30_000, leaseMs: 2_400 }),
  );
  const named = () =>
    signalling.sentOf('offer').map(({ offerReceiveID, link }, index) => ({
      ...{ name: offerReceiveID, link, connection: network.connections[index] },
    }));
  const linked = new Set<string | undefined>();
  const link = async () => {
    for (const { name, link: id, connection } of named()) {
      if (linked.has(id)) continue;
      linked.add(id);
      const answerSendID = name as ParticipantId;
      signalling.emit('getAnswer', { sdp: { type: 'answer', sdp: 'answer 99 0' }, answerSendID, link: id });
      await settle();
      connection?.become('connected');
      connection?.channel?.open();
    }
    await settle();
  };
  await link();
  const rooms: Rooms = Object.assign(bench, {
    rooms: { Alpha: bench.room },
    async add(room: string, others: readonly string[], more?: Partial<RoomOptions>) {
      lists[room] = others;
      const entered = bench.enter(room, more);
      rooms.rooms[room] = entered;
      await settle();
      await link();
      return entered;
    },
    sentTo: () =>
      named()
        .filter(({ connection }) => connection?.signalingState !== 'closed' && connection?.sender.isActive)
        .map(({ name }) => name),
    heard: () =>
      named()
        .filter(({ connection }) => connection?.transceivers[0]?.receiver.track.enabled && isLive(connection))
        .map(({ name }) => name),
  });
  for (const [room, others] of Object.entries(people)) if (room !== 'Alpha') await rooms.add(room, others);
  return rooms;
};
const isLive = (connection: { signalingState: string }) => connection.signalingState !== 'closed';
const namesIn = (room: RoomSession | undefined) => room?.getSnapshot().participants.map(({ name }) => name);
const talk = async ({ signalling }: Bench, channelId: ChannelId, version: number, talkers: string[]) => {
  signalling.emit('floor_changed', floorOf(version, talkers, { channelId }));
  await settle();
};

test('[LINK14] two people who meet in three rooms have one connection, until the last of these is left', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['bob', 'cid'], Charlie: ['bob'] });
  expect(bench.signalling.sentOf('offer').map(({ offerReceiveID }) => offerReceiveID)).toEqual(['bob', 'cid']);
  bench.rooms.Alpha?.close();
  bench.rooms.Charlie?.close();
  expect(bench.network.live()).toHaveLength(2);
  expect(bench.rooms.Bravo?.getSnapshot().participants.map(({ media }) => media)).toEqual([
    'self',
    'connected',
    'connected',
  ]);
  bench.rooms.Bravo?.close();
  expect(bench.network.live()).toEqual([]);
  expect(bench.engine.isClosed()).toBe(true);
});

test('[LINK14] somebody who leaves one room and stays in another keeps the connection, whoever is told first', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['bob'] });
  bench.signalling.emit('user_exit', { id: bob, channelId: CHANNEL });
  expect(bench.network.live()).toHaveLength(1);
  bench.signalling.emit('user joined', participantOf('bob'));
  bench.signalling.emit('user_exit', { id: bob, channelId: BRAVO });
  expect(bench.network.live()).toHaveLength(1);
  bench.signalling.emit('user_exit', { id: bob, channelId: CHANNEL });
  expect(bench.network.live()).toEqual([]);
});

test('[TALK144] a talk in one room goes to the people of that room and to nobody else', async () => {
  const bench = await openRooms({ Alpha: ['bob', 'cid'], Bravo: ['bob', 'dan'] });
  expect(bench.sentTo()).toEqual([]);
  bench.rooms.Alpha?.press();
  await settle();
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.sentTo()).toEqual(['bob', 'cid']);
  expect(bench.rooms.Bravo?.getSnapshot().talk).toEqual({ state: 'idle' });
  bench.signalling.emit('user joined', { ...participantOf('eve'), channelId: BRAVO });
  await settle();
  expect(bench.sentTo()).toEqual(['bob', 'cid']);
  bench.rooms.Alpha?.release();
  expect(bench.isMicOpen()).toBe(false);
  await bench.clock.advance(1_000);
  expect(bench.sentTo()).toEqual([]);
});

test('[TALK144] who comes into the room of a talk gets it from then on', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['dan'] });
  bench.rooms.Alpha?.press();
  await settle();
  bench.signalling.emit('user joined', participantOf('dan'));
  await settle();
  expect(bench.sentTo()).toEqual(['bob', 'dan']);
  bench.signalling.emit('user_exit', { id: 'dan' as ParticipantId, channelId: CHANNEL });
  await settle();
  expect(bench.sentTo(), 'at once, for the microphone is open').toEqual(['bob']);
});

test('[TALK144] a talk that follows at once in another room is not heard by those of the one before', async () => {
  const bench = await openRooms({ Alpha: ['bob', 'cid'], Bravo: ['bob', 'dan'] });
  bench.rooms.Alpha?.press();
  await settle();
  bench.rooms.Alpha?.stop();
  await settle();
  expect(bench.sentTo(), 'the last of it is on its way').toEqual(['bob', 'cid']);
  bench.rooms.Bravo?.press();
  await settle();
  expect(bench.sentTo()).toEqual(['bob', 'dan']);
});

test('[TALK145] one press on several rooms asks for each floor by itself, and the end of one is no end of the other', async () => {
  const bench = await openRooms({ Alpha: ['bob', 'cid'], Bravo: ['bob', 'dan'] });
  for (const room of Object.values(bench.rooms)) room.press();
  await settle();
  expect(bench.signalling.sentOf('floor_request')).toEqual([
    { channelId: CHANNEL, seq: 1, queue: true },
    { channelId: BRAVO, seq: 1, queue: true },
  ]);
  expect(bench.sentTo()).toEqual(['bob', 'cid', 'dan']);
  bench.signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq: 1, reason: 'preempted' });
  await settle();
  expect(bench.rooms.Alpha?.getSnapshot().talk.state).toBe('revoked');
  expect(bench.rooms.Bravo?.getSnapshot().talk.state).toBe('talking');
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.sentTo()).toEqual(['bob', 'dan']);
  for (const room of Object.values(bench.rooms)) room.release();
  expect(bench.isMicOpen()).toBe(false);
});

test('[TALK145] the end of a talk to several rooms reaches all of them to its last syllable', async () => {
  const bench = await openRooms({ Alpha: ['cid'], Bravo: ['dan'] });
  for (const room of Object.values(bench.rooms)) room.press();
  await settle();
  for (const room of Object.values(bench.rooms)) room.release();
  await bench.clock.advance(100);
  expect(bench.sentTo()).toEqual(['cid', 'dan']);
});

test('[TALK145] what is granted by all rooms at once sounds once', async () => {
  const bench = await openRooms({ Alpha: ['cid'], Bravo: ['dan'] });
  for (const room of Object.values(bench.rooms)) room.press();
  await settle();
  expect(bench.audio.tones).toHaveLength(1);
});

test('[TALK146] those who talk in any of the rooms are heard, as loud as in the room where they talk', async () => {
  const bench = await openRooms({ Alpha: ['bob', 'cid'], Bravo: ['bob', 'dan'] });
  await talk(bench, CHANNEL, 2, ['cid']);
  await talk(bench, BRAVO, 2, ['bob']);
  expect(bench.heard()).toEqual(['bob', 'cid']);
  expect(bench.rooms.Alpha?.getSnapshot().talkers.map(({ name }) => name)).toEqual(['cid']);
  expect(bench.rooms.Bravo?.getSnapshot().talkers.map(({ name }) => name)).toEqual(['bob']);
  bench.rooms.Bravo?.setSoundOff(true);
  expect(bench.heard(), 'silenced where bob talks').toEqual(['cid']);
  await talk(bench, BRAVO, 3, []);
  await bench.clock.advance(500);
  await talk(bench, CHANNEL, 3, ['bob']);
  expect(bench.heard().includes('bob'), 'where he talks now he is not silenced').toBe(true);
});

test('[PRES42] news of another room show nobody, hide nobody and end nothing, before the answer to a join or after it', async () => {
  let enter: () => void = () => undefined;
  const bench = await openRoom({ join: () => new Promise((resolve) => (enter = () => resolve(entered))) });
  const entered = ok<'join_room'>(stateOf('Alpha', ['bob']));
  const tell = () => {
    bench.signalling.emit('user joined', { ...participantOf('eve'), channelId: BRAVO });
    bench.signalling.emit('user_exit', { id: bob, channelId: BRAVO });
    bench.signalling.emit('participant_changed', { ...participantOf('bob'), name: 'other', channelId: BRAVO });
  };
  tell();
  enter();
  await settle();
  expect(namesIn(bench.room)).toEqual(['self', 'bob']);
  tell();
  expect(namesIn(bench.room)).toEqual(['self', 'bob']);
  expect(bench.signalling.sentOf('offer')).toHaveLength(1);
});

test('[PRES42] offers of people of the room that was left are not kept for a later meeting', async () => {
  const bench = await openRooms({ Alpha: ['bob'] });
  const release = bench.room.keepEngineOpen();
  bench.room.close();
  const offer = (link: string) =>
    bench.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 99 0' }, offerSendID: bob, link });
  offer('stale');
  await bench.add('Bravo', ['bob']);
  release();
  expect(bench.signalling.sentOf('answer')).toEqual([]);
});

test('[PRES43] entering a second room keeps the first, and each is left by itself', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['dan'] });
  expect(bench.signalling.sentOf('join_room').map(({ room, keep }) => [room, keep])).toEqual([
    ['Alpha', undefined],
    ['Bravo', true],
  ]);
  bench.signalling.setLink('down');
  bench.signalling.setLink('up');
  await settle();
  expect(bench.signalling.sentOf('join_room').map(({ room, keep }) => [room, keep])).toContainEqual(['Alpha', true]);
  expect(Object.values(bench.rooms).map((room) => room.getSnapshot().status.state)).toEqual(['joined', 'joined']);
  bench.rooms.Alpha?.close();
  expect(bench.signalling.sentOf('leave_room')).toEqual([{ channelId: CHANNEL }]);
  expect(namesIn(bench.rooms.Bravo)).toEqual(['self', 'dan']);
});

test('[PRES43] a room that was never entered is left by its id, and without one no other room is left for it', async () => {
  const bench = await openRooms({ Alpha: ['bob'] });
  bench.signalling.answer('join_room', () => unavailable);
  const known = await bench.add('Bravo', [], { channelId: BRAVO });
  const unknown = await bench.add('Charlie', []);
  known.close();
  unknown.close();
  expect(bench.signalling.sentOf('leave_room')).toEqual([{ channelId: BRAVO }]);
});

test('[TALK100] one beat is for all rooms; each gets its floor, and one that self is not in is entered again', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['dan'] });
  const before = bench.signalling.sentOf('beat').length;
  bench.signalling.answer('beat', () => ok<'beat'>({ floors: [floorOf(5, ['bob'])], outside: [BRAVO] }));
  await bench.clock.advance(1_100);
  expect(bench.signalling.sentOf('beat').slice(before)).toEqual([
    {
      rooms: [
        { channelId: CHANNEL, version: 1 },
        { channelId: BRAVO, version: 1 },
      ],
    },
  ]);
  expect(bench.rooms.Alpha?.getSnapshot().talkers.map(({ name }) => name)).toEqual(['bob']);
  expect(bench.signalling.sentOf('join_room').map(({ room }) => room)).toEqual(['Alpha', 'Bravo', 'Bravo']);
  expect(bench.rooms.Bravo?.getSnapshot().status).toEqual({ state: 'joined' });
});

test('[TALK100] a talk in one room takes the place of no beat for the others', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['dan'] });
  bench.rooms.Alpha?.press();
  await settle();
  const before = bench.signalling.sentOf('beat').length;
  await bench.clock.advance(5_000);
  expect(bench.signalling.sentOf('floor_renew').length).toBeGreaterThan(0);
  expect(bench.signalling.sentOf('beat').length - before).toBeGreaterThanOrEqual(4);
});

test('[TALK101] a server that falls silent is told in every room', async () => {
  const bench = await openRooms({ Alpha: ['bob'], Bravo: ['dan'] });
  bench.signalling.answer('beat', () => new Promise(() => undefined));
  await bench.clock.advance(5_000);
  expect(Object.values(bench.rooms).map((room) => room.getSnapshot().status.state)).toEqual(['silent', 'silent']);
  expect(bench.signalling.reconnects).toBe(0);
});

test('[TALK116] the news of a talk are passed on to the people of its room alone', async () => {
  const bench = await openRooms({ Alpha: ['cid'], Bravo: ['dan'] });
  const told: Record<string, string[]> = { cid: [], dan: [] };
  for (const [index, name] of ['cid', 'dan'].entries()) {
    const channel = bench.network.connections[index]?.channel;
    if (channel) channel.send = (text) => void told[name]?.push(JSON.parse(text as string).channelId);
  }
  await talk(bench, CHANNEL, 2, ['self']);
  expect(told).toEqual({ cid: [CHANNEL], dan: [] });
});

const pressKey = (type: 'keydown' | 'keyup') =>
  document.body.dispatchEvent(new KeyboardEvent(type, { bubbles: true, cancelable: true, code: 'Space' }));

test('[TALK148] the page has one talk key: it talks to the first room, and to the next one once that is left', async () => {
  const { rooms, add, signalling } = await openRooms({ Alpha: ['bob'] });
  await add('Bravo', ['carol']);
  const requested = () => signalling.sentOf('floor_request').map(({ channelId }) => channelId);
  rooms.Bravo?.pageTalk.setKey({ code: 'Space' });
  pressKey('keydown');
  pressKey('keyup');
  expect(requested()).toEqual([CHANNEL]);
  rooms.Alpha?.close();
  pressKey('keydown');
  expect(requested()).toEqual([CHANNEL, BRAVO]);
  pressKey('keyup');
});

test('[TALK148] the key talks to the rooms that were chosen, and a release ends the talk where it began', async () => {
  const { rooms, add, signalling } = await openRooms({ Alpha: ['bob'] });
  const bravo = await add('Bravo', ['carol']);
  const { pageTalk } = bravo;
  pageTalk.setKey({ code: 'Space' });
  pageTalk.talkTo([bravo]);
  pressKey('keydown');
  await settle();
  expect(pageTalk.key()).toEqual({ code: 'Space', isHeld: true });
  pageTalk.talkTo(null);
  pressKey('keyup');
  expect(signalling.sentOf('floor_request').map(({ channelId }) => channelId)).toEqual([BRAVO]);
  expect(signalling.sentOf('floor_release').map(({ channelId }) => channelId)).toEqual([BRAVO]);
  expect(rooms.Alpha?.getSnapshot().talk.state).toBe('idle');
});

test('[TALK64] [TALK148] a window that loses the focus ends the talks of all rooms', async () => {
  const { rooms, add } = await openRooms({ Alpha: ['bob'] });
  const bravo = await add('Bravo', ['carol']);
  bravo.pageTalk.setKey({ code: 'Space' });
  bravo.pageTalk.talkTo(Object.values(rooms));
  pressKey('keydown');
  await settle();
  const states = () => Object.values(rooms).map((room) => room.getSnapshot().talk.state);
  expect(states()).toEqual(['talking', 'talking']);
  window.dispatchEvent(new Event('blur'));
  expect(states()).toEqual(['idle', 'idle']);
});
