import type { ErrorCode } from '@pressel/contract/errors';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig, VideoShown } from '@pressel/contract/presence';
import type { Ack, ClientEventName, EventInput, ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { DenyReason, RevokeReason } from '@pressel/contract/voice';
import type { FloorBeside } from './floor-beside.ts';
import type { createOwnLevel } from './levels.ts';
import type { LinkWatch } from './link-watch.ts';
import type { Microphone } from './microphone.ts';
import type { PageTalk } from './page-talk.ts';
import type { Platform, SoundDesk, Stop } from './platform.ts';
import type { Loudspeaker, Playback } from './playback.ts';
import type { Tones } from './sound-desk.ts';
import type { Hold } from './talk-holds.ts';
import type { RoomVideo, Video, VideoDeps, VideoPort } from './video.ts';

/** The engine's connection to the server. The socket client of `#src/shared/realtime` implements it. */
export interface Signalling {
  /**
   * Sends an event and resolves with its acknowledgement. Never rejects: without a link, or without an answer in time,
   * it resolves with `{ ok: false, code: 'unavailable' }`. Events are not buffered for later.
   */
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** Subscribes to an event; payloads are parsed. Returns the unsubscribe function. */
  on<E extends ServerEventName>(event: E, handler: (payload: ServerPayload<E>) => void): () => void;
  /** Calls `handler` with the current state at once, then at each change; 'first': before all others. */
  onLink(handler: (state: LinkState) => void, order?: 'first'): () => void;
  /** Replaces the connection by a new one, although it looks alive. */
  reconnect(): void;
}

/** `refused`: the server refuses the session; only a new sign-in helps. */
export type LinkState = 'connecting' | 'up' | 'down' | 'refused';

/**
 * The media layer below talk control: a mesh today, an SFU for large channels later. Hides peers, offers and
 * candidates. It belongs to the page, not to a room: two people who meet in several rooms have one connection.
 */
export interface VoiceMedia {
  /**
   * A join is under way: does what a first connection needs before it is known to whom it leads. Returns the function that undoes
   * that if the answer led to nobody.
   */
  prepare(): () => void;
  /**
   * Call after each join, with the own id and the ICE servers. Nothing is sent or accepted before the first one. Another id than
   * before drops all connections, which led to the old one.
   */
  reenter(credentials: MediaCredentials): void;
  /** Who gets the own voice. Immediate and local; cannot fail. */
  setSending(to: Recipients): void;
  /** Says a text to these over the links, beside the voices. It gets to those whose link is open. */
  tell(text: string, to: ReadonlySet<ParticipantId>): void;
  /** Plays exactly these participants and mutes all others. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  /** Sets the participants besides self, and connects or disconnects peers accordingly. */
  setParticipants(others: readonly MediaPeer[]): void;
  /** Current level of a participant, 0..1 (own microphone for self's id); 0 if unknown. */
  level(id: ParticipantId): number;
  /** Whether anybody's voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Whether something of this participant's voice came out of the jitter buffer since the last call, heard or not. */
  isPlayed(id: ParticipantId): boolean;
  /** How long this participant's voice waited in the jitter buffer since the last call, ms on the average; 0: it didn't, or unknown. */
  bufferedMs(id: ParticipantId): Promise<number>;
  peerState(id: ParticipantId): PeerState;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export type Recipients = 'nobody' | 'all' | ReadonlySet<ParticipantId>;

/**
 * `person`: what all participants of one person have in common. `guestsOf`: what all guests of one link have, the link's name; two
 * links of one name can't be told apart [LINK12]. `isEarlier`: was in the room before self, who makes the offer [LINK1].
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
 * `muted`: it is open and delivers silence, because something outside of the page muted it: a telephone call, a switch of the
 * headset or the system, or another tab. It comes back by itself.
 */
export type MicrophoneState =
  | { state: 'starting' }
  | { state: 'ready'; deviceId: string; label: string }
  | { state: 'unavailable'; reason: DeviceFailure | 'muted' };

export interface MicrophoneChoice {
  deviceId: string;
  label: string;
}

/** Talk control as the user sees it. `since` and `endsAt` are performance.now() readings, ms. */
export type TalkState =
  | { state: 'idle' }
  /**
   * Pressed, not answered yet. `open`: the microphone is already open, because the floor was free. `late`: the answer
   * should have come long ago, so probably nobody hears [TALK83].
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
  /** What their initials are made of: first and last name, or what a guest calls themselves [ROOM21]. */
  initialsOf: string;
  isSelf: boolean;
  /** Self's user, in another tab or on another device. */
  isOwnOther: boolean;
  isTalking: boolean;
  /** Position in the floor's queue, from 1; 0 when not waiting. */
  queuePosition: number;
  media: PeerState | 'self';
  /** How loud this listener plays them, 0..1 [TALK56]. */
  volume: number;
  /** This listener silenced them, or the whole room [TALK125]. */
  isSilenced: boolean;
  /** The picture that they show; null for who isn't in the video view [VID1]. */
  video: VideoShown | null;
  /** Where their photo is; null without one. */
  photo: string | null;
  /** What a guest calls themselves, and whose guest they are; null for all who have an account [GUEST8]. */
  guest: { name: string; link: string } | null;
}

/** How loud people are played, by person; those not named at 1. */
export type Volumes = Readonly<Record<string, number>>;

/**
 * `silent`: is joined, but the server doesn't answer, so what is shown may be old [TALK101]; ends by itself. `lost`: was
 * joined, and rejoins by itself. `closed`: final, see reason.
 */
export type RoomStatus =
  | { state: 'joining' }
  | { state: 'joined' }
  | { state: 'silent' }
  | { state: 'lost' }
  | { state: 'refused'; code: ErrorCode }
  | { state: 'closed'; reason: 'removed' | 'deleted' | 'signed_out' | 'link_ended' | 'left' };

/** Talks of others of which nothing was audible, and who talked, each name once, in order of the first talk. */
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

/** One of the channel's last talks that are over. Times are ms since 1970, by this device's clock. */
export interface RecentTalk {
  userId: UserId;
  /** As the talker was called then. */
  name: string;
  beganAt: number;
  endedAt: number;
  /** For how long somebody talked. */
  talkMs: number;
  /** More than one: several that the log has as one entry. */
  talks: number;
  /** `heard`: something of it was audible here. `before`: it ended before this tab first came into the channel [TALK131]. */
  hearing: 'own' | 'heard' | 'missed' | 'before';
}

/** When somebody was audible, ms since 1970. */
export interface HeardSpan {
  userId: string;
  from: number;
  to: number;
}

/** What a tab keeps of the talks of a channel, so that a reload forgets nothing [TALK131]. */
export interface TalkMemory {
  read(channelId: ChannelId): KeptTalks | undefined;
  keep(channelId: ChannelId, kept: KeptTalks): void;
}
/** `since`: when the tab first came into the channel, ms since 1970. */
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
  microphones: readonly MicrophoneChoice[];
  talk: TalkState;
  /** One is on the air, and the microphone has delivered nothing at all so far [TALK122]. */
  isSoundless: boolean;
  /** The talkers besides self. `givesWay`: a press of ours pre-empts them [TALK2]. */
  talkers: readonly { id: ParticipantId; name: string; since: number; givesWay: boolean }[];
  /** Who talked last; null until somebody has. */
  lastTalk: LastTalk | null;
  /** The last talks that are over, newest first; ten at most [TALK130]. */
  recentTalks: readonly RecentTalk[];
  /** Since the user read it last; null: nothing [TALK104]. */
  missed: MissedTalks | null;
  /** `blocked`: the browser requires a user gesture to play sound; call `unlockAudio` from one. */
  playback: 'running' | 'blocked';
  /** The loudspeaker that was chosen isn't there: voices and tones come from the default one [TALK124]. */
  isLoudspeakerGone: boolean;
  /** Whether people can be played at another volume than full or none [TALK56]. */
  canSetVolume: boolean;
  /** The listener silenced the whole room, for as long as the stay lasts [TALK125]. */
  isSoundOff: boolean;
  /** More than MESH_COMFORT_SIZE participants. */
  isLarge: boolean;
}

