import type { ChannelId } from '@pressel/contract/ids';
import type { QueryClient } from '@tanstack/react-query';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import { guestLinksKey } from './guests.queries.ts';

/** Minimum interval between reads of the list, ms. */
const THROTTLE_MS = 400;

/** Reads a channel's links again when they or their guests change. Returns the unsubscribe function. */
export function bindGuestLinks(realtime: Pick<Realtime, 'on'>, queries: QueryClient, channelId: ChannelId) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: guestLinksKey(channelId) }), THROTTLE_MS);
  const stop = realtime.on('changed', (news) => {
    if (news.what === 'guests' && news.channelId === channelId) refresh.call();
  });
  return () => {
    stop();
    refresh.close();
  };
}
