import type { Feature, Platform } from '#src/platform/platform.ts';
import { makeReference, type Reference } from './make-reference.ts';
import { referenceRoutes } from './reference.routes.ts';

/** The description of calls and events at /docs, made of the contract. It tells nothing of this server but its version. */
export function referenceFeature({ http }: Pick<Platform, 'http'>, { version }: { version: string }): Feature {
  let reference: Promise<Reference> | null = null;
  referenceRoutes(http, () => {
    // Made when somebody asks for it: a server that starts has other things to do.
    reference ??= makeReference(version).catch((error: unknown) => {
      reference = null;
      throw error;
    });
    return reference;
  });
  return { api: undefined };
}
