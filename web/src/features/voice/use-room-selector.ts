import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { RoomSession } from './engine/room-types.ts';
import type { RoomSnapshot } from './engine/types.ts';
import type { LevelMeter } from './level-meter.ts';

/** The source from which a view reads its room; a RoomSession is one. */
export type RoomSource = SnapshotSource<RoomSnapshot>;

/**
 * Subscribes a component to a part of a room: it renders again only when that part changes. `select` may return several
 * parts in an object, which stays the same while each of them does.
 */
export function useRoomSelector<P>(room: RoomSource, select: (snapshot: RoomSnapshot) => P): P {
  const read = useMemo(() => readerOf(room, select), [room, select]);
  return useSyncExternalStore((listener) => room.subscribe(listener), read);
}

/** The same for several rooms. `select` takes their snapshots in order and returns a primitive value. */
export function useRoomsSelector<P extends string | number | boolean>(
  rooms: readonly RoomSource[],
  select: (snapshots: readonly RoomSnapshot[]) => P,
): P {
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = rooms.map((room) => room.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [rooms],
  );
  return useSyncExternalStore(subscribe, () => select(rooms.map((room) => room.getSnapshot())));
}

/** Reads a part that keeps its identity while it is equal. */
function readerOf<P>(room: RoomSource, select: (snapshot: RoomSnapshot) => P) {
  let last: { snapshot: RoomSnapshot; part: P } | undefined;
  return () => {
    const snapshot = room.getSnapshot();
    if (last?.snapshot === snapshot) return last.part;
    const part = select(snapshot);
    last = { snapshot, part: last !== undefined && isSame(last.part, part) ? last.part : part };
    return last.part;
  };
}

function isSame(before: unknown, now: unknown): boolean {
  if (Object.is(before, now)) return true;
  if (!isObject(before) || !isObject(now)) return false;
  const keys = Object.keys(now);
  return keys.length === Object.keys(before).length && keys.every((key) => Object.is(before[key], now[key]));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

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
