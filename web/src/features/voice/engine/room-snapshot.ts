import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { MESH_COMFORT_SIZE } from '@pressel/contract/limits';
import type { Participant } from '@pressel/contract/presence';
import type { FloorView } from './floor.ts';
import type { Microphone } from './microphone.ts';
import type { MissedTalksTracker, RecentTalks } from './past-talks.ts';
import type { Platform } from './platform.ts';
import type { Playback } from './playback.ts';
import type { TalkControl } from './talk-control.ts';
import type { EnginePreferences, PeerState, RoomParticipant, RoomSnapshot, RoomStatus } from './types.ts';

/** The volumes at which a room is played [TALK56] [TALK125]. */
export interface Loudness extends Pick<EnginePreferences, 'volumes' | 'roomVolume'> {
  isSoundOff: boolean;
}

/** The volume at which a person is played, 0..1. */
export const volumeFor = ({ volumes, roomVolume, isSoundOff }: Loudness, userId: UserId): number =>
  isSoundOff ? 0 : roomVolume * (volumes[userId] ?? 1);

export interface SnapshotSources {
  status: RoomStatus;
  channel: RoomSnapshot['channel'];
  self: Participant | null;
  loudness: Loudness;
  /** Participants without self, in order of arrival. */
  others: readonly Participant[];
  floor: Pick<FloorView, 'current' | 'since' | 'lastTalk'>;
  talk: Pick<TalkControl, 'state'>;
  isSoundless: boolean;
  microphone: Pick<Microphone, 'state' | 'choices'>;
  playback: Pick<Playback, 'state'>;
  missedTalks: Pick<MissedTalksTracker, 'missed'>;
  recent: Pick<RecentTalks, 'current'>;
  platform: Pick<Platform, 'loudspeaker' | 'canSetVolume'>;
  peerState(id: ParticipantId): PeerState;
}

/** Builds the room's snapshot. Unchanged parts keep their identity from `previous`. */
export const takeSnapshot = (sources: SnapshotSources, previous: RoomSnapshot | null): RoomSnapshot => {
  const { status, channel, self, others, floor, talk, loudness } = sources;
  const current = floor.current();
  const talkerIds = new Set(current?.talkers.map(({ id }) => id));
  const everyone = self === null ? others : [self, ...others];
  const participants = everyone.map((one): RoomParticipant => {
    const isSelf = one.id === self?.id;
    const isTalking = isSelf ? isOnAir(talk.state().state) || talkerIds.has(one.id) : talkerIds.has(one.id);
    return {
      id: one.id,
      userId: one.userId,
      name: one.name,
      isSelf,
      isOwnOther: !isSelf && one.userId === self?.userId,
      isTalking,
      queuePosition: (current?.queue.indexOf(one.id) ?? -1) + 1,
      media: isSelf ? 'self' : reach(one, isTalking, sources.peerState(one.id)),
      volume: loudness.volumes[one.userId] ?? 1,
      isSilenced: !isSelf && volumeFor(loudness, one.userId) === 0,
      video: one.video ?? null,
      initialsOf: one.guest?.name ?? one.fullName ?? one.name,
      photo: one.photo_url ?? null,
      guest: one.guest ?? null,
    };
  });
  const talkers = (current?.talkers ?? [])
    .filter(({ id }) => id !== self?.id)
    .map(({ id, name }) => ({ id, name, since: floor.since(id), givesWay: givesWay(self, others, id) }));

  const next: RoomSnapshot = {
    status,
    // The floor decides the talk mode, and is the first to know it.
    channel: channel === null || current === null ? channel : { ...channel, talkMode: current.mode },
    participants,
    microphone: sources.microphone.state(),
    microphones: sources.microphone.choices(),
    talk: talk.state(),
    isSoundless: sources.isSoundless,
    talkers,
    lastTalk: floor.lastTalk(),
    recentTalks: sources.recent.current(),
    missed: sources.missedTalks.missed(),
    playback: sources.playback.state(),
    isLoudspeakerGone: sources.platform.loudspeaker.getSnapshot().isGone,
    canSetVolume: sources.platform.canSetVolume(),
    isSoundOff: loudness.isSoundOff,
    isLarge: participants.length > MESH_COMFORT_SIZE,
  };
  return keepIdentity(previous, next);
};

/**
 * Participants whose beats stay away can't be reached, though their link may live: the server can't tell them who
 * talks. Their own voice still arrives [PRES27].
 */
const reach = ({ silent }: Participant, isTalking: boolean, peer: PeerState): PeerState =>
  silent === true && !isTalking ? 'failed' : peer;

/** Administrators pre-empt members; participants of equal role never pre-empt each other. */
const givesWay = (self: Participant | null, others: readonly Participant[], id: ParticipantId) =>
  self?.role === 'admin' && others.find((one) => one.id === id)?.role === 'member';

const isOnAir = (state: RoomSnapshot['talk']['state']) => state === 'talking';

/**
 * Returns `next` with every deeply equal object and array replaced by that of `previous`. Items with an id are compared
 * by id, because all indexes after a removed item change.
 */
const keepIdentity = <T>(previous: T | null, next: T): T => {
  if (previous === next || previous === null) return next;
  if (Array.isArray(previous) && Array.isArray(next)) {
    const byId = new Map(previous.filter(hasId).map((item) => [item.id, item]));
    const kept = next.map((item: unknown, index) =>
      keepIdentity<unknown>((hasId(item) ? byId.get(item.id) : previous[index]) ?? null, item),
    );
    const isSame = kept.length === previous.length && kept.every((item, index) => item === previous[index]);
    return isSame ? previous : (kept as T);
  }
  if (!isPlain(previous) || !isPlain(next) || Array.isArray(previous) || Array.isArray(next)) return next;
  const before: Record<string, unknown> = previous;
  const kept = Object.fromEntries(
    Object.entries(next).map(([key, value]) => [key, keepIdentity<unknown>(before[key] ?? null, value)]),
  );
  const keys = Object.keys(kept);
  const isSame = keys.length === Object.keys(before).length && keys.every((key) => Object.is(kept[key], before[key]));
  return isSame ? previous : (kept as T);
};

const hasId = (item: unknown): item is { id: unknown } => isPlain(item) && 'id' in item;

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
