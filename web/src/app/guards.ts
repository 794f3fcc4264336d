import { redirect } from '@tanstack/react-router';
import type { Session } from '#src/shared/session.ts';

export interface RouterContext {
  session: Session;
}

interface GuardArgs {
  context: RouterContext;
  location: { href: string };
}

/** Lets those with a session in; others go to sign in and come back to this very place. */
export async function requireSession({ context, location }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  if (state === 'signedOut') throw redirect({ to: '/signin', search: { next: location.href } });
}

/** The doors are for those without a session. A server that can't be reached keeps the session (spec §4). */
export async function requireNoSession({ context }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  if (state !== 'signedOut') throw redirect({ to: '/dashboard' });
}

/** Open to anyone, but who it is must be known before the page is drawn. */
export async function learnSession({ context }: GuardArgs): Promise<void> {
  await context.session.ready();
}

/** '/' itself shows nothing. */
export async function chooseDoor({ context }: GuardArgs): Promise<void> {
  const { state } = await context.session.ready();
  throw redirect({ to: state === 'signedOut' ? '/signin' : '/dashboard' });
}
