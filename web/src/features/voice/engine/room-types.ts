import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { LinkState } from '#src/shared/realtime/realtime.ts';
import type { createOwnLevel } from './levels.ts';
import type { LinkWatch } from './link-watch.ts';
import type { Microphone } from './microphone.ts';
import type { PageTalk } from './page-talk.ts';
import type { PeerFloorNews } from './peer-floor-news.ts';
import type { Loudspeaker, Platform, Stop, WebAudio } from './platform.ts';
import type { Playback } from './playback.ts';
import type { Hold } from './talk-holds.ts';
import type { EnginePreferences, MediaPeer, RoomSnapshot, Signalling, TalkMemory, VoiceMedia } from './types.ts';
import type { RoomVideo, Video, VideoDeps, VideoPort } from './video.ts';
import type { Tones } from './web-audio.ts';

/** Measures the own microphone without sending it. `track`: the room's own, to be copied; null while there is none. */
export type MicrophoneProbe = Pick<Microphone, 'track'> & Pick<WebAudio, 'meter'>;

/** Options for entering a room. */
export interface RoomOptions {
  /** The channel's rtcSession; ignored if `channelId` names the channel. */
  room: string;
  channelId?: ChannelId | undefined;
  preferences: EnginePreferences;
  memory?: TalkMemory | undefined;
  /** Makes the video of a room that has it. Passed in, so that the radio's page doesn't load it [VID2]. */
  createVideo?: ((deps: Pick<VideoDeps, 'clock' | 'tell'>) => Video) | undefined;
}

/** The parts of an engine that rooms and calls share. */
export interface EngineDevices {
  readonly signalling: Signalling;
  readonly platform: Platform;
  readonly microphone: Microphone;
  readonly playback: Playback;
  /** Keeps the engine open. Returns the function that stops that. */
  keepOpen(): Stop;
}

/** The parts of an engine that its rooms share. */
export interface EngineForRooms extends EngineDevices {
  readonly tones: Tones;
  readonly ownLevel: ReturnType<typeof createOwnLevel>;
  readonly media: VoiceMedia;
  readonly linkWatch: LinkWatch;
  readonly video: { use(port: VideoPort): Stop };
  readonly probe: MicrophoneProbe;
  readonly pageTalk: RoomSession['pageTalk'];
  /**
   * The token with which this page resumes its participant, from the newest answer to a join; null before the first
   * one.
   */
  resume: string | null;
  /** Everybody who was played early, in any room, and has not had the floor since [TALK49]. */
  readonly playedEarly: Set<string>;
  /** Whether no other room is at the engine. */
  isAlone(): boolean;
  /** Rooms call these when their part changed: the engine combines all rooms. */
  applyPeople(): void;
  applyVolumes(): void;
  applyAudible(): void;
  applySending(): void;
}

/** A room as its engine sees it. */
export interface RoomHandle {
  /** Null before the first answer to a join. */
  channelId(): ChannelId | null;
  /** Whether a join waits for its answer. */
  isJoining(): boolean;
  /** Participants besides self in the room, and their volumes; empty while self isn't in the room. */
  people(): readonly (MediaPeer & { volume: number })[];
  audible(): ReadonlySet<ParticipantId>;
  isSending(): boolean;
  /** Null where the browser can't check the server's signatures. */
  readonly peerNews: PeerFloorNews | null;
  onLink(link: LinkState): void;
  onSilence(isSilent: boolean): void;
}

/** One room at an engine, from entering to `close`. */
export interface RoomSession {
  getSnapshot(): RoomSnapshot;
  subscribe(listener: () => void): () => void;
  /**
   * Call when the talk button or key was pressed. `by` is the hold of a key or pointer; all current holds together hold
   * the talk [TALK119].
   */
  press(by?: Hold): void;
  /**
   * Call when a hold was released: after the last one the microphone closes, with the tail. Without `by`, releases all
   * holds at once.
   */
  release(by?: Hold): void;
  /** Drops all holds like a release, but a refusal or revocation stays shown until the next press or release. */
  letGo(): void;
  /**
   * Ends a talk at once, without tail: on blur, hidden tab, dialog, unmount. With `by`, only if nothing else holds it.
   */
  stop(by?: Hold): void;
  /** Current level of a participant, 0..1, for a meter to read: it is not part of the snapshot. */
  level(id: ParticipantId): number;
  selectMicrophone(deviceId: string): Promise<void>;
  retryMicrophone(): Promise<void>;
  unlockAudio(): Promise<void>;
  /** Silences all voices of the room, or plays them again as before [TALK125]. */
  setSoundOff(isOff: boolean): void;
  /** Call when the user has read which talks were missed. */
  dismissMissed(): void;
  /**
   * Sets whether tones are played for granted, denied and end; the tail's length, 0..1000 ms; whether the user's other
   * tabs and devices are heard [TALK52]; and people's volumes [TALK56].
   */
  setPreferences(preferences: EnginePreferences): void;
  /** The output device of voices and tones. */
  readonly loudspeaker: Loudspeaker;
  /** For a test of the microphone [TALK132]. */
  readonly probe: MicrophoneProbe;
  /** The page's talk key, which all its rooms share. */
  readonly pageTalk: Omit<PageTalk, 'add'>;
  /** Null in a room without video. */
  readonly video: RoomVideo | null;
  /** Keeps the microphone and the sound open beyond the end of this room. Returns the function that stops that. */
  keepEngineOpen(): Stop;
  /** Final and idempotent. */
  close(): void;
}
