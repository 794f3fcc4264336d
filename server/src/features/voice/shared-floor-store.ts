import { type ChannelId, channelId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_RENEW_MS } from '@pressel/contract/limits';
import * as z from 'zod';
import { orPatience } from '#src/db/rounds.ts';
import { createFarClock } from '#src/processes/clock.ts';
import {
  checkFloor,
  type FloorRow,
  type FloorRows,
  type FloorRowsByChannel,
  type Moment,
  SKEW_MS,
} from './floor-rows.ts';
import { carriedOver, isRecovering, nextDeadline, shifted } from './floor-state.ts';
import { type ApplyFloor, type FloorChange, type FloorStore, makeFloor } from './floor-store.ts';

/**
 * Attempts with a floor that may have changed meanwhile. If they fail, the database is asked to let nobody else change it. Two processes
 * that end one lease at the same moment need three: the second finds the floor locked, then changed, and then sees nothing left to change.
 */
const ATTEMPTS = 3;
/** A copy this old is good enough for reading, ms: a beat asks once a second. */
const FRESH_MS = 250;
/** Due floors are listed this long before, ms: a claim whose holder is asked for a sign of life has as long to go (TALK33). */
const WATCH_MS = FLOOR_LEASE_MS - 2 * FLOOR_RENEW_MS;
/** Floors that changed this long before the database forgot them are brought back, ms. */
const REMEMBER_MS = 60_000;

/** A floor as this process saw it last. */
interface Copy extends FloorRow {
  /** The epoch of the database at that time. */
  readonly epoch: number;
  /** The time at which it was the newest, by the steady clock. */
  readonly seenAt: number;
}

/** A floor that was stored, as processes tell each other. `state` is checked when it is used, because most of them are not. */
export const toldFloor = z.object({
  ...{ channelId, epoch: z.number(), revision: z.number(), at: z.number(), state: z.unknown() },
});
export type ToldFloor = z.infer<typeof toldFloor>;

export interface SharedFloorStore extends FloorStore {
  /**
   * Hears that another process has stored a floor, so that the next change here needs no second attempt. It may come late, twice or not at
   * all: a change that starts from an older floor isn't stored (PROC117).
   */
  hear(told: ToldFloor): void;
}

export interface SharedFloorStoreDeps {
  rows: FloorRows;
  /** Tells the other processes of a floor that is free now: the next press may come to any of them. */
  tellOthers: (told: ToldFloor) => void;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  /** How long after the beginning of an epoch nobody gets the floor anew [TALK152], ms. */
  recoveryMs: number;
}

/**
 * The floors of several processes, in rows of their database. Each change is applied to the copy of this process, and stored if
 * the row is still the same: one round trip. If two changes come at once, one of them is applied again, to the result of the
 * other.
 */
