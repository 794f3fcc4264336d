import type { SessionUser } from '@pressel/contract/auth';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { OfflinePage } from './pages/offline-page.tsx';

/** Follows the session while a page is open: the guard of a route only looks when one enters. */
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
      return <ToSignIn isChosen={session.reason === 'chosen'} />;
    default:
      return session satisfies never;
  }
}

/** Who signs out on purpose starts afresh; who was signed out comes back here. */
function ToSignIn({ isChosen }: { isChosen: boolean }) {
  const router = useRouter();
  useEffect(() => {
    // Read once: while the router is on its way, its location is already the next one, and following that would
    // never end.
    const from = router.state.resolvedLocation?.href;
    const search = isChosen || from === undefined ? {} : { next: from };
    void router.navigate({ to: '/signin', search, replace: true });
  }, [router, isChosen]);
  return null;
}
