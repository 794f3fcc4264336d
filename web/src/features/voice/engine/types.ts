import type { ErrorCode } from '@pressel/contract/errors';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig, VideoShown } from '@pressel/contract/presence';
import type { DenyReason, RevokeReason } from '@pressel/contract/voice';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** The engine's connection to the server: what it uses of the app's socket. Tests use a fake. */
export type Signalling = Pick<Realtime, 'send' | 'on' | 'onLink' | 'reconnect'>;

/**
 * The media layer below talk control: a mesh today, an SFU for large channels later. Hides peers, offers and
 * candidates. It belongs to the page, not to a room: two people who meet in several rooms have one connection.
 */
export interface VoiceMedia {
  /**
   * Call during a join: prepares a first connection before its recipient is known. Returns the function that undoes
   * this if the answer named nobody.
   */
  prepare(): () => void;
  /**
   * Call after each join, with self's id and the ICE servers. Nothing is sent or accepted before the first call. A new
   * id drops all connections, which led to the old one.
   */
  reenter(credentials: MediaCredentials): void;
  /** Sets who gets self's voice. Immediate and local; cannot fail. */
  setSending(to: Recipients): void;
  /** Sends a text to these participants over the links, beside the voices. It reaches those whose link is open. */
  tell(text: string, to: ReadonlySet<ParticipantId>): void;
  /** Plays exactly these participants and mutes all others. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  /** Sets the participants besides self, and connects or disconnects peers accordingly. */
  setParticipants(others: readonly MediaPeer[]): void;
  /** Current level of a participant, 0..1 (own microphone for self's id); 0 if unknown. */
  level(id: ParticipantId): number;
  /** Whether any voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Whether any of this participant's voice came out of the jitter buffer since the last call, heard or not. */
  isPlayed(id: ParticipantId): boolean;
  /**
   * How long this participant's voice waited in the jitter buffer since the last call, ms on average; 0 if it didn't,
   * or if that is unknown.
   */
  bufferedMs(id: ParticipantId): Promise<number>;
  peerState(id: ParticipantId): PeerState;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export type Recipients = 'nobody' | 'all' | ReadonlySet<ParticipantId>;

/**
 * `person`: shared by all participants of one person. `guestsOf`: shared by all guests of one link: its name. Two links
 * of one name can't be told apart [LINK12]. `isEarlier`: was in the room before self; self makes the offer [LINK1].
 */
export interface MediaPeer {
  readonly id: ParticipantId;
  readonly person: string;
  readonly guestsOf?: string | null;
  readonly isEarlier: boolean;
}

/** Credentials for media: a mesh needs ICE servers; an SFU will add its own kind. */
export interface MediaCredentials {
  self: ParticipantId;
  ice: IceConfig;
}

export type PeerState = 'connecting' | 'connected' | 'interrupted' | 'failed';

/** Why a device can't be used. `insecure`: the page is neither https nor localhost. */
export type DeviceFailure = 'missing' | 'refused' | 'busy' | 'insecure' | 'unplugged';

/**
 * `muted`: the microphone is open and delivers silence, because something outside the page muted it: a telephone call,
 * a switch of the headset or the system, or another tab. It comes back by itself.
 */
export type MicrophoneState =
  | { state: 'starting' }
  | { state: 'ready'; deviceId: string; label: string }
  | { state: 'unavailable'; reason: DeviceFailure | 'muted' };

/** A microphone or camera that the user can choose. */
export interface DeviceChoice {
  deviceId: string;
  label: string;
}

/** Talk control as the user sees it. `since` and `endsAt` are performance.now() readings, ms. */
export type TalkState =
  | { state: 'idle' }
  /**
   * Pressed, not answered yet. `open`: the microphone is already open, because the floor was free. `late`: the answer
   * is overdue, so probably nobody hears [TALK83].
   */
  | { state: 'asking'; since: number; open: boolean; late: boolean }
  | { state: 'talking'; since: number; endsAt: number }
  /** Released; the microphone stays open for the tail, so that the last word isn't cut off. */
  | { state: 'ending'; since: number }
  | { state: 'queued'; since: number; position: number; size: number }
  /** Still pressed, but not allowed to talk; lasts until the release. */
  | { state: 'denied'; reason: DenyReason | 'link' | 'microphone' | 'unanswered'; talkerName: string | undefined }
  | { state: 'revoked'; reason: RevokeReason | 'link'; byName: string | undefined }
  /** Not pressed any more: nobody heard the last press [TALK84]. Ends by itself. */
  | { state: 'unheard' };

export interface RoomParticipant {
  id: ParticipantId;
  userId: UserId;
  name: string;
  /** The source of their initials: first and last name, or a guest's name [ROOM21]. */
  initialsOf: string;
  isSelf: boolean;
  /** Whether it is self's user in another tab or on another device. */
  isOwnOther: boolean;
  isTalking: boolean;
  /** Position in the floor's queue, from 1; 0 when not waiting. */
  queuePosition: number;
  media: PeerState | 'self';
  /** The volume at which this listener plays them, 0..1 [TALK56]. */
  volume: number;
  /** Whether this listener silenced them, or the whole room [TALK125]. */
  isSilenced: boolean;
  /** The picture that they show; null for participants outside the video view [VID1]. */
  video: VideoShown | null;
  /** The address of their photo; null without one. */
  photo: string | null;
  /** A guest's name, and the name of the guest link; null for participants with an account [GUEST8]. */
  guest: { name: string; link: string } | null;
}

/** Volumes by person; anybody not named has volume 1. */
export type Volumes = Readonly<Record<string, number>>;

/**
 * `silent`: joined, but the server doesn't answer, so the shown state may be old [TALK101]; ends by itself. `lost`: was
 * joined, and rejoins by itself. `closed`: final, see reason.
 */
export type RoomStatus =
  | { state: 'joining' }
  | { state: 'joined' }
  | { state: 'silent' }
  | { state: 'lost' }
  | { state: 'refused'; code: ErrorCode }
  | { state: 'closed'; reason: 'removed' | 'deleted' | 'signed_out' | 'link_ended' | 'left' };

/** A status by which the room refused the user or put them out. */
export type FinalStatus = Extract<RoomStatus, { state: 'refused' | 'closed' }>;

/** The cause, as the key of its words in `closed.<cause>`. */
export type FinalCause =
  | 'not_found'
  | 'not_a_member'
  | 'unauthenticated'
  | 'other'
  | Extract<RoomStatus, { state: 'closed' }>['reason'];

export const isFinal = (status: RoomStatus): status is FinalStatus =>
  status.state === 'refused' || status.state === 'closed';

export function causeOf(status: FinalStatus): FinalCause {
  if (status.state === 'closed') return status.reason;
  const { code } = status;
  return code === 'not_found' || code === 'not_a_member' || code === 'unauthenticated' ? code : 'other';
}

/** Talks of others of which nothing was audible, and their talkers, each name once, in order of the first talk. */
export interface MissedTalks {
  count: number;
  names: readonly string[];
}

/** A talk that has ended. `endedAt` is a performance.now() reading, ms. */
export interface LastTalk {
  name: string;
  isSelf: boolean;
  endedAt: number;
  durationMs: number;
}

/** One of the channel's last talks. Times are ms since 1970, by this device's clock. */
export interface RecentTalk {
  userId: UserId;
  /** The talker's name at that time. */
  name: string;
  beganAt: number;
  endedAt: number;
  /** Total time of talking, ms. */
  talkMs: number;
  /** Number of talks: more than one if the log joins several in one entry. */
  talks: number;
  /** `heard`: some of it was audible here. `before`: it ended before this tab first entered the channel [TALK131]. */
  hearing: 'own' | 'heard' | 'missed' | 'before';
}

/** A time in which somebody was audible, ms since 1970. */
export interface HeardSpan {
  userId: string;
  from: number;
  to: number;
}

/** A tab's memory of a channel's talks, which survives a reload [TALK131]. */
export interface TalkMemory {
  read(channelId: ChannelId): KeptTalks | undefined;
  keep(channelId: ChannelId, kept: KeptTalks): void;
}
/** `since`: when the tab first entered the channel, ms since 1970. */
export interface KeptTalks {
  since: number;
  heard: readonly HeardSpan[];
}

/** The state of a room for screens. Immutable; keeps its identity while nothing changes. Self is first. */
export interface RoomSnapshot {
  status: RoomStatus;
  channel: { id: ChannelId; name: string; rtcSession: string; talkMode: 'single' | 'open' } | null;
  participants: readonly RoomParticipant[];
  microphone: MicrophoneState;
  microphones: readonly DeviceChoice[];
  talk: TalkState;
  /** Whether self is on the air and the microphone has delivered nothing at all so far [TALK122]. */
  isSoundless: boolean;
  /** The talkers besides self. `givesWay`: self's press pre-empts them [TALK2]. */
  talkers: readonly { id: ParticipantId; name: string; since: number; givesWay: boolean }[];
  /** The last talk; null until there was one. */
  lastTalk: LastTalk | null;
  /** The last talks that have ended, newest first; ten at most [TALK130]. */
  recentTalks: readonly RecentTalk[];
  /** Talks missed since the user last read the notice; null for none [TALK104]. */
  missed: MissedTalks | null;
  /** `blocked`: the browser requires a user gesture to play sound; call `unlockAudio` from one. */
  playback: 'running' | 'blocked';
  /** Whether the chosen loudspeaker is gone: voices and tones come from the default one [TALK124]. */
  isLoudspeakerGone: boolean;
  /** Whether the browser can play people at volumes other than full or none [TALK56]. */
  canSetVolume: boolean;
  /** Whether the listener silenced the whole room, until the room is left [TALK125]. */
  isSoundOff: boolean;
  /** Whether there are more than MESH_COMFORT_SIZE participants. */
  isLarge: boolean;
}

export type TalkSound = 'granted' | 'denied' | 'ended' | 'queued' | 'warning' | 'unheard';

/** The part of the voice preferences that the engine needs. */
export interface EnginePreferences {
  tones: boolean;
  tailMs: number;
  hearsOwnDevices: boolean;
  volumes: Volumes;
  /** Volume of all voices of a room, 0..1; each person's own volume is a share of it [TALK125]. */
  roomVolume: number;
}
