import type { ParticipantId } from '@pressel/contract/ids';
import type { VoiceRoom } from './engine/types.ts';

/** What the room's views may do. All of it keeps its identity for one stay in a room. */
export interface VoiceActions extends Pick<VoiceRoom, 'stop' | 'selectMicrophone' | 'retryMicrophone' | 'unlockAudio'> {
  /** Tries to reach the server now instead of after the delay. */
  reconnect(): void;
  /** Loudness 0..1 of a participant now. */
  level(id: ParticipantId): number;
  /** Makes an element press and release the talk control; returns the way to undo it. A React ref callback. */
  bindButton(element: HTMLElement | null): (() => void) | undefined;
}
