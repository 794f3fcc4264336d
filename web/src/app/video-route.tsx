import { getRouteApi } from '@tanstack/react-router';
import { BareRoom } from './bare-room.tsx';
import { VideoScreen } from './room/video-screen.tsx';

const join = getRouteApi('/join/$roomId');

export function JoinRoute() {
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
