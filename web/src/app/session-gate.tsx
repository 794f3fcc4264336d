import type { SessionUser } from '@pressel/contract/auth';
import { Navigate, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { OfflinePage } from './pages/offline-page.tsx';

/** Follows the session while a page is open: the guard of a route only looks when one enters. */
export function SessionGate({ children }: { children: (user: SessionUser) => ReactNode }) {
  const session = useSnapshot(useSession());
  const href = useLocation({ select: (location) => location.href });
  switch (session.state) {
    case 'signedIn':
      return children(session.user);
    case 'unreachable':
      return <OfflinePage />;
    case 'unknown':
      return null;
    case 'signedOut':
      // Who signs out on purpose starts afresh; who was signed out comes back here.
      return session.reason === 'chosen' ? (
        <Navigate to="/signin" replace />
      ) : (
        <Navigate to="/signin" search={{ next: href }} replace />
      );
    default:
      return session satisfies never;
  }
}
