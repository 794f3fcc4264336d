import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { keepScreenOn } from '#src/features/voice/wake-lock.ts';
import { Queries } from '#src/shared/queries.tsx';
import { part } from '#src/shared/renewal.ts';
import { useServices } from '#src/shared/services.tsx';
import { BareRoom } from './bare-room.tsx';
import { VideoScreen } from './room/video-screen.tsx';

// Members need nothing of it.
const loadGuests = part(() => import('./room/guest-route.tsx'));
const GuestRoute = lazy(async () => ({ default: (await loadGuests()).GuestRoute }));

const join = getRouteApi('/join/$roomId');

/** The room with pictures (spec §2), and a screen that stays on. */
export function JoinRoute() {
  useEffect(() => keepScreenOn({ document, wakeLock: navigator.wakeLock }), []);
  const navigate = join.useNavigate();
  const { roomId } = join.useParams();
  const { guestLink } = useServices();
  if (guestLink !== undefined) {
    return (
      <Queries>
        <Suspense fallback={null}>
          <GuestRoute
            token={guestLink}
            onRenamed={(key) =>
              void navigate({ to: '/join/$roomId', params: { roomId: key }, hash: 'guest', replace: true })
            }
          />
        </Suspense>
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
