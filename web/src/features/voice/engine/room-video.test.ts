import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createFakeCameras } from '#test/fake-cameras.ts';
import { settle } from '#test/fake-clock.ts';
import { type BenchOptions, CHANNEL, openRoom, participantOf } from '#test/voice-bench.ts';
import { createVideo } from './video.ts';

const openVideoRoom = async (join?: BenchOptions['join']) => {
  const cameras = createFakeCameras('front');
  const bench = await openRoom({
    ...(join === undefined ? {} : { join }),
    createVideo: (deps) => createVideo({ ...deps, access: cameras, isCameraOn: true, cameraId: '' }),
    state: {
      self: { ...participantOf('self'), video: 'off' },
      participants: [{ ...participantOf('bob'), video: 'camera' }, participantOf('radio')],
    },
  });
  const joins = () => bench.signalling.sentOf('join_room').map(({ video }) => video);
  return { ...bench, cameras, joins };
};

test('[VID1] who comes by the video view says so, and shares pictures with their like', async () => {
  const { room, signalling, network, joins } = await openVideoRoom();
  expect(joins()).toEqual(['off']);
  expect(room.getSnapshot().participants.map(({ name, video }) => `${name} ${video}`)).toEqual([
    'self off',
    'bob camera',
    'radio null',
  ]);
  expect(network.live().map(({ transceivers }) => transceivers.length)).toEqual([2, 1]);
  expect([...(room.video?.getSnapshot().pictures.keys() ?? [])]).toEqual(['bob']);
  signalling.emit('participant_changed', { ...participantOf('bob'), video: 'screen' });
  expect(room.getSnapshot().participants[1]?.video).toBe('screen');
});

test('[TALK157] the video view opens no connection before the answer to its join', async () => {
  const { network, clock } = await openVideoRoom(() => new Promise(() => undefined));
  await clock.advance(0);
  expect(network.connections).toEqual([]);
});

test('[VID5] the camera that starts while the room is entered is told then; who comes back says it at once', async () => {
  const { room, signalling, joins } = await openVideoRoom();
  await settle();
  expect(signalling.sentOf('video_state')).toEqual([{ channelId: CHANNEL, video: 'camera' }]);
  signalling.setLink('down');
  await room.video?.shareScreen();
  expect(signalling.sentOf('video_state')).toHaveLength(1);
  signalling.setLink('up');
  await settle();
  expect(joins()).toEqual(['off', 'screen']);
  expect(signalling.sentOf('video_state')).toHaveLength(1);
});

test('[VID2] the radio says nothing of video and has no line for it', async () => {
  const { room, signalling, network } = await openRoom({
    state: { participants: [{ ...participantOf('bob'), video: 'camera' }] },
  });
  expect(room.video).toBeNull();
  expect(signalling.sentOf('join_room')).toEqual([{ room: 'Alpha', resume: null }]);
  expect(network.live().map(({ transceivers }) => transceivers.length)).toEqual([1]);
});

test('leaving stops the camera and takes all pictures away', async () => {
  const { room, cameras, network } = await openVideoRoom();
  room.close();
  await settle();
  expect(cameras.given.map(({ readyState }) => readyState)).toEqual(['ended']);
  expect(network.live()).toEqual([]);
  expect(room.video?.getSnapshot().pictures.has('bob' as ParticipantId)).toBe(false);
});
