import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keepScreenOn } from '#src/features/voice/wake-lock.ts';
import { BareRoom } from './bare-room.tsx';
// Not lazy, as these routes are already: React shows a second fallback for 300 ms at least, and an entry waits for it.
import { RoomScreen } from './room/room-screen.tsx';
// Its slot in the shell shows it while another page is shown: it comes with the room, and so is there after an upgrade.
import './shell/stay-bar.tsx';

const groupCall = getRouteApi('/console/groupCallView/$roomId');
const mobileCall = getRouteApi('/mobileCallView/$roomId');

export function GroupCallRoute() {
  const { roomId } = groupCall.useParams();
  const { panel } = groupCall.useSearch();
  const navigate = groupCall.useNavigate();
  return (
    <RoomScreen
      roomKey={roomId}
      layout="shell"
      onRenamed={(key) =>
        void navigate({ to: '/groupCallView/$roomId', params: { roomId: key }, search: true, replace: true })
      }
      wanted={panel}
      onWant={(next) => void navigate({ search: next === undefined ? {} : { panel: next }, replace: true })}
    />
  );
}

/** A phone in a hand (spec §2): the room alone, and a screen that stays on. */
export function MobileCallRoute() {
  useEffect(() => keepScreenOn({ document, wakeLock: navigator.wakeLock }), []);
  const navigate = mobileCall.useNavigate();
  return (
    <BareRoom>
      <RoomScreen
        roomKey={mobileCall.useParams().roomId}
        layout="bare"
        onRenamed={(key) =>
          void navigate({ to: '/mobileCallView/$roomId', params: { roomId: key }, search: true, replace: true })
        }
        wanted={mobileCall.useSearch().panel}
        onWant={(next) => void navigate({ search: next === undefined ? {} : { panel: next }, replace: true })}
      />
    </BareRoom>
  );
}
