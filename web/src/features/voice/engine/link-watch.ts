import type { ChannelId } from '@pressel/contract/ids';
import type { FloorView } from './floor-view.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { Clock } from './platform.ts';
import { createSoundWatch } from './sound-watch.ts';
import type { Signalling } from './types.ts';

/** A room that self is in. */
export interface WatchedRoom {
  channelId: ChannelId;
  floor: Pick<FloorView, 'current' | 'apply'>;
  /** The floor is known to be the server's right now. */
  confirm(): void;
  /** The server says that we are not in the room. */
  onOut(): void;
}

export interface LinkWatchDeps {
  clock: Clock;
  signalling: Signalling;
  /** Voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** The server doesn't answer (any more), though the connection looks alive; or it does again. */
  onSilence(isSilent: boolean): void;
}

/** Makes sure that news from the server arrive while in any room: one beat for all of them. */
export interface LinkWatch {
  /** A room was entered: the server answered. */
  add(room: WatchedRoom): void;
  remove(room: WatchedRoom): void;
  /** The server acknowledged something: all news until then are here, since a socket keeps their order. */
  answered(): void;
  /** Call when a floor may have become idle. */
  floorChanged(): void;
  close(): void;
}

export const createLinkWatch = ({ clock, signalling, ...deps }: LinkWatchDeps): LinkWatch => {
  const rooms = new Set<WatchedRoom>();

  const beat = async (): Promise<boolean> => {
    const asked = [...rooms];
    const answer = await signalling.send('beat', {
      rooms: asked.map(({ channelId, floor }) => ({ channelId, version: floor.current()?.version ?? 0 })),
    });
    // Those that were left meanwhile, or entered anew, have their floor from elsewhere.
    const present = asked.filter((room) => rooms.has(room));
    if (present.length === 0) return false;
    if (!answer.ok && answer.code !== 'not_in_room') return answer.code !== 'unavailable';
    const floors = answer.ok ? (answer.data.floors ?? []) : [];
    for (const room of present) {
      if (!answer.ok || answer.data.outside?.includes(room.channelId)) {
        room.onOut();
        continue;
      }
      const news = floors.find(({ channelId }) => channelId === room.channelId);
      if (news !== undefined) room.floor.apply(news);
      room.confirm();
    }
    return true;
  };
  const heartbeat = createHeartbeat({
    clock,
    beat,
    onSilence: deps.onSilence,
    onDead: () => signalling.reconnect(),
  });
  const sound = createSoundWatch({
    clock,
    isIdle: () => [...rooms].every(({ floor }) => floor.current()?.talkers.length === 0),
    isSounding: deps.isSounding,
    onSound: heartbeat.ask,
  });
  const stop = () => {
    heartbeat.stop();
    sound.stop();
  };

  return {
    add(room) {
      rooms.add(room);
      if (rooms.size === 1) {
        heartbeat.start();
        sound.start();
      } else heartbeat.answered();
    },
    remove(room) {
      if (rooms.delete(room) && rooms.size === 0) stop();
    },
    answered() {
      // With several rooms it was about one of them, and the server waits for a beat of each.
      if (rooms.size !== 1) return;
      heartbeat.answered();
      for (const room of rooms) room.confirm();
    },
    floorChanged: sound.follow,
    close() {
      rooms.clear();
      stop();
    },
  };
};
