import type { ChannelId } from '@pressel/contract/ids';
import type { FloorStep } from './floor.ts';
import { createFloor, type FloorState, nextDeadline } from './floor-state.ts';

/** A change that was made: the floor before it, what it did, and when by the store's clock. */
export interface FloorChange {
  readonly before: FloorState;
  readonly step: FloorStep;
  readonly now: number;
}

/**
 * Holds the floors of all channels. Nothing else keeps a floor's state or assumes this clock, so that a store which several
 * processes share can take its place.
 */
export interface FloorStore {
  /** Applies one change, one at a time per channel. `now`: ms since 1970, and never less than before. */
  change(channelId: ChannelId, apply: (state: FloorState, now: number) => FloorStep): Promise<FloorChange>;
  read(channelId: ChannelId): Promise<{ state: FloorState; now: number }>;
  /** Channels with running leases or timers; only these need ticks. */
  due(): Promise<ChannelId[]>;
  forget(channelId: ChannelId): Promise<void>;
  /** Call when the server is about to listen: from now on it may learn what an earlier process knew. */
  open(): void;
  /** When this process opened the store, by its clock. */
  openedAt(): number;
}

export interface FloorStoreDeps {
  /** ms since 1970; never steps back. */
  clock: () => number;
  /** How long after the start nobody gets the floor anew [TALK152], ms. */
  recoveryMs: number;
}

/** The store of a single process, in memory. Each change is one turn of the event loop, so none can come between. */
export function createFloorStore({ clock, recoveryMs }: FloorStoreDeps): FloorStore {
  const floors = new Map<ChannelId, FloorState>();
  const due = new Set<ChannelId>();
  const now = () => Math.round(clock());
  let openedAt = now();

  /** Kept also when idle, so that versions keep growing and clients never take a newer snapshot for an older one. */
  const store = (channelId: ChannelId, state: FloorState): FloorState => {
    floors.set(channelId, state);
    if (nextDeadline(state) === null) due.delete(channelId);
    else due.add(channelId);
    return state;
  };
  const make = (): FloorState => {
    const until = openedAt + recoveryMs;
    // Evidence of an earlier process keeps its version, which is below this one: until all of it had time to come, nothing may outrank it.
    return now() < until
      ? { ...createFloor('single'), recovery: { until, newest: 0 } }
      : { ...createFloor('single'), version: now(), recovery: { until: null, newest: 0 } };
  };
  const floorOf = (channelId: ChannelId) => floors.get(channelId) ?? store(channelId, make());

  return {
    async change(channelId, apply) {
      const before = floorOf(channelId);
      const at = now();
      const step = apply(before, at);
      if (step.state !== before) store(channelId, step.state);
      return { before, step, now: at };
    },
    read: async (channelId) => ({ state: floorOf(channelId), now: now() }),
    due: async () => [...due],
    async forget(channelId) {
      floors.delete(channelId);
      due.delete(channelId);
    },
    open() {
      openedAt = now();
    },
    openedAt: () => openedAt,
  };
}
