import { part } from '#src/shared/renewal.ts';

/** The map's own code, larger than the rest of the app: loaded when a map is shown. */
export const loadMap = part(() => import('./map/open-map.ts'));
