import type { Stay } from '#src/features/voice/stays.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { lazyPart } from '#src/shared/lazy-part.ts';
import { Part } from '#src/shared/ui/part.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useIsOnRoomPage } from './use-is-on-room-page.ts';

// Part of the room's code (room-routes.tsx), which is there as long as somebody is in one.
const StayBar = lazyPart(async () => (await import('./stay-bar.tsx')).StayBar);

/** Keeps the room at hand while another page is shown. */
export function StaySlot() {
  const stay = useSnapshot(useStays());
  const isOnItsPage = useIsOnRoomPage();
  if (stay === undefined || isOnItsPage) return null;
  return <StayPlace stay={stay} />;
}

/** The room's bar, whatever page is shown. */
export function StayPlace({ stay }: { stay: Stay }) {
  const stays = useStays();
  return (
    <Part>
      <StayBar stay={stay} onLeave={stays.leave} />
    </Part>
  );
}
