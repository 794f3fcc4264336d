import { lazy, Suspense } from 'react';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useIsOnRoomPage } from './use-is-on-room-page.ts';

// Part of the room's code (room-routes.tsx), which is there as long as somebody is in one.
const StayBar = lazy(async () => ({ default: (await import('./stay-bar.tsx')).StayBar }));

/** Where the room stays at hand while another page is shown. */
export function StaySlot() {
  const stays = useStays();
  const stay = useSnapshot(stays);
  const isOnItsPage = useIsOnRoomPage();
  if (stay === undefined || isOnItsPage) return null;
  return (
    <Suspense fallback={null}>
      <StayBar stay={stay} onLeave={stays.leave} />
    </Suspense>
  );
}
