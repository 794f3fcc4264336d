import type { ParticipantId } from '@pressel/contract/ids';
import type { RoomState } from '@pressel/contract/presence';
import { expect, test, vi } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { CHANNEL, floorOf, openRoom, participantOf, roomStateOf } from '#test/voice-bench.ts';
import { JOIN_DOUBT_MS, REJOIN_FIRST_MS } from './joining.ts';

const bob = 'bob' as ParticipantId;

test('[TALK52] one’s own voice from another tab is shown, and not played unless asked for', async () => {
  const { room, audio, network, signalling } = await openRoom({ others: ['second-tab'] });
  expect(room.getSnapshot().participants.map((one) => one.isOwnOther)).toEqual([false, true]);
  for (const one of network.connections) one.become('connected');
  signalling.emit('floor_changed', floorOf(2, ['second-tab']));
  await settle();
  const isPlayed = () => [...audio.playing].map((track) => track.enabled);
  expect(isPlayed()).toEqual([false]);
  expect(room.getSnapshot().participants[1]).toMatchObject({ name: 'second-tab', isTalking: true });
  expect(room.getSnapshot().talkers).toMatchObject([{ name: 'second-tab' }]);
  room.setPreferences({ tones: true, tailMs: 200, hearsOwnDevices: true, volumes: {}, roomVolume: 1 });
  expect(isPlayed()).toEqual([true]);
  room.setPreferences({ tones: true, tailMs: 200, hearsOwnDevices: false, volumes: {}, roomVolume: 1 });
  expect(isPlayed()).toEqual([false]);
});

test('a room shows self first, then the others in order of arrival, and who talks or waits', async () => {
  const { room, signalling } = await openRoom({ others: ['bob', 'cid'] });
  signalling.emit('user joined', participantOf('dan'));
  signalling.emit('floor_changed', floorOf(2, ['bob'], { queue: ['dan' as ParticipantId, 'cid' as ParticipantId] }));
  const { status, participants, talkers, isLarge } = room.getSnapshot();
  expect(status).toEqual({ state: 'joined' });
  expect(participants.map(({ name, queuePosition }) => `${name} ${queuePosition}`)).toEqual([
    'self 0',
    'bob 0',
    'cid 2',
    'dan 1',
  ]);
  expect(participants.map(({ isSelf, isTalking, media }) => [isSelf, isTalking, media])).toEqual([
    [true, false, 'self'],
    [false, true, 'connecting'],
    [false, false, 'connecting'],
    [false, false, 'connecting'],
  ]);
  expect(talkers).toMatchObject([{ id: 'bob', name: 'bob' }]);
  expect(isLarge).toBe(false);
});

test('[ROOM21] initials are those of the name, not of the pseudo that is shown, and a guest’s are their own', async () => {
  const { room, signalling } = await openRoom({ others: ['bob'] });
  signalling.emit('user joined', { ...participantOf('PC 1'), fullName: 'Camille Aubert' });
  const guest = { name: 'Julie', link: 'Samu' };
  signalling.emit('user joined', { ...participantOf('Julie (Samu)'), guest });
  expect(room.getSnapshot().participants.map(({ initialsOf }) => initialsOf)).toEqual([
    ...['self', 'bob', 'Camille Aubert', 'Julie'],
  ]);
});

test('[TALK2] a talker gives way to an administrator, unless an administrator too', async () => {
  const { room, signalling } = await openRoom({ others: ['bob', 'cid'] });
  const everyone = [participantOf('bob'), participantOf('cid', 'admin')];
  const givesWayTo = (role: 'admin' | 'member', talker: string) => {
    signalling.answer('join_room', () =>
      ok<'join_room'>(
        roomStateOf([], { self: participantOf('me', role), participants: everyone, floor: floorOf(1, [talker]) }),
      ),
    );
    signalling.setLink('down');
    signalling.setLink('up');
    return settle().then(() => room.getSnapshot().talkers[0]?.givesWay);
  };
  expect(await givesWayTo('admin', 'bob')).toBe(true);
  expect(await givesWayTo('admin', 'cid')).toBe(false);
  expect(await givesWayTo('member', 'bob')).toBe(false);
});

test('a snapshot and its parts keep their identity while nothing changes', async () => {
  const { room, signalling } = await openRoom({ others: ['bob'] });
  const before = room.getSnapshot();
  const listener = vi.fn();
  room.subscribe(listener);
  signalling.emit('user joined', participantOf('bob'));
  signalling.emit('participant_changed', participantOf('bob'));
  expect(room.getSnapshot()).toBe(before);
  expect(listener).not.toHaveBeenCalled();
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  expect(listener).toHaveBeenCalled();
  const after = room.getSnapshot();
  expect(after).not.toBe(before);
  expect(after.participants[0]).toBe(before.participants[0]);
  expect(after.microphones).toBe(before.microphones);
});

