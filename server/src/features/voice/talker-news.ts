import type { ChannelId, UserId } from '@pressel/contract/ids';
import { audience, type Sockets } from '#src/platform/sockets.ts';

/** Interval of news to users outside a room, ms: a talk that begins and ends within it is not told. */
const TELL_AFTER_MS = 300;

type Talkers = readonly { userId: UserId; name: string }[];

/** Tells users outside a room who talks in it [TALK32], apart from the floor, which waits for none of them. */
export function createTalkerNews(sockets: Pick<Sockets, 'to'>) {
  /**
   * Rooms with untold changes, and the talkers before the first of them: another process may have told of that. One room is
   * sent per turn of the event loop, so that floor requests are not delayed.
   */
  const changed = new Map<ChannelId, { before: Talkers; talkers: Talkers; timer: NodeJS.Timeout }>();

  const tell = (channelId: ChannelId) => {
    const { before = [], talkers = [] } = changed.get(channelId) ?? {};
    changed.delete(channelId);
    if (named(talkers) === named(before)) return;
    sockets
      .to([audience.admins, audience.membersOf(channelId)])
      .except(audience.everyoneIn(channelId))
      .emit('talkers_changed', { channelId, talkers: talkers.map(({ userId, name }) => ({ userId, name })) });
  };

  return {
    /** `before`: the talkers until now. */
    set(channelId: ChannelId, talkers: Talkers, before: Talkers): void {
      const known = changed.get(channelId);
      const timer = known?.timer ?? setTimeout(tell, TELL_AFTER_MS, channelId);
      changed.set(channelId, { talkers, before: known?.before ?? before, timer });
    },
    close(): void {
      for (const { timer } of changed.values()) clearTimeout(timer);
      changed.clear();
    },
  };
}

const named = (talkers: Talkers) => talkers.map(({ userId, name }) => `${userId} ${name}`).join();
