import { redirect } from '@tanstack/react-router';
import type { Namespace } from '#src/shared/i18n/words-bundles.ts';
import type { Services } from '#src/shared/services.tsx';
import type { Session } from '#src/shared/session.ts';
import { nextTask } from '#src/shared/when-idle.ts';

export interface RouterContext {
  session: Session;
  loadWords: (namespaces: readonly Namespace[]) => Promise<void>;
  /** Left out by tests that aren't about it. */
  entrance?: Entrance;
}

/** Enters a room before its page is loaded. */
interface Entrance {
  /** Loads the code for entering. Called when the user is about to choose a room. */
  foresee(): void;
  /** Enters the room, unless the navigation to it is aborted. The page waits for the promise, if there is one [TALK164]. */
  enter(roomKey: string, signal: AbortSignal): Promise<void> | undefined;
}

/** The room's code that enters. */
interface EntranceCode {
  /** Opens the user's link, which entering needs. */
  openLink(services: Services): void;
  /** Makes the voice engine, which entering needs. @returns the function that closes it unless a room or call uses it */
  openVoice(services: Services, signal: AbortSignal): () => void;
  enterAhead(roomKey: string, services: Services, signal: AbortSignal): Promise<void> | undefined;
}

/**
 * Keeps the loaded code: a browser resolves a second `import()` only after the tasks of a page that is being rendered.
 * The page itself would then enter the room first.
 */
export function createEntrance(load: () => Promise<EntranceCode>, services: Services): Entrance {
  let code: EntranceCode | undefined;
  const loadNow = async () => {
    code ??= await load();
    return code;
  };
  // If a room can't be entered ahead, its page enters it.
  const unheeded = () => undefined;
  return {
    foresee: () => void loadNow().catch(unheeded),
    enter(roomKey, signal) {
      if (code !== undefined) return code.enterAhead(roomKey, services, signal);
      void loadNow().then(async ({ openLink, openVoice, enterAhead }) => {
        // On the app's first page. Link, voice and room take long, so each has a task of its own.
        openLink(services);
        await nextTask();
        const release = openVoice(services, signal);
        await nextTask();
        try {
          return enterAhead(roomKey, services, signal);
        } finally {
          release();
        }
      }, unheeded);
      return undefined;
    },
  };
}

interface GuardArgs {
  context: RouterContext;
  location: { href: string };
}

/** Requires a session; otherwise redirects to sign-in, which returns here. */
export async function requireSession({ context, location }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  if (state === 'signedOut') throw redirect({ to: '/signin', search: { next: location.href } });
}

/** For the sign-in pages: redirects users with a session, also while the server is unreachable (spec §4). */
export async function requireNoSession({ context }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  if (state !== 'signedOut') throw redirect({ to: '/dashboard' });
}

/** For public pages that need to know the session before they render. */
export async function loadSession({ context }: GuardArgs): Promise<void> {
  await context.session.ready();
}

/** '/' only redirects. */
export async function redirectFromRoot({ context }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  throw redirect({ to: state === 'signedOut' ? '/signin' : '/dashboard' });
}

interface RoomArgs extends Pick<GuardArgs, 'context'> {
  params: { roomId: string };
  cause: 'preload' | 'enter' | 'stay';
  abortController: AbortController;
}

/** Enters the room that the address names, once: not again when another part of the address changes [TALK156]. */
export function enterOnTheWay(): (args: RoomArgs) => Promise<void> | undefined {
  let last: string | undefined;
  return ({ context: { entrance }, params: { roomId }, cause, abortController: { signal } }) => {
    if (cause === 'preload') entrance?.foresee();
    if (cause === 'preload' || (cause === 'stay' && roomId === last)) return undefined;
    last = roomId;
    return entrance?.enter(roomId, signal);
  };
}