test('when one leaves, those who came after keep their identity', async () => {
  const { room, signalling } = await openRoom({ others: ['bob', 'cid', 'dan'] });
  const [self, , cid, dan] = room.getSnapshot().participants;
  signalling.emit('user_exit', { id: bob, channelId: CHANNEL });
  const after = room.getSnapshot().participants;
  expect(after).toHaveLength(3);
  for (const [index, one] of [self, cid, dan].entries()) expect(after[index]).toBe(one);
});

test('a new name is shown where its bearer stands, and the room goes by its new name', async () => {
  const { room, signalling, network } = await openRoom({ others: ['bob', 'cid'] });
  signalling.emit('participant_changed', { ...participantOf('bob'), name: 'Robert' });
  signalling.emit('participant_changed', { ...participantOf('self'), name: 'Me' });
  signalling.emit('participant_changed', { ...participantOf('stranger'), name: 'Nobody' });
  expect(room.getSnapshot().participants.map(({ name }) => name)).toEqual(['Me', 'Robert', 'cid']);
  const channel = room.getSnapshot().channel as NonNullable<ReturnType<typeof room.getSnapshot>['channel']>;
  signalling.emit('room_changed', { ...channel, name: 'Nord 2', rtcSession: 'Nord2' });
  expect(room.getSnapshot().channel).toMatchObject({ id: channel.id, name: 'Nord 2' });
  expect(network.live()).toHaveLength(2);
  signalling.setLink('down');
  signalling.setLink('up');
  expect(signalling.sentOf('join_room').at(-1)).toMatchObject({ room: 'Nord2', channelId: channel.id });
});

test('[PRES27] whose beats stay away is shown as out of reach until they come again, but not while they talk', async () => {
  const silent = { ...participantOf('cid'), silent: true } as const;
  const { room, signalling, network } = await openRoom({
    state: { participants: [participantOf('bob'), silent] },
  });
  for (const one of network.connections) one.become('connected');
  const media = () => room.getSnapshot().participants.map((one) => `${one.name} ${one.media}`);
  expect(media()).toEqual(['self self', 'bob connected', 'cid failed']);
  signalling.emit('participant_changed', { ...participantOf('bob'), silent: true });
  signalling.emit('participant_changed', { ...participantOf('self'), silent: true });
  signalling.emit('participant_changed', participantOf('cid'));
  expect(media()).toEqual(['self self', 'bob failed', 'cid connected']);
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  expect(media()).toEqual(['self self', 'bob connected', 'cid connected']);
});

test('the mode shown is the floor’s, whatever it was at entry', async () => {
  const { room, signalling } = await openRoom({ others: ['bob'] });
  expect(room.getSnapshot().channel?.talkMode).toBe('single');
  signalling.emit('floor_changed', floorOf(2, ['bob'], { mode: 'open' }));
  expect(room.getSnapshot().channel?.talkMode).toBe('open');
});

test('only the holder of the floor is heard, whatever the others send', async () => {
  const { room, signalling, audio, network, clock } = await openRoom({ others: ['bob', 'cid'] });
  await clock.advance(10);
  const tracks = network.connections.map((one) => one.transceivers[0]?.receiver.track);
  expect(audio.playing.size).toBe(2);
  expect(tracks.map((one) => one?.enabled)).toEqual([false, false]);
  signalling.emit('floor_changed', floorOf(2, ['cid']));
  expect(tracks.map((one) => one?.enabled)).toEqual([false, true]);
  expect(room.level('cid' as ParticipantId)).toBeGreaterThan(0);
  expect(room.level(bob)).toBe(0);
});

test('the room is a large one beyond what a mesh carries', async () => {
  const others = Array.from({ length: 13 }, (_, index) => `p${index}`);
  const { room, signalling } = await openRoom({ others });
  expect(room.getSnapshot().isLarge).toBe(true);
  signalling.emit('user_exit', { id: 'p0' as ParticipantId, channelId: CHANNEL });
  expect(room.getSnapshot().isLarge).toBe(false);
});

test('a lost link is shown, and who isn’t resumed begins anew: new id, new peers, new floor', async () => {
  const { room, signalling, network } = await openRoom({ others: ['bob'] });
  signalling.emit('floor_changed', floorOf(9, ['bob']));
  const old = network.connections.length;
  signalling.setLink('down');
  expect(room.getSnapshot()).toMatchObject({ status: { state: 'lost' } });
  const self = participantOf('anew');
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(['cid'], { self, floor: floorOf(1, ['cid']) })));
  signalling.setLink('up');
  await settle();
  const { status, participants, talkers } = room.getSnapshot();
  expect(status).toEqual({ state: 'joined' });
  expect(participants.map(({ id }) => id)).toEqual(['anew', 'cid']);
  expect(talkers.map(({ id }) => id)).toEqual(['cid']);
  expect(network.connections).toHaveLength(old + 1);
  expect(network.live()).toHaveLength(1);
  expect(signalling.sentOf('offer').at(-1)?.offerReceiveID).toBe('cid');
});

