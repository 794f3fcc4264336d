import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { FloorView } from './floor-view.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { Clock, Stop } from './platform.ts';
import { createRecap, type Recap } from './recap.ts';
import { createRecentTalks } from './recent-talks.ts';
import { createSoundWatch } from './sound-watch.ts';
import type { RecentTalk, Signalling, TalkMemory } from './types.ts';

export interface LinkWatchDeps {
  clock: Clock;
  signalling: Signalling;
  floor: Pick<FloorView, 'current' | 'audible' | 'since' | 'subscribe' | 'apply'>;
  self(): { userId: UserId } | null;
  /** Null: the last talks are not followed, as for guests. */
  memory: TalkMemory | null;
  /** Voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Whether this participant's voice has a way to us. */
  isLinked(id: ParticipantId): boolean;
  /** The server doesn't answer (any more), though the connection looks alive; or it does again. */
  onSilence(isSilent: boolean): void;
  /** The server says that we are not in the room. */
  onOut(): void;
}

/** Makes sure that news from the server arrive while in a room, and says what was missed when they didn't. */
export interface LinkWatch extends Pick<Recap, 'linksChanged' | 'missed' | 'dismiss'> {
  /** The room was entered. `stay`: that of the answer. */
  start(channelId: ChannelId, stay: string): void;
  recentTalks(): readonly RecentTalk[];
  /** The server acknowledged something: all news until then are here, since a socket keeps their order. */
  answered(): void;
  stop(): void;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createLinkWatch = ({ clock, signalling, floor, ...deps }: LinkWatchDeps): LinkWatch => {
  const recap = createRecap({ clock, signalling, floor, isLinked: deps.isLinked, onGap: () => talks.refresh() });
  const { self, memory } = deps;
  // After the recap, which by then knows who was audible.
  const talks = createRecentTalks({ clock, signalling, floor, self, memory, wasHeard: recap.wasHeard });
  let isRunning = false;

  const beat = async (): Promise<boolean> => {
    const answer = await signalling.send('beat', { version: floor.current()?.version ?? 0 });
    if (!isRunning) return false;
    if (answer.ok) {
      if (answer.data.floor !== undefined) floor.apply(answer.data.floor);
      recap.confirm();
      return true;
    }
    if (answer.code === 'not_in_room') deps.onOut();
    return answer.code !== 'unavailable';
  };
  const heartbeat = createHeartbeat({
    clock,
    beat,
    onSilence: deps.onSilence,
    onDead: () => signalling.reconnect(),
  });
  const sound = createSoundWatch({
    clock,
    isIdle: () => floor.current()?.talkers.length === 0,
    isSounding: deps.isSounding,
    onSound: heartbeat.ask,
  });
  const stopFollowing = floor.subscribe(sound.follow);
  const stop = () => {
    isRunning = false;
    heartbeat.stop();
    sound.stop();
  };

  return {
    start(channelId, stay) {
      isRunning = true;
      recap.entered(stay);
      talks.entered(channelId);
      heartbeat.start();
      sound.start();
    },
    answered() {
      if (!isRunning) return;
      heartbeat.answered();
      recap.confirm();
    },
    stop,
    linksChanged: recap.linksChanged,
    missed: recap.missed,
    recentTalks: talks.current,
    dismiss: recap.dismiss,
    subscribe(listener) {
      const stops = [recap.subscribe(listener), talks.subscribe(listener)];
      return () => {
        for (const stopTelling of stops) stopTelling();
      };
    },
    close() {
      stop();
      stopFollowing();
      recap.close();
      talks.close();
    },
  };
};
