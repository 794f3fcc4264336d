import { loadableChunk } from '#src/shared/renewal.ts';
import type { MapOptions, MapView } from './map/map-view.ts';

export type LoadMap = () => Promise<{ openMap: (options: MapOptions) => MapView }>;

/** The map's own code, larger than the rest of the app: loaded when a map is shown. */
export const loadMap: LoadMap = loadableChunk(() => import('./map/open-map.ts'));