export type TalkSound = 'granted' | 'denied' | 'ended' | 'queued' | 'warning' | 'unheard';

/** What of the voice preferences the engine needs. */
export interface EnginePreferences {
  tones: boolean;
  tailMs: number;
  hearsOwnDevices: boolean;
  volumes: Volumes;
  /** How loud all voices of a room are, 0..1; each person's own volume is a part of it [TALK125]. */
  roomVolume: number;
}

/** What hears the own microphone without sending it. `track`: the room's own, to be copied; null while there is none. */
export type MicrophoneProbe = Pick<Microphone, 'track'> & Pick<SoundDesk, 'meter'>;

/** What a room is entered with. */
export interface RoomOptions {
  /** The channel's rtcSession; anything when `channelId` says which channel. */
  room: string;
  channelId?: ChannelId | undefined;
  preferences: EnginePreferences;
  memory?: TalkMemory | undefined;
  /** Makes the video of a room that has it. Handed in, so that the radio's page doesn't load it [VID2]. */
  createVideo?: ((deps: Pick<VideoDeps, 'clock' | 'tell'>) => Video) | undefined;
}

/** What rooms and calls of the page share. */
export interface DeskDevices {
  readonly signalling: Signalling;
  readonly platform: Platform;
  readonly microphone: Microphone;
  readonly playback: Playback;
  /** Keeps the desk open. Returns the function that ends that. */
  hold(): Stop;
}

