import { redirect } from '@tanstack/react-router';
import type { Namespace } from '#src/shared/i18n/words-bundles.ts';
import type { Session } from '#src/shared/session.ts';

export interface RouterContext {
  session: Session;
  loadWords: (namespaces: readonly Namespace[]) => Promise<void>;
  /** Enters a room before its page is there, unless the navigation to it is aborted; tests that aren't about it leave it out. */
  enterRoom?: (roomKey: string, signal: AbortSignal) => void;
}

interface GuardArgs {
  context: RouterContext;
  location: { href: string };
}

/** Requires a session; redirects to sign-in otherwise, which returns here. */
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

/** Enters the room that the address names now, and not again when something else of the address changes [TALK156]. */
export function enterOnTheWay(): (args: RoomArgs) => void {
  let last: string | undefined;
  return ({ context, params: { roomId }, cause, abortController: { signal } }) => {
    if (cause === 'preload' || (cause === 'stay' && roomId === last)) return;
    last = roomId;
    context.enterRoom?.(roomId, signal);
  };
}
