import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useEffect, useState } from 'react';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Participant, Person } from './map/position-index.ts';
import { createPositionsFeed, type PositionsFeed } from './positions-feed.ts';
import { steadyNow } from './use-steady-now.ts';

const onFrame = (act: () => void): void => void requestAnimationFrame(act);

/** Keeps the positions of a channel's members while the caller is mounted. Undefined for a moment at first. */
export function usePositionsFeed(
  channelId: ChannelId,
  participants: readonly Participant[],
): PositionsFeed | undefined {
  const api = useApi();
  const realtime = useRealtime();
  const [feed, setFeed] = useState<PositionsFeed>();

  useEffect(() => {
    const opened = createPositionsFeed({ api, realtime, channelId, now: steadyNow, onFrame });
    setFeed(opened);
    return () => {
      opened.close();
      setFeed(undefined);
    };
  }, [api, realtime, channelId]);

  useEffect(() => feed?.positions.setParticipants(participants), [feed, participants]);
  return feed;
}

/** Returns one person's newest state; undefined while their position is not known. */
export const usePerson = (feed: PositionsFeed, userId: UserId | null): Person | undefined =>
  useSnapshot({
    getSnapshot: () => (userId === null ? undefined : feed.positions.people().get(userId)),
    subscribe: (listener) => feed.positions.subscribe(listener),
  });
