import type { UserId } from '@pressel/contract/ids';
import type { TrailPoint } from '@pressel/contract/positions';
import { createListeners } from '#src/shared/listeners.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { MapView } from './map/map-view.ts';
import type { PositionsFeed } from './positions-feed.ts';

/** The state of somebody's trail of the last hour. */
export type TrailState = 'reading' | 'none' | 'shown' | 'failed';

export interface GuideState {
  /** The user whose card is shown. */
  chosen: UserId | null;
  trail: TrailState;
  /** People at one place, from whom the user may choose one. */
  crowd: readonly UserId[];
}

/** Keeps the chosen person on the map, and what follows from the choice. */
export interface MapGuide extends SnapshotSource<GuideState> {
  /** Called when the map is there, or there again in another language. Returns what to call when it is gone. */
  attach(view: MapView): () => void;
  choose(userId: UserId | null): void;
  showCrowd(userIds: readonly UserId[]): void;
  /** Goes to somebody. If they are not on the map, calls `onUnknown`. */
  focus(userId: UserId, onUnknown: (userId: UserId) => void): void;
}

export function createMapGuide(feed: Pick<PositionsFeed, 'positions' | 'lookUp' | 'trail'>): MapGuide {
  const listeners = createListeners();
  let state: GuideState = { chosen: null, trail: 'reading', crowd: [] };
  let view: MapView | undefined;
  let points: readonly TrailPoint[] | null = null;
  /** The user to go to once the map is there. */
  let awaited: UserId | undefined;

  const set = (change: Partial<GuideState>): void => {
    state = { ...state, ...change };
    listeners.notify();
  };

  async function readTrail(userId: UserId): Promise<void> {
    let trail: TrailState;
    let found: readonly TrailPoint[] | null = null;
    try {
      found = await feed.trail(userId);
      trail = found.length < 2 ? 'none' : 'shown';
    } catch {
      trail = 'failed';
    }
    if (state.chosen !== userId) return;
    points = found;
    view?.showTrail(found);
    set({ trail });
  }

  function choose(userId: UserId | null): void {
    if (userId === state.chosen && state.crowd.length === 0) return;
    points = null;
    view?.showTrail(null);
    view?.choose(userId);
    set({ chosen: userId, trail: 'reading', crowd: [] });
    if (userId !== null) void readTrail(userId);
  }

  function goTo(userId: UserId): void {
    if (view === undefined) awaited = userId;
    else view.panTo(userId);
    choose(userId);
  }

  return {
    getSnapshot: () => state,
    subscribe: (listener) => listeners.add(() => listener()),
    attach(opened) {
      view = opened;
      if (awaited !== undefined) view.panTo(awaited);
      awaited = undefined;
      if (state.chosen !== null) view.choose(state.chosen);
      view.showTrail(points);
      return () => {
        if (view === opened) view = undefined;
      };
    },
    choose,
    showCrowd(crowd) {
      choose(null);
      set({ crowd });
    },
    focus(userId, onUnknown) {
      if (feed.positions.people().has(userId)) {
        goTo(userId);
        return;
      }
      feed.lookUp(userId).then(
        (isKnown) => (isKnown ? goTo(userId) : onUnknown(userId)),
        () => onUnknown(userId),
      );
    },
  };
}
