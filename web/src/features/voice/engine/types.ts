import type { ErrorCode } from '@pressel/contract/errors';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import type { Ack, ClientEventName, EventInput, ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { DenyReason, RevokeReason } from '@pressel/contract/voice';

/** The engine's door to the server. The socket client of `#src/shared/realtime` has this shape. */
export interface Signalling {
  /**
   * Sends an event and resolves with its acknowledgement. Never rejects: a link that is down or an answer that
   * does not come within the time limit is `{ ok: false, code: 'unavailable' }`. Nothing is sent later by itself.
   */
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** Hears an event (its payload already parsed). Returns the way to stop. */
  on<E extends ServerEventName>(event: E, handler: (payload: ServerPayload<E>) => void): () => void;
  /** Calls with the present state at once, then at each change. */
  onLink(handler: (state: LinkState) => void): () => void;
}

/** `refused`: the server does not accept the session; only signing in again helps. */
export type LinkState = 'connecting' | 'up' | 'down' | 'refused';

/**
 * What talk control needs of media, and all it needs: a mesh today, an SFU for large channels later.
 * Nothing of peers, offers or candidates leaks through it.
 */
export interface VoiceMedia {
  /** Once, when the server let us in: who I am and how media may travel. Nothing is sent or taken before. */
  join(credentials: MediaCredentials): void;
  /** Opens or closes the way out. Immediate and local; cannot fail. */
  setSending(sending: boolean): void;
  /** Whose sound is played: exactly these, silence for all others. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  /** Who is in the room besides self. The media joins and leaves peers accordingly. */
  setParticipants(ids: readonly ParticipantId[], newcomer: boolean): void;
  /** Loudness 0..1 of a participant now (own microphone for self's id); 0 when unknown. */
  level(id: ParticipantId): number;
  peerState(id: ParticipantId): PeerState;
  subscribe(listener: () => void): () => void;
  close(): void;
}

/** What a participant needs for media: a mesh needs ICE servers; an SFU will add its own kind. */
export interface MediaCredentials {
  self: ParticipantId;
  ice: IceConfig;
}

export type PeerState = 'connecting' | 'connected' | 'interrupted' | 'failed';

/** Why a microphone can't be used. `insecure`: the page is neither https nor localhost. */
export type MicrophoneState =
  | { state: 'starting' }
  | { state: 'ready'; deviceId: string; label: string }
  | { state: 'unavailable'; reason: 'missing' | 'refused' | 'busy' | 'insecure' | 'unplugged' };

export interface MicrophoneChoice {
  deviceId: string;
  label: string;
}

/** Talk control as the user sees it. `since` and `endsAt` are performance.now() readings, ms. */
export type TalkState =
  | { state: 'idle' }
  /** Pressed; the server has not answered. `open`: the microphone is already open (the floor looked free). */
  | { state: 'asking'; since: number; open: boolean }
  | { state: 'talking'; since: number; endsAt: number }
  /** Released; the microphone stays open for the tail so that the last word is whole. */
  | { state: 'ending'; since: number }
  | { state: 'queued'; since: number; position: number; size: number }
  /** Still pressed, but not allowed to talk; lasts until release. */
  | { state: 'denied'; reason: DenyReason | 'link' | 'microphone'; talkerName: string | undefined }
  | { state: 'revoked'; reason: RevokeReason | 'link'; byName: string | undefined };

export interface RoomParticipant {
  id: ParticipantId;
  userId: UserId;
  name: string;
  isSelf: boolean;
  isTalking: boolean;
  /** Place in the queue for the floor, from 1; 0 when not waiting. */
  queuePosition: number;
  media: PeerState | 'self';
}

/** Where the room stands. `lost`: it was joined and heals by itself. `closed`: final, see reason. */
export type RoomStatus =
  | { state: 'joining' }
  | { state: 'joined' }
  | { state: 'lost' }
  | { state: 'refused'; code: ErrorCode }
  | { state: 'closed'; reason: 'removed' | 'deleted' | 'signed_out' | 'left' };

/** Everything a screen shows of a room. Immutable; keeps its identity while nothing changes. Self comes first. */
export interface RoomSnapshot {
  status: RoomStatus;
  channel: { id: ChannelId; name: string; rtcSession: string; talkMode: 'single' | 'open' } | null;
  participants: readonly RoomParticipant[];
  microphone: MicrophoneState;
  microphones: readonly MicrophoneChoice[];
  talk: TalkState;
  /** The others who have the floor now (self excluded). `givesWay`: a press of ours takes it from them [TALK2]. */
  talkers: readonly { id: ParticipantId; name: string; since: number; givesWay: boolean }[];
  /** `blocked`: the browser plays no sound before the user touches the page; call `unlockAudio` from a gesture. */
  playback: 'running' | 'blocked';
  /** More participants than a mesh carries comfortably. */
  isLarge: boolean;
}

export type TalkSound = 'granted' | 'denied' | 'ended' | 'queued' | 'warning';

/** One stay in one room. */
export interface VoiceRoom {
  getSnapshot(): RoomSnapshot;
  subscribe(listener: () => void): () => void;
  /** The talk button or key went down. Ignored when already down. */
  press(): void;
  /** It came up: the microphone closes after the tail. Never conditional on anything. */
  release(): void;
  /** Ends talk at once, without tail: blur, hidden tab, dialog, unmount and the like. */
  stop(): void;
  /** Loudness 0..1 of a participant now, for meters: read it per frame; it is not part of the snapshot. */
  level(id: ParticipantId): number;
  selectMicrophone(deviceId: string): Promise<void>;
  retryMicrophone(): Promise<void>;
  unlockAudio(): Promise<void>;
  /** Tones for granted, denied, end; and how long the tail is, 0..1000 ms. */
  setPreferences(preferences: { tones: boolean; tailMs: number }): void;
  /** Final and idempotent. */
  close(): void;
}
