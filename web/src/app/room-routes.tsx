import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keepScreenOn } from '#src/features/voice/wake-lock.ts';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { HowToEnterPage } from './pages/how-to-enter-page.tsx';
import { OfflinePage } from './pages/offline-page.tsx';
// Not lazy, as these routes are already: React shows a second fallback for 300 ms at least, and an entry waits for it.
import { RoomScreen, type RoomScreenProps } from './room/room-screen.tsx';
import styles from './room-routes.module.css';
import { LinkBanner } from './shell/link-banner.tsx';
// Its slot in the shell shows it while another page is shown: it comes with the room, and so is there after an upgrade.
import './shell/stay-bar.tsx';
import { SignedIn } from './signed-in.tsx';

const groupCall = getRouteApi('/console/groupCallView/$roomId');
const mobileCall = getRouteApi('/mobileCallView/$roomId');
const join = getRouteApi('/join/$roomId');

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
    <BareRoom
      roomKey={mobileCall.useParams().roomId}
      onRenamed={(key) =>
        void navigate({ to: '/mobileCallView/$roomId', params: { roomId: key }, search: true, replace: true })
      }
      wanted={mobileCall.useSearch().panel}
      onWant={(next) => void navigate({ search: next === undefined ? {} : { panel: next }, replace: true })}
    />
  );
}

export function JoinRoute() {
  const navigate = join.useNavigate();
  return (
    <BareRoom
      roomKey={join.useParams().roomId}
      onRenamed={(key) => void navigate({ to: '/join/$roomId', params: { roomId: key }, search: true, replace: true })}
      wanted={join.useSearch().panel}
      onWant={(next) => void navigate({ search: next === undefined ? {} : { panel: next }, replace: true })}
    />
  );
}

/** The room without the console, for phones and links. The page is public; entering the room needs a session. */
function BareRoom(room: Omit<RoomScreenProps, 'layout' | 'openRoom'>) {
  const session = useSession();
  const state = useSnapshot(session);
  switch (state.state) {
    case 'signedIn':
      return (
        <SignedIn user={state.user}>
          <div className={styles.bare}>
            <LinkBanner />
            <div className={styles.room}>
              <RoomScreen {...room} layout="bare" />
            </div>
          </div>
        </SignedIn>
      );
    case 'unreachable':
      return <OfflinePage />;
    case 'signedOut':
      return <HowToEnterPage />;
    case 'unknown':
      return null;
    default:
      return state satisfies never;
  }
}
