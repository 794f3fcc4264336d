import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keepScreenOn } from '#src/features/voice/wake-lock.ts';
import { BareRoom } from './bare-room.tsx';
import { VideoScreen } from './room/video-screen.tsx';

const join = getRouteApi('/join/$roomId');

/** The room with pictures (spec §2), and a screen that stays on. */
export function JoinRoute() {
  useEffect(() => keepScreenOn({ document, wakeLock: navigator.wakeLock }), []);
  const navigate = join.useNavigate();
  return (
    <BareRoom>
      <VideoScreen
        roomKey={join.useParams().roomId}
        onRenamed={(key) => void navigate({ to: '/join/$roomId', params: { roomId: key }, replace: true })}
      />
    </BareRoom>
  );
}
