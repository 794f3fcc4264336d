import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelState } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { EnteredRoom, LiveParticipant, StoredEnteredRoom } from './gateway.ts';

const RETRY_AFTER_SECONDS = 2;

/** Work that handles entries together when they wait side by side. */
export interface Batch<Entry> {
  /** Maximum of entries in one call. */
  readonly most: number;
  /** After this wait an entry is refused, because its sender may have given up. */
  readonly waitMaxMs: number;
  /** Settles each entry. */
  work(entries: readonly Entry[]): Promise<void>;
  /** Called when an entry's turn came too late, or `work` threw. */
  refuse(entry: Entry, reason: unknown): void;
}

/** Runs its work one after the other, in order. Work that has begun is never refused as late. */
interface Mailbox {
  /** @throws AppError unavailable: its turn came later than `waitMaxMs` */
  run<T>(work: () => Promise<T>, waitMaxMs?: number): Promise<T>;
  add<Entry>(batch: Batch<Entry>, entry: Entry): void;
  /** Whether something is under way or waits. */
  isBusy(): boolean;
  /** How much waits. */
  waiting(): number;
}

interface Letter {
  readonly batch: Batch<unknown>;
  readonly entry: unknown;
  readonly cameAt: number;
}

/**
 * @param now a monotonic clock, ms
 * @param idle called whenever nothing is left to do
 */
export function createMailbox(now: () => number, idle: () => void = () => undefined): Mailbox {
  const letters: Letter[] = [];
  let isWorking = false;

  /** Takes the first entries of one batch. */
  const takeSome = (): Letter[] => {
    const [first] = letters;
    const end = letters.findIndex(({ batch }, index) => batch !== first?.batch || index === batch.most);
    return letters.splice(0, end === -1 ? letters.length : end);
  };

  async function workOn(some: readonly Letter[]): Promise<void> {
    const { batch } = some[0] as Letter;
    const time = now();
    const entries: unknown[] = [];
    for (const { entry, cameAt } of some) {
      if (time - cameAt <= batch.waitMaxMs) entries.push(entry);
      else batch.refuse(entry, new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    if (entries.length === 0) return;
    try {
      await batch.work(entries);
    } catch (error) {
      for (const entry of entries) batch.refuse(entry, error);
    }
  }

  async function workThrough(): Promise<void> {
    // Entries that arrive within this turn of the event loop wait side by side.
    await null;
    while (letters.length > 0) await workOn(takeSome());
    isWorking = false;
    idle();
  }

  const add = <Entry>(batch: Batch<Entry>, entry: Entry): void => {
    letters.push({ batch: batch as Batch<unknown>, entry, cameAt: now() });
    if (isWorking) return;
    isWorking = true;
    void workThrough();
  };

  return {
    run(work, waitMaxMs = Number.POSITIVE_INFINITY) {
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
      const alone: Batch<typeof work> = {
        ...{ most: 1, waitMaxMs },
        work: async ([mine = work]) => resolve(await mine()),
        refuse: (_mine, reason) => reject(reason),
      };
      add(alone, work);
      return promise;
    },
    add,
    isBusy: () => isWorking,
    waiting: () => letters.length,
  };
}

/** One live channel: its newest known facts, and who is in its room. */
export interface ChannelHost {
  /** Null until somebody who enters has read the channel. */
  readonly channel: ChannelState | null;
  readonly participants: ReadonlySet<LiveParticipant>;
  /** The participant who is entering now; `closed` says why they may not go on, and is null while they may. */
  entrance: { readonly participant: LiveParticipant; closed: ClosedReason | null } | null;
  /**
   * Updates the channel from a read on entering, or from a fact about an edit. A version older than the known one is ignored.
   * @returns the channel, or null when it was ignored
   */
  learn(channel: ChannelState): ChannelState | null;
  put(participant: LiveParticipant, here: StoredEnteredRoom): EnteredRoom;
  take(participant: LiveParticipant): void;
}

export type ClosedReason = 'removed' | 'deleted';

/**
 * The hosts of this process's channels. A host exists while somebody is in the room or work on the channel waits.
 *
 * Every operation on a channel that awaits the database goes through its one mailbox. So entering, leaving and messages happen, and are
 * announced, in one order. Operations that only change memory (the floor, beats) bypass it: they must never wait for the database.
 */
export interface ChannelHosts {
  /** The host of a channel now, if it is live. Don't keep it beyond this turn of the event loop. */
  find(channelId: ChannelId): ChannelHost | null;
  /**
   * Runs work after all earlier work on the channel. The host exists until it ends.
   * @throws AppError unavailable: its turn came later than `waitMaxMs`
   */
  run<T>(channelId: ChannelId, work: (host: ChannelHost) => Promise<T>, waitMaxMs?: number): Promise<T>;
  /** The same for an entry of which several can be handled together. */
  add<Entry>(channelId: ChannelId, batch: Batch<Entry>, entry: Entry): void;
  /** Counts the rooms with participants, and what waits in all mailboxes. */
  count(): { rooms: number; waiting: number };
}

/** @param now a monotonic clock, ms */
export function createChannelHosts(now: () => number): ChannelHosts {
  const hosts = new Map<ChannelId, { host: ChannelHost; mailbox: Mailbox }>();

  const open = (channelId: ChannelId) => {
    const known = hosts.get(channelId);
    if (known !== undefined) return known;
    const tidy = (): void => {
      if (host.participants.size === 0 && !mailbox.isBusy()) hosts.delete(channelId);
    };
    const host = createHost(channelId, tidy);
    const mailbox = createMailbox(now, tidy);
    hosts.set(channelId, { host, mailbox });
    return { host, mailbox };
  };

  return {
    find: (channelId) => hosts.get(channelId)?.host ?? null,
    run(channelId, work, waitMaxMs) {
      const { host, mailbox } = open(channelId);
      return mailbox.run(() => work(host), waitMaxMs);
    },
    add: (channelId, batch, entry) => open(channelId).mailbox.add(batch, entry),
    count() {
      let [rooms, waiting] = [0, 0];
      for (const { host, mailbox } of hosts.values()) {
        if (host.participants.size > 0) rooms += 1;
        waiting += mailbox.waiting();
      }
      return { rooms, waiting };
    },
  };
}

function createHost(channelId: ChannelId, tidy: () => void): ChannelHost {
  const participants = new Set<LiveParticipant>();
  let channel: ChannelState | null = null;
  return {
    get channel() {
      return channel;
    },
    participants,
    entrance: null,
    learn(newer) {
      if (channel !== null && channel.version >= newer.version) return null;
      channel = newer;
      for (const { enteredRooms } of participants) {
        const enteredRoom = enteredRooms.get(channelId);
        if (enteredRoom !== undefined) enteredRoom.name = newer.name;
      }
      return newer;
    },
    put(participant, here) {
      if (channel === null) throw new Error('Somebody enters a room whose channel nobody has read');
      const enteredRoom: EnteredRoom = {
        ...{ id: channelId, name: channel.name, ...here },
        ...{ isClosed: false, beatAt: null, isSilent: false, awaitsResume: false },
      };
      participant.enteredRooms.set(channelId, enteredRoom);
      participants.add(participant);
      return enteredRoom;
    },
    take(participant) {
      participant.enteredRooms.delete(channelId);
      participants.delete(participant);
      tidy();
    },
  };
}
