import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useEffect, useState } from 'react';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Participant, Person } from './map/position-book.ts';
import { createPositionsDesk, type PositionsDesk } from './positions-desk.ts';
import { steadyNow } from './use-steady-now.ts';

const onFrame = (act: () => void): void => void requestAnimationFrame(act);

/** Keeps the positions of a channel's members while the caller is mounted. Undefined for a moment at first. */
export function usePositionsDesk(
  channelId: ChannelId,
  participants: readonly Participant[],
): PositionsDesk | undefined {
  const api = useApi();
  const realtime = useRealtime();
  const [desk, setDesk] = useState<PositionsDesk>();

  useEffect(() => {
    const opened = createPositionsDesk({ api, realtime, channelId, now: steadyNow, onFrame });
    setDesk(opened);
    return () => {
      opened.close();
      setDesk(undefined);
    };
  }, [api, realtime, channelId]);

  useEffect(() => desk?.book.setParticipants(participants), [desk, participants]);
  return desk;
}

/** Returns one person's newest state; undefined while their position is not known. */
export const usePerson = (desk: PositionsDesk, userId: UserId | null): Person | undefined =>
  useSnapshot({
    getSnapshot: () => (userId === null ? undefined : desk.book.people().get(userId)),
    subscribe: (listener) => desk.book.subscribe(listener),
  });
