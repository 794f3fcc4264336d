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

/** An address where nothing is: inside the console for whoever is signed in; nobody has to sign in for it. */
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