/** What all rooms of the page share. */
export interface RoomDesk extends DeskDevices {
  readonly tones: Tones;
  readonly ownLevel: ReturnType<typeof createOwnLevel>;
  readonly media: VoiceMedia;
  readonly linkWatch: LinkWatch;
  readonly video: { use(port: VideoPort): Stop };
  readonly probe: MicrophoneProbe;
  readonly pageTalk: RoomSession['pageTalk'];
  /** What this page resumes its participant with, as the newest answer to a join says; null before the first one. */
  resume: string | null;
  /** Everybody who was played early, in any room, and has not had the floor since [TALK49]. */
  readonly playedEarly: Set<string>;
  /** No other room is at the desk. */
  isAlone(): boolean;
  /** Each is to be called when what the room says of it changed: the desk brings the rooms together. */
  applyPeople(): void;
  applyVolumes(): void;
  applyAudible(): void;
  applySending(): void;
}

/** A room as its desk sees it. */
export interface DeskRoom {
  /** Null before the first answer to a join. */
  channelId(): ChannelId | null;
  /** A join waits for its answer. */
  isJoining(): boolean;
  /** Those whom self meets in the room, and how loud they are; nobody while self isn't in it. */
  people(): readonly (MediaPeer & { volume: number })[];
  audible(): ReadonlySet<ParticipantId>;
  isSending(): boolean;
  /** Null where the browser can't check what the server signed. */
  readonly beside: FloorBeside | null;
  onLink(link: LinkState): void;
  onSilence(isSilent: boolean): void;
}

/** One room at a desk, from entering to `close`. */
export interface RoomSession {
  getSnapshot(): RoomSnapshot;
  subscribe(listener: () => void): () => void;
  /** The talk button or key was pressed. `by`: which one, if a hand holds it; the talk is held by all that were pressed [TALK119]. */
  press(by?: Hold): void;
  /** It was let go: with the last one the microphone closes after the tail. Without `by` all are, at once. */
  release(by?: Hold): void;
  /** Nobody holds it any more, as after a release, but a refusal or revocation stays shown until the next press or release. */
  letGo(): void;
  /** Ends talk at once, without tail: on blur, hidden tab, dialog, unmount. With `by` only if nothing else holds it. */
  stop(by?: Hold): void;
  /** Current level of a participant, 0..1, for a meter to read: it is not part of the snapshot. */
  level(id: ParticipantId): number;
  selectMicrophone(deviceId: string): Promise<void>;
  retryMicrophone(): Promise<void>;
  unlockAudio(): Promise<void>;
  /** Silences all voices of the room, or plays them again as before [TALK125]. */
  setSoundOff(isOff: boolean): void;
  /** The user has read which talks were missed. */
  dismissMissed(): void;
  /**
   * Whether tones are played for granted, denied and end; length of the tail, 0..1000 ms; whether the user's other tabs
   * and devices are heard [TALK52]; how loud people are [TALK56].
   */
  setPreferences(preferences: EnginePreferences): void;
  /** What voices and tones are played on. */
  readonly loudspeaker: Loudspeaker;
  /** For a test of the microphone [TALK132]. */
  readonly probe: MicrophoneProbe;
  /** The page's talk key, which all rooms of the page share. */
  readonly pageTalk: Omit<PageTalk, 'add'>;
  /** Null in a room without video. */
  readonly video: RoomVideo | null;
  /** Keeps the microphone and the sound open beyond the end of this room. Returns the function that ends that. */
  hold(): Stop;
  /** Final and idempotent. */
  close(): void;
}
