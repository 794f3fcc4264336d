import type { ChannelId, UserId } from '@pressel/contract/ids';
import { audience, type Sockets } from '#src/sockets/sockets.ts';

/** Interval of news to users outside a room, ms: a talk that begins and ends within it is not told. */
const TELL_AFTER_MS = 300;
/** Wait before somebody's return is followed by news, ms: many return together when a process is gone. */
const TELL_AGAIN_AFTER_MS = 2_000;

type Talkers = readonly { userId: UserId; name: string }[];

/** A room with changes that aren't told yet, and its talkers before the first of them. */
interface Untold {
  before: Talkers;
  /** Null: nobody knows yet, they are to be read. */
  talkers: Talkers | null;
  timer: NodeJS.Timeout;
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
  /** One room is sent per turn of the event loop, so that floor requests are not delayed. */
  const changed = new Map<ChannelId, Untold>();
  let isStopping = false;

  const send = (channelId: ChannelId, talkers: Talkers) =>
    sockets
      .to([audience.admins, audience.membersOf(channelId)])
      .except(audience.everyoneIn(channelId))
      .emit('talkers_changed', { channelId, talkers: talkers.map(({ userId, name }) => ({ userId, name })) });

  const tell = async (channelId: ChannelId): Promise<void> => {
    const { before = [], talkers = null, timer } = changed.get(channelId) ?? {};
    clearTimeout(timer);
    changed.delete(channelId);
    if (talkersNow === null) {
      if (talkers !== null && !isSame(talkers, before)) send(channelId, talkers);
      return;
    }
    // While the database is away this process knows of its own changes alone.
    const newest = await talkersNow(channelId).catch(() => talkers);
    if (newest !== null) send(channelId, newest);
  };

  const wait = (channelId: ChannelId, ms: number) => setTimeout(() => void tell(channelId), ms);

  return {
    /** `before`: the talkers until now. */
    set(channelId: ChannelId, talkers: Talkers, before: Talkers): void {
      const known = changed.get(channelId);
      if (known === undefined && isSame(talkers, before)) return;
      // A return waits longer than a change may.
      const isWaiting = known !== undefined && known.talkers !== null;
      if (!isWaiting) clearTimeout(known?.timer);
      const timer = isWaiting ? known.timer : wait(channelId, TELL_AFTER_MS);
      changed.set(channelId, { talkers, before: isWaiting ? known.before : before, timer });
      if (isStopping) void tell(channelId);
    },
    /**
     * Called when somebody is back in a room. The process that had them may be gone, and may have told nobody outside what it
     * changed last.
     */
    cameBack(channelId: ChannelId): void {
      if (talkersNow === null || isStopping || changed.has(channelId)) return;
      changed.set(channelId, { talkers: null, before: [], timer: wait(channelId, TELL_AGAIN_AFTER_MS) });
    },
    /** Tells the other processes' users what waits, at once. From now on changes don't wait. */
    async stop(): Promise<void> {
      isStopping = true;
      if (talkersNow !== null) await Promise.all([...changed.keys()].map(tell));
    },
    close(): void {
      for (const { timer } of changed.values()) clearTimeout(timer);
      changed.clear();
    },
  };
}

const isSame = (some: Talkers, others: Talkers): boolean => named(some) === named(others);
const named = (talkers: Talkers) => talkers.map(({ userId, name }) => `${userId} ${name}`).join();
