import { Outlet } from '@tanstack/react-router';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell/shell.tsx';
import { SignedIn } from './signed-in.tsx';

/** What all pages of the console stand in: a session, its socket, the shell. */
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
