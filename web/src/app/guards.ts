import { redirect } from '@tanstack/react-router';
import type { Namespace } from '#src/shared/i18n/words-bundles.ts';
import type { Session } from '#src/shared/session.ts';

export interface RouterContext {
  session: Session;
  loadWords: (namespaces: readonly Namespace[]) => Promise<void>;
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
