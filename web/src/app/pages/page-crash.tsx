import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LazyRoomBar } from '#src/app/shell/room-bar-slot.tsx';
import { useEnteredRooms } from '#src/features/voice/entered-rooms-context.tsx';
import { ErrorBoundary } from '#src/shared/ui/error-boundary.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { CrashPage } from './crash-page.tsx';

/** Confines a page's error to the page: the user stays in the room and keeps its bar. Another page is a new try. */
export function PageCrash({ children }: { children: ReactNode }) {
  const shown = useRouterState({ select: (state) => state.resolvedLocation });
  return (
    <ErrorBoundary retryWith={shown} failed={(error) => <Crashed error={error} />}>
      {children}
    </ErrorBoundary>
  );
}

function Crashed({ error }: { error: unknown }) {
  const enteredRoom = useSnapshot(useEnteredRooms());
  return (
    <>
      <CrashPage error={error} />
      {enteredRoom && <LazyRoomBar enteredRoom={enteredRoom} />}
    </>
  );
}
