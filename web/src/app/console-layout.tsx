import type { SessionUser } from '@pressel/contract/auth';
import { Outlet, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { LostPage, NotFoundPage, OfflinePage } from './pages/plain-page.tsx';
import { Shell } from './shell/shell.tsx';
import { SignedIn } from './signed-in.tsx';

/** Reacts to session changes while a page is open; route guards only run on navigation. */
export function SessionGate({ children }: { children: (user: SessionUser) => ReactNode }) {
  const session = useSnapshot(useSession());
  switch (session.state) {
    case 'signedIn':
      return children(session.user);
    case 'unreachable':
      return <OfflinePage />;
    case 'unknown':
      return null;
    case 'signedOut':
      return <RedirectToSignIn isChosen={session.reason === 'chosen'} />;
    default:
      return session satisfies never;
  }
}

/** Redirects to sign-in; returns to the current page afterwards unless the user signed out themselves. */
function RedirectToSignIn({ isChosen }: { isChosen: boolean }) {
  const router = useRouter();
  useEffect(() => {
    // Read once: during navigation the router's location is already the next one. Depending on it would cause an
    // endless loop of redirects.
    const from = router.state.resolvedLocation?.href;
    const search = isChosen || from === undefined ? {} : { next: from };
    void router.navigate({ to: '/signin', search, replace: true });
  }, [router, isChosen]);
  return null;
}

/** Wraps the pages of the console: session, socket, shell. */
export function ConsoleLayout() {
  return (
    <Console>
      <Outlet />
    </Console>
  );
}

/** The page for an unknown address. Signed-in users see it inside the console; it needs no session. */
export function LostRoute() {
  const { state } = useSnapshot(useSession());
  if (state === 'signedOut') return <NotFoundPage />;
  return (
    <Console>
      <LostPage />
    </Console>
  );
}

function Console({ children }: { children: ReactNode }) {
  return (
    <SessionGate>
      {(user) => (
        <SignedIn user={user}>
          <Shell>{children}</Shell>
        </SignedIn>
      )}
    </SessionGate>
  );
}
