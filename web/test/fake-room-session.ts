import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { PositionSharing, SharingState } from '#src/features/positions/position-sharing.ts';
import type { EnteredRoom } from '#src/features/room/entered-rooms.ts';
import { createPageTalk, type PageTalk } from '#src/features/voice/engine/page-talk.ts';
import type { Stop } from '#src/features/voice/engine/platform.ts';
import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import type { RoomParticipant, RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { createLevelMeter } from '#src/features/voice/level-meter.ts';
import type { RoomSource, VoiceActions } from '#src/features/voice/use-room-selector.ts';
import { createFakeOutputs } from './fake-outputs.ts';

/** A participant; tests usually make the first one self. */
export function person(number: number, change: Partial<RoomParticipant> = {}): RoomParticipant {
  return {
    id: `socket-${number}` as ParticipantId,
    userId: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as UserId,
    name: `Personne ${number}`,
    initialsOf: change.guest?.name ?? change.name ?? `Personne ${number}`,
    isSelf: false,
    isOwnOther: false,
    isTalking: false,
    queuePosition: 0,
    media: 'connected',
    volume: 1,
    isSilenced: change.volume === 0,
    video: null,
    guest: null,
    photo: null,
    ...change,
  };
}

/** Self and `count - 1` others. */
export const people = (count: number): RoomParticipant[] =>
  Array.from({ length: count }, (_, index) => person(index, index === 0 ? { isSelf: true, media: 'self' } : {}));

/** Snapshot of a joined room with self and Camille, without problems, nobody talking. */
export function roomSnapshot(change: Partial<RoomSnapshot> = {}): RoomSnapshot {
  return {
    status: { state: 'joined' },
    channel: {
      id: '00000000-0000-7000-8000-00000000c0c0' as ChannelId,
      name: 'Maraude Nord',
      rtcSession: 'MaraudeNord',
      talkMode: 'single',
    },
    participants: [person(0, { name: 'Nadia', isSelf: true, media: 'self' }), person(1, { name: 'Camille' })],
    microphone: { state: 'ready', deviceId: 'mic-1', label: 'Casque' },
    microphones: [
      { deviceId: 'mic-1', label: 'Casque' },
      { deviceId: 'mic-2', label: 'Table' },
    ],
    talk: { state: 'idle' },
    isSoundless: false,
    talkers: [],
    missed: null,
    lastTalk: null,
    recentTalks: [],
    playback: 'running',
    isLoudspeakerGone: false,
    isSoundOff: false,
    canSetVolume: true,
    isLarge: false,
    ...change,
  };
}

/** Camille has the floor. */
export const camilleTalks = (): Partial<RoomSnapshot> => ({
  participants: [
    person(0, { name: 'Nadia', isSelf: true, media: 'self' }),
    person(1, { name: 'Camille', isTalking: true }),
  ],
  talkers: [{ id: 'socket-1' as ParticipantId, name: 'Camille', since: 0, givesWay: false }],
});

/**
 * A fake room: `show` sets its snapshot, `calls` lists the method calls, oldest first. `pageTalk`: rooms of one page
 * share it. As an entered room, it talks to the room once it has the key.
 */
export function createFakeRoomSession(first: RoomSnapshot = roomSnapshot(), pageTalk: PageTalk = createPageTalk()) {
  const listeners = new Set<() => void>();
  const calls: string[] = [];
  let snapshot = first;
  let leave: Stop | undefined;
  const room: RoomSession = {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press: () => void calls.push('press'),
    release: () => void calls.push('release'),
    letGo: () => void calls.push('let go'),
    stop: () => void calls.push('stop'),
    level: () => 0.5,
    selectMicrophone: async (deviceId) => void calls.push(`microphone ${deviceId}`),
    retryMicrophone: async () => void calls.push('retry'),
    unlockAudio: async () => void calls.push('unlock'),
    setSoundOff: (isOff) => void calls.push(`sound ${isOff ? 'off' : 'on'}`),
    dismissMissed: () => void calls.push('dismiss'),
    setPreferences: ({ tones, tailMs }) => void calls.push(`preferences ${tones} ${tailMs}`),
    loudspeaker: createFakeOutputs().loudspeaker(),
    probe: { track: () => null, meter: () => ({ read: () => null, close: () => undefined }) },
    pageTalk: {
      ...pageTalk,
      setKey(change) {
        // Added when a page sets its key, not by the last call of a closing page.
        if (change.code !== undefined) leave ??= pageTalk.add(room);
        pageTalk.setKey(change);
      },
    },
    video: null,
    keepEngineOpen: () => () => undefined,
    close() {
      leave?.();
      leave = undefined;
      calls.push('close');
    },
  };
  return {
    room,
    calls,
    show(next: RoomSnapshot) {
      snapshot = next;
      for (const listener of [...listeners]) listener();
    },
    watchers: () => listeners.size,
  };
}

/** The source that a view reads, of a room that stands still. */
export const roomSource = (change: Partial<RoomSnapshot> = {}): RoomSource =>
  createFakeRoomSession(roomSnapshot(change)).room;

const OFF: SharingState = { state: 'off' };
const NO_SHARING: PositionSharing = {
  getSnapshot: () => OFF,
  subscribe: () => () => undefined,
  start: () => undefined,
  stop: () => undefined,
};

/** An entered room. */
export const fakeEnteredRoom = (room: RoomSession, sharing: PositionSharing = NO_SHARING): EnteredRoom => ({
  sharing,
  room,
  actions: fakeActions(room),
  close: room.close,
});

/** Actions for views that are rendered without a room. */
export function fakeActions(room: RoomSession = createFakeRoomSession().room): VoiceActions {
  return {
    stop: room.stop,
    reconnect: () => undefined,
    levels: createLevelMeter(room.level),
    selectMicrophone: room.selectMicrophone,
    retryMicrophone: room.retryMicrophone,
    unlockAudio: room.unlockAudio,
    setSoundOff: room.setSoundOff,
    dismissMissed: room.dismissMissed,
    loudspeaker: room.loudspeaker,
    probe: room.probe,
    bindButton: () => undefined,
  };
}
