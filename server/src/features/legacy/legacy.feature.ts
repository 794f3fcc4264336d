import type { Feature, Platform } from '#src/platform/platform.ts';
import { legacyRoutes } from './legacy.routes.ts';

/** Calls of an earlier product, on the tables of this one. */
export function legacyFeature({ serve, db }: Platform): Feature {
  legacyRoutes(serve, db);
  return { api: undefined };
}