export function createSharedFloorStore(deps: SharedFloorStoreDeps): SharedFloorStore {
  const { rows, tellOthers, steadyNow, recoveryMs } = deps;
  const { learn, now: exactNow } = createFarClock(steadyNow);
  const clock = { learn, now: () => Math.round(exactNow()) };
  const copies = new Map<ChannelId, Copy>();
  /** The newest floors that other processes have told, each until it is used or changed here. */
  const heard = new Map<ChannelId, ToldFloor>();
  const turns = new Map<ChannelId, Promise<unknown>>();
  /** The epoch of the database, as far as this process knows; 0: it doesn't know yet. */
  let epoch = 0;
  /** Earlier epochs: a late answer may tell of them. If the database's clock was set back, they are not in order. */
  const pastEpochs = new Set<number>();
  let isOpen = false;

  /** Asks the database, and learns its time and epoch from the answer. */
  async function ask<Answer extends Moment>(question: () => Promise<Answer>): Promise<Answer> {
    const askedAt = steadyNow();
    const answer = await question();
    clock.learn(askedAt, answer.now);
    learnEpoch(answer.epoch ?? (await rows.begin(false)).epoch ?? 0);
    return answer;
  }

  /**
   * If the database has forgotten the floors, processes that know them bring them back. Meanwhile nobody gets a floor anew. A process that
   * isn't open may only have seen floors that the first one gives up.
   */
  const learnEpoch = (newer: number) => {
    if (newer === epoch || pastEpochs.has(newer)) return;
    for (const channelId of heard.keys()) takeHeard(channelId);
    pastEpochs.add(epoch);
    epoch = newer;
    if (!isOpen) return;
    const now = clock.now();
    for (const [channelId, { state, at }] of copies) {
      if (nextDeadline(state) !== null || at > now - REMEMBER_MS) void touch(channelId).catch(() => undefined);
    }
  };

  const keep = (channelId: ChannelId, row: FloorRow, of = epoch) =>
    copies.set(channelId, { ...row, epoch: of, seenAt: steadyNow() });

  /** Takes note of a row that was read, unless this process has a newer one, or one that it still has to bring back. */
  const note = (channelId: ChannelId, row: FloorRow) => {
    const known = copies.get(channelId);
    if (known === undefined || (known.epoch === epoch && row.revision >= known.revision)) keep(channelId, row);
  };
  const noteAll = (found: FloorRowsByChannel) => {
    for (const [channelId, row] of found) note(channelId, row);
  };

  const keepAndTell = (channelId: ChannelId, row: FloorRow, of = epoch) => {
    keep(channelId, row, of);
    const { talkers, queue } = row.state;
    if (talkers.length + queue.length === 0) tellOthers({ channelId, epoch: of, ...row });
  };
  /** Takes a newer floor from what others told. It counts as read when it was: only the row itself is known to be the newest. */
  const takeHeard = (channelId: ChannelId) => {
    const told = heard.get(channelId);
    const known = copies.get(channelId);
    heard.delete(channelId);
    if (told === undefined || known === undefined || told.epoch !== epoch || known.epoch !== epoch) return;
    if (told.revision <= known.revision) return;
    const state = checkFloor(told.state);
    if (state !== null) copies.set(channelId, { ...known, revision: told.revision, at: told.at, state });
  };

  /** Makes one change of a channel at a time within this process: others would only find that the row has changed. */
  function inTurn<T>(channelId: ChannelId, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(channelId) ?? Promise.resolve()).then(work, work);
    turns.set(channelId, turn);
    const tidy = () => {
      if (turns.get(channelId) === turn) turns.delete(channelId);
    };
    turn.then(tidy, tidy);
    return turn;
  }

  /** @returns null when the row was another one */
  async function attempt(channelId: ChannelId, apply: ApplyFloor): Promise<FloorChange | null> {
    takeHeard(channelId);
    const known = copies.get(channelId);
    if (known === undefined || known.epoch !== epoch) return null;
    const at = clock.now();
    if (known.at > at + SKEW_MS / 2) return null;
    const now = Math.max(at, known.at);
    const step = apply(known.state, now);
    if (step.state === known.state) {
      // An input may change nothing only because this floor is not the newest.
      const found = await load(channelId).catch(() => null);
      // That read was for other channels too. This one asks by itself.
      if (found === null) return insist(channelId, apply);
      return found.get(channelId)?.revision === known.revision ? { before: known.state, step, now } : null;
    }
    const next = { revision: known.revision + 1, state: step.state, at: now };
    const { isStored, row } = await ask(() => rows.swap(channelId, known.revision, next));
    if (isStored) keepAndTell(channelId, next);
    else if (row !== null) note(channelId, row);
    return isStored ? { before: known.state, step, now } : null;
  }

  /** Changes the row while nobody else can. */
  async function insist(channelId: ChannelId, apply: ApplyFloor): Promise<FloorChange> {
    let made: { change: FloorChange; row: FloorRow; isSame: boolean; epoch: number } | undefined;
    await rows.change(channelId, (row, moment) => {
      const { state: before, isNews } = floorOf(channelId, row, moment);
      const now = Math.max(moment.now, row === null || row.at > moment.now + SKEW_MS ? 0 : row.at);
      const step = apply(before, now);
      const change = { before, step: isNews ? { ...step, changed: true } : step, now };
      const isSame = row !== null && step.state === row.state;
      const next = isSame ? row : { revision: (row?.revision ?? now) + 1, state: step.state, at: now };
      made = { change, row: next, isSame, epoch: moment.epoch };
      return isSame ? null : next;
    });
    if (made === undefined) throw new Error('A change was not made');
    if (made.isSame) keep(channelId, made.row, made.epoch);
    else keepAndTell(channelId, made.row, made.epoch);
    learnEpoch(made.epoch);
    return made.change;
  }

  /** The floor to change: the row, and what this process knows from before the database forgot it. */
  function floorOf(channelId: ChannelId, row: FloorRow | null, moment: { now: number; epoch: number }) {
    const known = copies.get(channelId);
    // The database's clock was set back: leases and timers keep what is left of them.
    const isAhead = row !== null && row.at > moment.now + SKEW_MS;
    const found = isAhead ? shifted(row.state, moment.now - row.at) : row?.state;
    const state = found ?? makeFloor(moment.epoch, moment.now, recoveryMs);
    return known !== undefined && known.epoch !== moment.epoch && isRecovering(state)
      ? carriedOver(state, known.state)
      : { state, isNews: false };
  }

  const change = (channelId: ChannelId, apply: ApplyFloor): Promise<FloorChange> =>
    inTurn(channelId, async () => {
      for (let tries = 0; tries < ATTEMPTS; tries += 1) {
        const made = await attempt(channelId, apply);
        if (made !== null) return made;
      }
      return insist(channelId, apply);
    });

  /** Makes sure that the floor has a row, and that this process has a copy. */
  const touch = (channelId: ChannelId) => change(channelId, (state) => ({ state, replies: [], changed: false }));

  /** Reads that come during another one become one statement after it, unless that one takes too long. */
  let waiting: { ids: Set<ChannelId>; loaded: Promise<FloorRowsByChannel> } | null = null;
  let loading: Promise<void> = Promise.resolve();
  const load = (channelId: ChannelId): Promise<FloorRowsByChannel> => {
    if (waiting === null) {
      const ids = new Set<ChannelId>();
      const turn = loading;
      const loaded = turn.then(async () => {
        waiting = null;
        const { rows: found } = await ask(() => rows.read([...ids]));
        noteAll(found);
        return found;
      });
      const done = loaded.then(
        () => undefined,
        () => undefined,
      );
      loading = turn.then(() => orPatience(done));
      waiting = { ids, loaded };
    }
    waiting.ids.add(channelId);
    return waiting.loaded;
  };

  const readings = (found: FloorRowsByChannel) =>
    [...found].map(([id, { state, at }]) => ({ id, state, now: Math.max(clock.now(), at) }));

  return {
    change,

    hear(told) {
      const newest = heard.get(told.channelId);
      // A process that never used this floor has no copy to renew.
      if (copies.has(told.channelId) && !(newest !== undefined && newest.revision > told.revision))
        heard.set(told.channelId, told);
    },

    async read(channelId, version = 0) {
      const isGood = (copy: Copy | undefined) =>
        copy?.epoch === epoch && steadyNow() - copy.seenAt <= FRESH_MS && copy.state.version >= version;
      if (!isGood(copies.get(channelId))) await load(channelId);
      const copy = copies.get(channelId);
      if (copy?.epoch !== epoch) await touch(channelId);
      const { state, at } = copies.get(channelId) as Copy;
      return { state, now: Math.max(clock.now(), at) };
    },

    async due() {
      const { rows: found } = await ask(() => rows.listDue(WATCH_MS));
      noteAll(found);
      return readings(found);
    },

    async active(channelIds = []) {
      const { rows: found } = await ask(() => rows.listActive(channelIds));
      noteAll(found);
      return readings(found);
    },

    async forget(channelId) {
      await inTurn(channelId, () => rows.forget(channelId));
      copies.delete(channelId);
      heard.delete(channelId);
    },

    async open(isFirst) {
      await ask(() => rows.begin(isFirst));
      copies.clear();
      heard.clear();
      isOpen = true;
    },
    isOpen: () => isOpen,

    openedAt: () => epoch,
    now: clock.now,
    close: rows.close,
  };
}
