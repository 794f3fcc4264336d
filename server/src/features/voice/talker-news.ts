import type { ChannelId, UserId } from '@pressel/contract/ids';
import { audience, type Sockets } from '#src/platform/sockets.ts';

/** Interval of news to those outside a room, ms: a talk that begins and ends within it is not told. */
const TELL_AFTER_MS = 300;

type Talkers = readonly { userId: UserId; name: string }[];

/** Tells those outside a room who talks in it [TALK32], apart from the floor, which waits for none of them. */
export function createTalkerNews(sockets: Pick<Sockets, 'to'>) {
  /** As they were told; rooms in which nobody talks are not here. */
  const told = new Map<ChannelId, string>();
  /** Rooms with untold changes. Sent one room per turn of the event loop, so that floor requests are not delayed. */
  const changed = new Map<ChannelId, { talkers: Talkers; timer: NodeJS.Timeout }>();

  const tell = (channelId: ChannelId) => {
    const { talkers = [] } = changed.get(channelId) ?? {};
    changed.delete(channelId);
    const now = talkers.map(({ userId, name }) => `${userId} ${name}`).join();
    if (now === (told.get(channelId) ?? '')) return;
    if (now === '') told.delete(channelId);
    else told.set(channelId, now);
    sockets
      .to([audience.admins, audience.membersOf(channelId)])
      .except(audience.everyoneIn(channelId))
      .emit('talkers_changed', { channelId, talkers: talkers.map(({ userId, name }) => ({ userId, name })) });
  };

  return {
    set(channelId: ChannelId, talkers: Talkers): void {
      const timer = changed.get(channelId)?.timer ?? setTimeout(tell, TELL_AFTER_MS, channelId);
      changed.set(channelId, { talkers, timer });
    },
    close(): void {
      for (const { timer } of changed.values()) clearTimeout(timer);
      changed.clear();
    },
  };
}
