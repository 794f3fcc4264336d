import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { LoadMap } from './load-map.ts';
import type { MapOptions, MapView } from './map/map-view.ts';
import type { MapSettings, PositionsFeed } from './positions-feed.ts';
import { markerWords, usePositionsWords } from './positions-words.ts';
import { steadyNow } from './use-steady-now.ts';

export type DrawnStyle = Parameters<MapOptions['onStyle']>[0];

export interface ShownMap {
  /** Undefined until the map is there. */
  view: MapView | undefined;
  drawn: DrawnStyle | undefined;
  /** The ground can't be drawn at the moment. */
  isGroundLost: boolean;
  /** The browser can't draw the map, or its code could not be loaded. */
  error: unknown;
  container: React.RefObject<HTMLDivElement | null>;
}

export interface MapActs {
  onChoose: (userId: string | null) => void;
  onCrowd: (userIds: readonly string[]) => void;
}

/** Shows the map in `container` while the caller is mounted. */
export function useMapView(
  feed: PositionsFeed,
  settings: MapSettings,
  { onChoose, onCrowd }: MapActs,
  load: LoadMap,
): ShownMap {
  const t = usePositionsWords();
  const { current: language } = useLanguage();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const container = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<MapView>();
  const [drawn, setDrawn] = useState<DrawnStyle>();
  const [isGroundLost, setGroundLost] = useState(false);
  const [error, setError] = useState<unknown>();
  const { styleUrl } = settings;
  const [lng, lat] = settings.center;

  // Another language is another map: its names and hints are part of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme that it begins with; changes are told to the map
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let opened: MapView | undefined;
    let unsubscribe: (() => void) | undefined;
    let isGone = false;
    load()
      .then(({ openMap }) => {
        if (isGone) return;
        const map = openMap({
          ...{ container: element, styleUrl, center: [lng, lat], scheme, language, onChoose, onCrowd },
          texts: {
            title: t('map.canvas'),
            cooperative: {
              windows: t('map.cooperativeWindows'),
              mac: t('map.cooperativeMac'),
              touch: t('map.cooperativeTouch'),
            },
          },
          words: markerWords(t),
          people: feed.positions.people,
          now: steadyNow,
          onStyle: setDrawn,
          onGround: setGroundLost,
        });
        opened = map;
        unsubscribe = feed.positions.subscribe(map.changed);
        setView(map);
      })
      .catch((cause: unknown) => {
        if (!isGone) setError(cause);
      });
    return () => {
      isGone = true;
      unsubscribe?.();
      opened?.close();
      setView(undefined);
      setDrawn(undefined);
      setGroundLost(false);
      setError(undefined);
    };
  }, [feed, styleUrl, lng, lat, language, t, onChoose, onCrowd, load]);

  useEffect(() => view?.setScheme(scheme), [view, scheme]);
  return { view, drawn, isGroundLost, error, container };
}
