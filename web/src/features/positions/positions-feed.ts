import type { ChannelId, UserId } from '@pressel/contract/ids';
import {
  getChannelPositions,
  getMapSettings,
  getUserTrail,
  type LngLat,
  type LocationNews,
  lookUpPosition,
  type TrailPoint,
} from '@pressel/contract/positions';
import { useEffect, useState } from 'react';
import type { Api } from '#src/shared/api/api.ts';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle, throttleSeen } from '#src/shared/realtime/throttle.ts';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { type SnapshotSource, useSnapshot } from '#src/shared/use-snapshot.ts';
import {
  createPositionIndex,
  type Participant,
  type Person,
  type PositionIndex,
  type PositionIndexDeps,
} from './map/position-index.ts';

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

/** Minimum interval between reads of the list, ms. */
const REREAD_MS = 1_000;
/** Unknown people are read together after this, ms, because news are told before they are stored. */
const ASK_MS = 400;
/** People who are not found are read once more after this, ms. Storing may take that long; after that they are no members. */
const ASK_AGAIN_MS = 5_000;
const ASKED_MAX = 2;
const UNKNOWN_MAX = 1_000;
/** No event tells what somebody did last, so it is read at this interval while one person is looked at, ms (POS23). */
const RENEW_MS = 10_000;

export interface MapSettings {
  styleUrl: string | null;
  center: LngLat;
}

export type PositionsFeedState =
  | { state: 'loading' }
  | { state: 'failed'; error: unknown }
  /** The right to the map was taken away, or the channel was. */
  | { state: 'forbidden' }
  | { state: 'ready'; settings: MapSettings; known: number };

export interface PositionsFeedDeps extends PositionIndexDeps {
  api: Api;
  realtime: Pick<Realtime, 'on'>;
  channelId: ChannelId;
}

/** Reads where the members of a channel are, and keeps it up to date until it is closed. */
export interface PositionsFeed extends SnapshotSource<PositionsFeedState> {
  readonly positions: PositionIndex;
  retry(): void;
  /** Looks up one person, which the activity log records. @returns whether their position is known */
  lookUp(userId: UserId): Promise<boolean>;
  /** Keeps what is known of one person as new as it can be read, until the returned function is called. */
  follow(userId: UserId): () => void;
  /** Returns somebody's trail of the last hour, oldest first. */
  trail(userId: UserId): Promise<readonly TrailPoint[]>;
  close(): void;
}

