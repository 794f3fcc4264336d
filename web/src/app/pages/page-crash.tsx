import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { PartBoundary } from '#src/shared/ui/part-boundary.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { StayPlace } from '../shell/stay-slot.tsx';
import { CrashPage } from './crash-page.tsx';

/** Confines a page's error to the page: the user stays in the room and keeps its bar. Another page is a new try. */
export function PageCrash({ children }: { children: ReactNode }) {
  const shown = useRouterState({ select: (state) => state.resolvedLocation });
  return (
    <PartBoundary retryWith={shown} failed={(error) => <Crashed error={error} />}>
      {children}
    </PartBoundary>
  );
}

function Crashed({ error }: { error: unknown }) {
  const stay = useSnapshot(useStays());
  return (
    <>
      <CrashPage error={error} />
      {stay && <StayPlace stay={stay} />}
    </>
  );
}
