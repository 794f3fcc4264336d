import type { RoomSession } from './engine/room-types.ts';
import type { LevelMeter } from './level-meter.ts';

/** The actions of the room's views. They keep their identity until the room is left. */
export interface VoiceActions
  extends Pick<
    RoomSession,
    | 'stop'
    | 'selectMicrophone'
    | 'retryMicrophone'
    | 'unlockAudio'
    | 'setSoundOff'
    | 'dismissMissed'
    | 'loudspeaker'
    | 'probe'
  > {
  /** Reconnects at once. */
  reconnect(): void;
  levels: LevelMeter;
  /** React ref callback that binds the talk control to an element. Returns the function that unbinds. */
  bindButton(element: HTMLElement | null): (() => void) | undefined;
}
