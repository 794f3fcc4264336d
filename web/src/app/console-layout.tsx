import { Outlet } from '@tanstack/react-router';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell/shell.tsx';
import { SignedIn } from './signed-in.tsx';

/** Wraps the pages of the console: session, socket, shell. */
export function ConsoleLayout() {
  return (
    <SessionGate>
      {(user) => (
        <SignedIn user={user}>
          <Shell>
            <Outlet />
          </Shell>
        </SignedIn>
      )}
    </SessionGate>
  );
}