test('news and offers that come before the answer to the join are not lost', async () => {
  const { room, signalling } = await openRoom();
  let answer: (state: RoomState) => void = () => undefined;
  signalling.answer(
    'join_room',
    () =>
      new Promise((resolve) => {
        answer = (state) => resolve(ok<'join_room'>(state));
      }),
  );
  signalling.setLink('down');
  signalling.setLink('up');
  signalling.emit('user joined', participantOf('dan'));
  signalling.emit('getOffer', {
    sdp: { type: 'offer', sdp: 'offer 9 0' },
    offerSendID: 'dan' as ParticipantId,
    link: 'x',
  });
  signalling.emit('floor_changed', floorOf(3, ['dan']));
  await settle();
  answer(roomStateOf(['bob'], { floor: floorOf(2) }));
  await settle();
  expect(room.getSnapshot().participants.map(({ name }) => name)).toEqual(['self', 'bob', 'dan']);
  expect(room.getSnapshot().talkers.map(({ name }) => name)).toEqual(['dan']);
  expect(signalling.sentOf('answer').map(({ link }) => link)).toEqual(['x']);
});

test.each([
  ['not_found', { state: 'closed', reason: 'deleted' }],
  ['not_a_member', { state: 'closed', reason: 'removed' }],
  ['unauthenticated', { state: 'refused', code: 'unauthenticated' }],
] as const)('[PRES16] a refused return (%s) is final, and says what became of it', async (code, status) => {
  const { room, signalling, clock } = await openRoom();
  signalling.answer('join_room', () => ({ ok: false, code, params: {} }));
  signalling.setLink('down');
  signalling.setLink('up');
  await clock.advance(60_000);
  expect(room.getSnapshot().status).toEqual(status);
  expect(signalling.sentOf('join_room')).toHaveLength(2);
});

test('a join that failed for a passing reason is tried again', async () => {
  const { room, signalling, clock } = await openRoom();
  signalling.answer('join_room', () => ({ ok: false, code: 'unavailable', params: { retryAfterSeconds: 1 } }));
  signalling.setLink('down');
  signalling.setLink('up');
  await settle();
  expect(room.getSnapshot().status).toEqual({ state: 'lost' });
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf()));
  await clock.advance(REJOIN_FIRST_MS * 1.34);
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
  await clock.advance(JOIN_DOUBT_MS * 2);
  expect(
    signalling.sentOf('beat').every((beat) => 'rooms' in beat && beat.rooms.every(({ version }) => version > 0)),
  ).toBe(true);
  expect(signalling.reconnects).toBe(0);
});

const never = () => new Promise<never>(() => undefined);

test('[TALK102] a connection that carries neither join nor beat is replaced after 2 s, later each time', async () => {
  const { room, signalling, clock } = await openRoom();
  signalling.answer('join_room', never);
  signalling.answer('beat', never);
  const comeBack = async () => {
    signalling.setLink('down');
    signalling.setLink('up');
    await settle();
  };
  await comeBack();
  for (const [count, middle] of [1, 2, 4, 8, 10, 10].map((times) => times * REJOIN_FIRST_MS).entries()) {
    await clock.advance(JOIN_DOUBT_MS + middle * 0.66);
    expect(signalling.reconnects).toBe(count);
    await clock.advance(middle * 0.68);
    expect(signalling.reconnects).toBe(count + 1);
    expect(signalling.sentOf('join_room'), 'none more on a connection that carries none').toHaveLength(count + 2);
    await comeBack();
  }
  expect(room.getSnapshot().status).toEqual({ state: 'lost' });
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf()));
  await comeBack();
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
});

test.each(['not_in_room', 'internal'] as const)(
  '[TALK102] a slow join is asked again on its connection while that answers, if only %s',
  async (code) => {
    const { room, signalling, clock } = await openRoom();
    signalling.answer('beat', () => ({ ok: false, code, params: {} }));
    signalling.answer('join_room', async () => {
      await new Promise<void>((resolve) => clock.after(5_000, resolve));
      return { ok: false, code: 'unavailable', params: {} };
    });
    const before = signalling.sentOf('beat').length;
    signalling.setLink('down');
    signalling.setLink('up');
    await clock.advance(5_000 + REJOIN_FIRST_MS * 1.34);
    expect(signalling.sentOf('beat').length - before, 'one beside the join').toBe(1);
    expect(signalling.sentOf('join_room')).toHaveLength(3);
    await clock.advance(60_000);
    expect(signalling.reconnects).toBe(0);
    signalling.answer('join_room', () => ok<'join_room'>(roomStateOf()));
    await clock.advance(20_000);
    expect(room.getSnapshot().status).toEqual({ state: 'joined' });
  },
);

