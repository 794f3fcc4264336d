import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { LostPage } from './pages/lost-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell/shell.tsx';
import { SignedIn } from './signed-in.tsx';

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
