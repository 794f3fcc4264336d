import type { ChannelId, UserId } from '@pressel/contract/ids';
import { audience, type Sockets } from '#src/sockets/sockets.ts';

/** Interval of news to users outside a room, ms: a talk that begins and ends within it is not told. */
const TELL_AFTER_MS = 300;
/** Rooms whose news are due within this time are told together, ms: one statement then reads the talkers of all of them. */
const TOGETHER_MS = 100;
/** Wait before somebody's return is followed by news, ms: many return together when a process is gone. */
const TELL_AGAIN_AFTER_MS = 2_000;

type Talkers = readonly { userId: UserId; name: string }[];

/** A room with changes that aren't told yet, and its talkers before the first of them. */
interface Untold {
  before: Talkers;
  /** Null: nobody knows yet, they are to be read. */
  talkers: Talkers | null;
  /** When it is told at the latest, by the steady clock. */
  dueAt: number;
}

/**
 * Tells users outside a room who talks in it [TALK32], apart from the floor, which waits for none of them.
 * @param talkersNow reads who talks at this moment, if other processes tell of the same rooms: whoever tells last then tells the
 * newest. Null: this process is alone.
 */
export function createTalkerNews(
  sockets: Pick<Sockets, 'to'>,
  talkersNow: ((channelId: ChannelId) => Promise<Talkers>) | null,
) {
  const changed = new Map<ChannelId, Untold>();
  let next: { timer: NodeJS.Timeout; at: number } | null = null;
  let isStopping = false;

  const send = (channelId: ChannelId, talkers: Talkers) =>
    sockets
      .to([audience.admins, audience.membersOf(channelId)])
      .except(audience.everyoneIn(channelId))
      .emit('talkers_changed', { channelId, talkers: talkers.map(({ userId, name }) => ({ userId, name })) });

  const tell = async (channelId: ChannelId): Promise<void> => {
    const { before = [], talkers = null } = changed.get(channelId) ?? {};
    changed.delete(channelId);
    if (talkersNow === null) {
      if (talkers !== null && !isSame(talkers, before)) send(channelId, talkers);
      return;
    }
    // While the database is away this process knows of its own changes alone.
    const newest = await talkersNow(channelId).catch(() => talkers);
    if (newest !== null) send(channelId, newest);
  };

  const tellDue = (): void => {
    next = null;
    const limit = performance.now() + TOGETHER_MS;
    const due = [...changed].filter(([, { dueAt }]) => dueAt <= limit).map(([channelId]) => channelId);
    for (const channelId of due) void tell(channelId);
    if (changed.size > 0) wakeAt(Math.min(...[...changed.values()].map(({ dueAt }) => dueAt)));
  };
  const wakeAt = (at: number): void => {
    if (next !== null && next.at <= at) return;
    clearTimeout(next?.timer);
    next = { timer: setTimeout(tellDue, at - performance.now()), at };
  };
  const put = (channelId: ChannelId, news: Pick<Untold, 'before' | 'talkers'>, dueAt: number): void => {
    changed.set(channelId, { ...news, dueAt });
    wakeAt(dueAt);
  };

  return {
    /** `before`: the talkers until now. */
    set(channelId: ChannelId, talkers: Talkers, before: Talkers): void {
      const known = changed.get(channelId);
      if (known === undefined && isSame(talkers, before)) return;
      // A return waits longer than a change may.
      const isWaiting = known !== undefined && known.talkers !== null;
      const dueAt = isWaiting ? known.dueAt : performance.now() + TELL_AFTER_MS;
      put(channelId, { talkers, before: isWaiting ? known.before : before }, dueAt);
      if (isStopping) void tell(channelId);
    },
    /**
     * Called when somebody is back in a room. The process that had them may be gone, and may have told nobody outside what it
     * changed last.
     */
    cameBack(channelId: ChannelId): void {
      if (talkersNow === null || isStopping || changed.has(channelId)) return;
      put(channelId, { talkers: null, before: [] }, performance.now() + TELL_AGAIN_AFTER_MS);
    },
    /** Tells the other processes' users what waits, at once. From now on changes don't wait. */
    async stop(): Promise<void> {
      isStopping = true;
      if (talkersNow !== null) await Promise.all([...changed.keys()].map(tell));
    },
    close(): void {
      clearTimeout(next?.timer);
      changed.clear();
    },
  };
}

const isSame = (some: Talkers, others: Talkers): boolean => named(some) === named(others);
const named = (talkers: Talkers) => talkers.map(({ userId, name }) => `${userId} ${name}`).join();