test('[TALK102] a join that is answered late is an answer, and nothing is asked or replaced afterwards', async () => {
  const { room, signalling, clock } = await openRoom();
  signalling.answer('beat', never);
  signalling.answer('join_room', async () => {
    await new Promise<void>((resolve) => clock.after(JOIN_DOUBT_MS + 500, resolve));
    return ok<'join_room'>(roomStateOf());
  });
  signalling.setLink('down');
  signalling.setLink('up');
  await clock.advance(JOIN_DOUBT_MS + 600);
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
  await clock.advance(1_500);
  expect(signalling.reconnects).toBe(0);
});

test('a room that is closed before its join is answered stays so, and nothing runs any more', async () => {
  const { room, signalling, clock } = await openRoom();
  let enter: () => void = () => undefined;
  signalling.answer(
    'join_room',
    () => new Promise((resolve) => (enter = () => resolve(ok<'join_room'>(roomStateOf())))),
  );
  signalling.answer('beat', () => ({ ok: false, code: 'not_in_room', params: {} }));
  signalling.setLink('down');
  signalling.setLink('up');
  signalling.emit('room_closed', { channelId: roomStateOf().channel.id, reason: 'deleted' });
  signalling.emit('user joined', participantOf('dan'));
  enter();
  await settle();
  expect(clock.pending()).toBe(0);
  await clock.advance(20_000);
  expect(room.getSnapshot()).toMatchObject({ status: { state: 'closed', reason: 'deleted' }, participants: [{}] });
  expect(signalling.sentOf('join_room')).toHaveLength(2);
});

test('a session that the server no longer accepts is a refusal', async () => {
  const { room, signalling } = await openRoom();
  signalling.setLink('refused');
  expect(room.getSnapshot().status).toEqual({ state: 'refused', code: 'unauthenticated' });
});

test('without a microphone the room is entered for listening, and one that comes later is sent', async () => {
  const { room, signalling, microphones, network } = await openRoom({ others: ['bob'] });
  microphones.permit('denied');
  await settle();
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
  expect(network.connections[0]?.sender.track).toBeNull();
  await room.retryMicrophone();
  await settle();
  expect(network.connections[0]?.sender.track).toBe(microphones.current());
  expect(signalling.sentOf('offer')).toHaveLength(1);
});

test('[TALK92] join and links wait for no microphone, which is sent from the moment that it is there', async () => {
  const { room, signalling, microphones, network } = await openRoom({ others: ['bob'], isAskingForMicrophone: true });
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
  expect(signalling.sentOf('offer')).toHaveLength(1);
  expect(network.connections[0]?.sender.track).toBeNull();
  microphones.answer();
  await settle();
  expect(network.connections[0]?.sender.track).toBe(microphones.current());
  expect(signalling.sentOf('offer')).toHaveLength(1);
});

test('sound that waits for a gesture is shown, and a gesture lets it begin', async () => {
  const { room, audio, signalling, clock } = await openRoom();
  audio.isBlocked = true;
  signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(['bob'])));
  signalling.setLink('down');
  signalling.setLink('up');
  await clock.advance(10);
  expect(room.getSnapshot().playback).toBe('blocked');
  audio.isBlocked = false;
  await room.unlockAudio();
  expect(room.getSnapshot().playback).toBe('running');
  audio.setRunning(false);
  await clock.advance(1_000);
  expect(room.getSnapshot().playback).toBe('blocked');
  room.press();
  await settle();
  expect(room.getSnapshot().playback).toBe('running');
});

test('close is final: nothing is heard, sent, listened to or waited for any more', async () => {
  const { room, signalling, audio, network, microphones, clock } = await openRoom({ others: ['bob'] });
  room.close();
  room.close();
  room.press();
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  await clock.advance(60_000);
  expect(room.getSnapshot().status).toEqual({ state: 'closed', reason: 'left' });
  expect(signalling.sentOf('leave_room')).toHaveLength(1);
  expect(signalling.sentOf('floor_request')).toEqual([]);
  expect([signalling.listeners(), network.live().length, audio.playing.size, clock.pending()]).toEqual([0, 0, 0, 0]);
  expect(microphones.current().readyState).toBe('ended');
});

test('the end of another channel is no end of this one', async () => {
  const { room, signalling } = await openRoom();
  const other = '01890000-0000-7000-8000-000000000002' as typeof CHANNEL;
  signalling.emit('room_closed', { channelId: other, reason: 'deleted' });
  expect(room.getSnapshot().status).toEqual({ state: 'joined' });
});
