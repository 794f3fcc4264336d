import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig, Participant, RoomParticipant, RoomState } from '@pressel/contract/presence';
import type { Ack } from '@pressel/contract/realtime';
import { type FloorNews, floorText, type LoggedTalk } from '@pressel/contract/voice';
import { onTestFinished } from 'vitest';
import type { RoomOptions, RoomSession } from '#src/features/voice/engine/room-types.ts';
import { createVoiceEngine, type VoiceEngine } from '#src/features/voice/engine/voice-engine.ts';
import { createFakeAudio, type FakeAudio } from './fake-audio.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.ts';
import { createFakeMicrophones, type FakeMicrophones } from './fake-microphone.ts';
import { createFakeOutputs, type FakeOutputs } from './fake-outputs.ts';
import { createFakeNetwork, type FakeNetwork, type FakePeerConnection } from './fake-peer-connection.ts';
import { createFakeSignalling, type FakeSignalling, ok } from './fake-signalling.ts';

export const CHANNEL = '01890000-0000-7000-8000-000000000001' as ChannelId;
export const participantOf = (name: string, role: Participant['role'] = 'member'): RoomParticipant => ({
  id: name as ParticipantId,
  channelId: CHANNEL,
  userId: `01890000-0000-7000-8000-0000000000${(name.codePointAt(0) ?? 0).toString(16)}` as UserId,
  name,
  role,
});

export const NO_ICE: IceConfig = { iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 3600 };

/** The fake server's signature of a floor's text with this key. */
export const signedBy = (publicKey: string, text: string) =>
  [...(publicKey + text)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 32, 7).toString(36);

export const floorOf = (version: number, talkers: string[] = [], more: Partial<FloorNews> = {}): FloorNews => ({
  channelId: CHANNEL,
  version,
  mode: 'single',
  talkers: talkers.map((name) => ({ ...participantOf(name), talkingMs: 0, remainingMs: 30_000 })),
  queue: [],
  signedAt: 0,
  signature: '',
  ...more,
});

export const roomStateOf = (others: string[] = [], more: Partial<RoomState> = {}): RoomState => ({
  channel: { id: CHANNEL, name: 'Alpha', rtcSession: 'Alpha', talkMode: 'single' },
  self: participantOf('self'),
  participants: others.map((name) => participantOf(name)),
  floor: floorOf(1),
  floorKey: 'key',
  stay: '1.proof',
  resume: 'self.token',
  ice: NO_ICE,
  ...more,
});

export interface Bench {
  engine: VoiceEngine;
  /** Enters another room at the same engine. */
  enter(room: string, more?: Partial<RoomOptions>): RoomSession;
  room: RoomSession;
  clock: FakeClock;
  signalling: FakeSignalling;
  microphones: FakeMicrophones;
  audio: FakeAudio;
  network: FakeNetwork;
  outputs: FakeOutputs;
  /** Whether the microphone's track is enabled. */
  isMicOpen(): boolean;
}

export interface BenchOptions extends Pick<RoomOptions, 'createVideo' | 'memory'> {
  others?: string[];
  tailMs?: number;
  state?: Partial<RoomState>;
  /** The server's answer to joins; by default all are let in. */
  join?: () => Ack<'join_room'> | Promise<Ack<'join_room'>>;
  /** The browser asks whether the microphone may be used; nobody has answered yet. */
  isAskingForMicrophone?: boolean;
  /** A signalling that others listen to already. */
  signalling?: FakeSignalling;
  /** A clock that runs on, as through a reload. */
  clock?: FakeClock;
  /** The server's list of last talks. */
  lastTalks?: () => LoggedTalk[];
}

/** A room with fakes, joined and with its microphone ready; the server grants all requests. */
export const openRoom = async (options: BenchOptions = {}): Promise<Bench> => {
  const clock = options.clock ?? createFakeClock();
  const signalling = options.signalling ?? createFakeSignalling();
  const microphones = createFakeMicrophones('built-in', 'headset');
  microphones.isAsking = options.isAskingForMicrophone ?? false;
  const audio = createFakeAudio();
  const network = createFakeNetwork();
  const outputs = createFakeOutputs('desk', 'headset');
  let names = 0;
  signalling.answer('join_room', options.join ?? (() => ok<'join_room'>(roomStateOf(options.others, options.state))));
  signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'granted', channelId: CHANNEL, seq, talkMs: 30_000, leaseMs: 2_400 }),
  );
  signalling.answer('floor_release', ({ seq }) => ok<'floor_release'>({ type: 'released', channelId: CHANNEL, seq }));
  signalling.answer('talks_since', () => ok<'talks_since'>({ talks: [] }));
  signalling.answer('last_talks', () => ok<'last_talks'>({ talks: options.lastTalks?.() ?? [] }));
  signalling.answer('ice_config', () => ok<'ice_config'>(NO_ICE));
  const engine = createVoiceEngine({
    signalling,
    platform: {
      clock,
      randomId: () => {
        names += 1;
        return `link-${names}`;
      },
      createPeerConnection: network.create,
      checkBy: (publicKey) => async (text, signature) => signature === signedBy(publicKey, text),
      microphone: microphones,
      createSink: audio.createSink,
      sound: audio.webAudio,
      loudspeaker: outputs.loudspeaker(),
      canSetVolume: () => true,
    },
    preferences: { tones: true },
  });
  const rooms: RoomSession[] = [];
  const enter = (room: string, more: Partial<RoomOptions> = {}) => {
    const entered = engine.enter({
      room,
      preferences: { tones: true, tailMs: options.tailMs ?? 200, hearsOwnDevices: false, volumes: {}, roomVolume: 1 },
      ...more,
    });
    rooms.push(entered);
    return entered;
  };
  onTestFinished(() => {
    for (const room of rooms) room.close();
  });
  const { memory, createVideo } = options;
  const room = enter('Alpha', { memory, createVideo });
  await settle();
  const isMicOpen = () => microphones.given.some((track) => track.enabled && track.readyState === 'live');
  return { engine, enter, room, clock, signalling, microphones, audio, network, outputs, isMicOpen };
};

/** Brings the links to all others up, or into another state. */
export const linkAll = ({ network }: Bench, state: RTCPeerConnectionState = 'connected'): void => {
  for (const connection of network.live()) connection.become(state);
};

/** A floor as signed by the server at which `openRoom` enters a room. */
export const genuine = (news: FloorNews): FloorNews => ({ ...news, signature: signedBy('key', floorText(news)) });

/** The open data channel of the link to the other participant of this index: what they were told, and how they say something. */
export const openLine = async (bench: Bench, index = 0) => {
  const connection = bench.network.connections[index] as FakePeerConnection;
  connection.become('connected');
  const { channel } = connection;
  if (channel === null) throw new Error('no channel');
  const told: (FloorNews & { isPress?: true })[] = [];
  channel.send = (text) => void told.push(JSON.parse(text as string));
  channel.open();
  const hear = async (data: unknown) => {
    channel.onmessage?.({ data: typeof data === 'object' ? JSON.stringify(data) : data });
    await settle();
  };
  return { channel, told, hear };
};
