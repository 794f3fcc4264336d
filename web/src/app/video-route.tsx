import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { VideoScreen } from '#src/features/room/video-screen.tsx';
import { keepScreenOn } from '#src/features/room/wake-lock.ts';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { Queries } from '#src/shared/queries.tsx';
import { useServices } from '#src/shared/services.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { BareRoom } from './bare-room.tsx';

// Loaded separately, because members don't need it.
const GuestRoute = lazyComponent(async () => (await import('./guest/guest-route.tsx')).GuestRoute);

const join = getRouteApi('/join/$roomId');

/** Shows the room with pictures (spec §2), and keeps the screen on. */
export function JoinRoute() {
  useEffect(() => keepScreenOn({ document, wakeLock: navigator.wakeLock }), []);
  const navigate = join.useNavigate();
  const { roomId } = join.useParams();
  const { guestLink } = useServices();
  if (guestLink !== undefined) {
    return (
      <Queries>
        <LazySection>
          <GuestRoute
            token={guestLink}
            onRenamed={(key) =>
              void navigate({ to: '/join/$roomId', params: { roomId: key }, hash: 'guest', replace: true })
            }
          />
        </LazySection>
      </Queries>
    );
  }
  return (
    <BareRoom>
      <VideoScreen
        roomKey={roomId}
        onRenamed={(key) => void navigate({ to: '/join/$roomId', params: { roomId: key }, replace: true })}
      />
    </BareRoom>
  );
}
