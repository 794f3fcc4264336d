import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { CHANNEL, floorOf, openRoom, participantOf } from '#test/voice-bench.ts';

const bob = 'bob' as ParticipantId;

test('[TALK56] a person is played as loud as this listener wants, also who comes back, and nobody is told', async () => {
  const { room, audio, network, signalling } = await openRoom({ others: ['bob', 'cid'] });
  for (const one of network.connections) one.become('connected');
  const bobsId = participantOf('bob').userId;
  const sent = signalling.sent.length;
  room.setPreferences({ tones: true, tailMs: 200, hearsOwnDevices: false, volumes: { [bobsId]: 0.25 }, roomVolume: 1 });
  expect([...audio.volumes.values()]).toEqual([0.25, 1]);
  expect(room.getSnapshot().participants.map(({ name, volume }) => `${name} ${volume}`)).toEqual([
    'self 1',
    'bob 0.25',
    'cid 1',
  ]);
  expect(signalling.sent).toHaveLength(sent);

  signalling.emit('user_exit', { id: bob, channelId: CHANNEL });
  signalling.emit('user joined', { ...participantOf('bob'), id: 'bob-again' as ParticipantId });
  await settle();
  expect(room.getSnapshot().participants.at(-1)).toMatchObject({ id: 'bob-again', volume: 0.25 });
  room.setPreferences({ tones: true, tailMs: 200, hearsOwnDevices: false, volumes: {}, roomVolume: 1 });
  expect(room.getSnapshot().participants.at(-1)).toMatchObject({ id: 'bob-again', volume: 1 });
});

test('[TALK125] a room has one volume, of which a person’s own is a part, and is silent on demand for as long as the stay lasts', async () => {
  const { room, audio, network, signalling } = await openRoom({ others: ['bob', 'cid'] });
  for (const one of network.connections) one.become('connected');
  const bobsId = participantOf('bob').userId;
  const preferences = { tones: true, tailMs: 200, hearsOwnDevices: false, volumes: { [bobsId]: 0.5 }, roomVolume: 0.5 };
  room.setPreferences(preferences);
  expect([...audio.volumes.values()]).toEqual([0.25, 0.5]);
  expect(room.getSnapshot().participants.map(({ volume }) => volume)).toEqual([1, 0.5, 1]);
  room.setSoundOff(true);
  signalling.emit('floor_changed', floorOf(2, ['cid']));
  await settle();
  expect([...audio.playing].map((track) => track.enabled)).toEqual([false, false]);
  expect(room.getSnapshot().isSoundOff).toBe(true);
  expect(room.getSnapshot().participants.map(({ isSilenced }) => isSilenced)).toEqual([false, true, true]);
  room.setSoundOff(false);
  expect([...audio.playing].map((track) => track.enabled)).toEqual([false, true]);
  expect([...audio.volumes.values()]).toEqual([0.25, 0.5]);
});
