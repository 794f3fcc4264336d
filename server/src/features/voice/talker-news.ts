import type { ChannelId, UserId } from '@pressel/contract/ids';
import { audience, type Sockets } from '#src/platform/sockets.ts';

/** Whoever is outside looks at a list: of what came and went within this time they are told nothing. */
const TELL_AFTER_MS = 300;

type Talkers = readonly { userId: UserId; name: string }[];

/** Tells those outside a room who talks in it [TALK32], apart from the floor, which waits for none of them. */
export function createTalkerNews(sockets: Pick<Sockets, 'to'>) {
  /** As they were told; rooms in which nobody talks are not here. */
  const told = new Map<ChannelId, string>();
  const changed = new Map<ChannelId, Talkers>();
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    timer = undefined;
    for (const [channelId, talkers] of changed) {
      const now = talkers.map(({ userId, name }) => `${userId} ${name}`).join();
      if (now === (told.get(channelId) ?? '')) continue;
      if (now === '') told.delete(channelId);
      else told.set(channelId, now);
      sockets
        .to([audience.admins, audience.membersOf(channelId)])
        .except(audience.everyoneIn(channelId))
        .emit('talkers_changed', { channelId, talkers: talkers.map(({ userId, name }) => ({ userId, name })) });
    }
    changed.clear();
  };

  return {
    set(channelId: ChannelId, talkers: Talkers): void {
      changed.set(channelId, talkers);
      timer ??= setTimeout(tell, TELL_AFTER_MS);
    },
    close(): void {
      clearTimeout(timer);
      changed.clear();
    },
  };
}
