import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type pg from 'pg';
import { applyFloor, type FloorInput } from '#src/features/voice/floor.ts';
import { createFloorRows, type FloorRows } from '#src/features/voice/floor-rows.ts';
import type { FloorStore } from '#src/features/voice/floor-store.ts';
import {
  createSharedFloorStore,
  type SharedFloorStore,
  type SharedFloorStoreDeps,
} from '#src/features/voice/shared-floor-store.ts';
import { userOf } from './floor-harness.ts';

export interface StoreOptions extends Partial<Pick<SharedFloorStoreDeps, 'tellOthers'>> {
  rows?: FloorRows;
  /** How much this process's clock is ahead, ms. */
  aheadMs?: number;
  recoveryMs?: number;
}

/** Test harness: the stores of several processes on one database. */
export function createStores(connection: pg.PoolConfig) {
  const stores: SharedFloorStore[] = [];
  const failures: Error[] = [];
  /** Makes the store of a process that is about to start. */
  function make({
    rows,
    tellOthers = () => undefined,
    aheadMs = 0,
    recoveryMs = 0,
  }: StoreOptions = {}): SharedFloorStore {
    const store = createSharedFloorStore({
      rows:
        rows ??
        createFloorRows(
          connection,
          (error) => failures.push(error),
          () => undefined,
        ),
      tellOthers,
      steadyNow: () => performance.now() + aheadMs,
      recoveryMs,
    });
    stores.push(store);
    return store;
  }
  return {
    /** Errors that the pools reported about idle connections. */
    failures,
    make,
    async open({ isFirst = false, ...options }: StoreOptions & { isFirst?: boolean } = {}): Promise<SharedFloorStore> {
      const store = make(options);
      await store.open(isFirst);
      return store;
    },
    close: () => Promise.all(stores.map((store) => store.close())),
  };
}

/** Applies an input as the service does. */
export const put = (store: FloorStore, channelId: ChannelId, input: FloorInput) =>
  store.change(channelId, (state, now) => applyFloor(state, input, now));

/** A press of a user of the same name. */
export const press = (name: string, seq = 1): FloorInput => ({
  ...{
    type: 'request',
    id: name as ParticipantId,
    userId: userOf(name),
    name,
    priority: 0,
    seq,
    queue: true,
    author: null,
  },
});