export function createPositionsFeed(deps: PositionsFeedDeps): PositionsFeed {
  const { api, realtime, channelId } = deps;
  const positions = createPositionIndex(deps);
  const listeners = new Set<() => void>();
  const ending = new AbortController();
  const { signal } = ending;
  let state: PositionsFeedState = { state: 'loading' };
  let settings: MapSettings | undefined;
  /** Users of whom news came but who are not on the map: how often they were read, and their last news. */
  const asked = new Map<UserId, number>();
  let unknown = new Map<UserId, LocationNews>();
  let asking: ReturnType<typeof setTimeout> | undefined;
  let reading = 0;
  /** False once the right to the map was taken away: nothing is read until it is given. */
  let hasRight = true;

  const set = (next: PositionsFeedState): void => {
    state = next;
    for (const listener of [...listeners]) listener();
  };
  const fail = (error: unknown): void => {
    if (signal.aborted) return;
    if (isRefusal(error)) {
      positions.clear();
      set({ state: 'forbidden' });
      // Positions that were read before stay visible, because they say how old they are.
    } else if (state.state !== 'ready') set({ state: 'failed', error });
  };

  const readAll = async (): Promise<void> => {
    reading += 1;
    const mine = reading;
    try {
      const [{ res }, known] = await Promise.all([
        api.call(getChannelPositions, { channelId }, { signal }),
        settings ?? api.call(getMapSettings, { channelId }, { signal }),
      ]);
      if (signal.aborted || mine !== reading) return;
      settings = { styleUrl: known.styleUrl, center: known.center };
      asked.clear();
      positions.replace(res);
      set({ state: 'ready', settings, known: positions.people().size });
    } catch (error) {
      fail(error);
    }
  };
  const askIn = (ms: number): void => {
    asking ??= setTimeout(() => {
      asking = undefined;
      void readUnknown();
    }, ms);
  };
  const readUnknown = async (): Promise<void> => {
    const some = [...unknown].slice(0, UNKNOWN_MAX);
    const userIds = some.map(([userId]) => userId);
    unknown = new Map([...unknown].slice(UNKNOWN_MAX));
    try {
      const { res } = await api.call(getChannelPositions, { channelId, userIds }, { signal });
      if (signal.aborted || settings === undefined || state.state !== 'ready') return;
      positions.add(res);
      for (const [userId, news] of some) {
        const times = (asked.get(userId) ?? 0) + 1;
        asked.set(userId, times);
        if (!positions.move(news) && times < ASKED_MAX && !unknown.has(userId)) unknown.set(userId, news);
      }
      set({ state: 'ready', settings, known: positions.people().size });
      if (unknown.size > 0) askIn(ASK_AGAIN_MS);
    } catch (error) {
      fail(error);
    }
  };
  /**
   * Reads one person as a part of the list. The read of their trail records the look-up, once, however long they are
   * looked at (POS9).
   */
  const renew = async (userId: UserId): Promise<void> => {
    try {
      const { res } = await api.call(getChannelPositions, { channelId, userIds: [userId] }, { signal });
      if (!signal.aborted && state.state === 'ready') positions.add(res);
    } catch (error) {
      fail(error);
    }
  };
  const read = throttle(() => void readAll(), REREAD_MS);

  const stops = [
    realtime.on('onLocationChanged', (news) => {
      if (state.state !== 'ready' || positions.move(news) || (asked.get(news.userId) ?? 0) >= ASKED_MAX) return;
      unknown.set(news.userId, news);
      askIn(ASK_MS);
    }),
    realtime.on('map_right', ({ mapRight }) => {
      hasRight = mapRight;
      if (mapRight) return read.call();
      // Positions that are still being read must not be shown either.
      reading += 1;
      fail(new ApiError('forbidden'));
    }),
    realtime.on('changed', ({ what, channelId: about = channelId }) => {
      if (hasRight && what !== 'channels' && about === channelId) read.call();
    }),
    read.close,
    () => clearTimeout(asking),
  ];
  read.call();

  return {
    positions,
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retry() {
      set({ state: 'loading' });
      read.call();
    },
    async lookUp(userId) {
      const { res } = await api.call(lookUpPosition, { channelId, userId }, { signal });
      if (res !== null && hasRight) positions.add([res]);
      return res !== null;
    },
    follow(userId) {
      const isInRoom = () => positions.people().get(userId)?.isInRoom ?? false;
      let wasHere = isInRoom();
      const renewal = throttleSeen(() => void renew(userId), REREAD_MS);
      const timer = setInterval(renewal.call, RENEW_MS);
      // Entering and leaving are activities.
      const unsubscribe = positions.subscribe(() => {
        if (isInRoom() === wasHere) return;
        wasHere = isInRoom();
        renewal.call();
      });
      renewal.call();
      return () => {
        clearInterval(timer);
        unsubscribe();
        renewal.close();
      };
    },
    trail: async (userId) => (await api.call(getUserTrail, { channelId, userId }, { signal })).res,
    close() {
      ending.abort();
      for (const stop of stops) stop();
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && ['forbidden', 'not_a_member', 'not_found', 'unauthenticated'].includes(error.code);

/** The page's steady clock, ms, by which positions are dated. */
export const steadyNow = (): number => performance.now();

/** Ages are shown in minutes. */
const STEP_MS = 10_000;

const clock = {
  getSnapshot: () => Math.ceil(steadyNow() / STEP_MS) * STEP_MS,
  subscribe(listener: () => void) {
    const timer = setInterval(listener, STEP_MS);
    return () => clearInterval(timer);
  },
};

/** The steady clock for rendering, a few seconds coarse. */
export const useSteadyNow = (): number => useSnapshot(clock);
