import type { ChannelId } from '@pressel/contract/ids';
import type { FloorStep } from './floor.ts';
import { createFloor, type FloorState, nextDeadline } from './floor-state.ts';

/** A change that was made: the floor before it, what it did, and when by the store's clock. */
export interface FloorChange {
  readonly before: FloorState;
  readonly step: FloorStep;
  readonly now: number;
}

/** Makes a step of a floor. It may be called more than once for one change, so it does nothing else. */
export type ApplyFloor = (state: FloorState, now: number) => FloorStep;

export interface FloorReading {
  readonly id: ChannelId;
  readonly state: FloorState;
  readonly now: number;
}

/**
 * Holds the floors of all channels: those of one process in memory, those of several in their database. Only the store keeps a
 * floor's state.
 */
export interface FloorStore {
  /** Applies one change, one at a time per channel. `now`: ms since 1970, and never less than before. */
  change(channelId: ChannelId, apply: ApplyFloor): Promise<FloorChange>;
  /** The floor, which may be a moment old, but not older than this version. */
  read(channelId: ChannelId, version?: number): Promise<Omit<FloorReading, 'id'>>;
  /** Floors with running leases or timers, at least those that need a tick or a sign of life now. */
  due(): Promise<FloorReading[]>;
  /** Floors with running leases or timers, and those of these channels. */
  active(channelIds?: readonly ChannelId[]): Promise<FloorReading[]>;
  forget(channelId: ChannelId): Promise<void>;
  /**
   * Call when the server listens, before anybody is admitted: from now on talkers have time to come back [TALK152]. `isFirst`: no other
   * process remembers the floors, so they are given up for what clients bring [TALK150].
   */
  open(isFirst: boolean): Promise<void>;
  isOpen(): boolean;
  /** The time since which the store remembers floors, by its clock. */
  openedAt(): number;
  /** ms since 1970 by the store's clock. */
  now(): number;
  close(): Promise<void>;
}

export interface FloorStoreDeps {
  /** ms since 1970; never steps back. */
  clock: () => number;
  /** How long after the opening nobody gets the floor anew [TALK152], ms. */
  recoveryMs: number;
}

/**
 * A floor that the store doesn't know. Evidence of an earlier process keeps its version, which is below this one. Until all of
 * it had time to come, nothing may outrank it.
 */
export const makeFloor = (openedAt: number, now: number, recoveryMs: number): FloorState => {
  const until = openedAt + recoveryMs;
  return now < until
    ? { ...createFloor('single'), recovery: { until, newest: 0 } }
    : { ...createFloor('single'), version: now, recovery: { until: null, newest: 0 } };
};

/** The store of a single process, in memory. Each change is one turn of the event loop, so none can come between. */
export function createFloorStore({ clock, recoveryMs }: FloorStoreDeps): FloorStore {
  const floors = new Map<ChannelId, FloorState>();
  const due = new Set<ChannelId>();
  const now = () => Math.round(clock());
  let openedAt = now();
  let isOpen = false;

  /** Keeps idle floors too, so that versions keep growing and clients never take a newer snapshot for an older one. */
  const store = (channelId: ChannelId, state: FloorState): FloorState => {
    floors.set(channelId, state);
    if (nextDeadline(state) === null) due.delete(channelId);
    else due.add(channelId);
    return state;
  };
  const floorOf = (channelId: ChannelId) =>
    floors.get(channelId) ?? store(channelId, makeFloor(openedAt, now(), recoveryMs));
  const readings = (ids: Iterable<ChannelId>) => [...ids].map((id) => ({ id, state: floorOf(id), now: now() }));

  return {
    async change(channelId, apply) {
      const before = floorOf(channelId);
      const at = now();
      const step = apply(before, at);
      if (step.state !== before) store(channelId, step.state);
      return { before, step, now: at };
    },
    read: async (channelId) => ({ state: floorOf(channelId), now: now() }),
    due: async () => readings(due),
    active: async (channelIds = []) => readings(new Set([...due, ...channelIds])),
    async forget(channelId) {
      floors.delete(channelId);
      due.delete(channelId);
    },
    async open() {
      openedAt = now();
      // The time of floors that were looked at before began too early.
      floors.clear();
      due.clear();
      isOpen = true;
    },
    isOpen: () => isOpen,
    openedAt: () => openedAt,
    now,
    close: async () => undefined,
  };
}
