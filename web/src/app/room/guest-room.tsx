import { useEffect, useLayoutEffect, useState } from 'react';
import { causeOf, type FinalCause } from '#src/features/voice/final-status.ts';
import { createStays, type Stays } from '#src/features/voice/stays.ts';
import { StaysProvider } from '#src/features/voice/stays-context.tsx';
import { browserApart } from '#src/shared/browser-apart.ts';
import { createRealtime, type Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, useServices } from '#src/shared/services.tsx';
import '#src/shared/ui/console-styles.ts';
import styles from '../room-routes.module.css';
import { Banners } from '../shell/banners.tsx';
import type { OpenRoom } from './open-stay.ts';
import { VideoScreen } from './video-screen.tsx';

export interface GuestRoomProps {
  guestToken: string;
  /** The channel's rtcSession. */
  roomKey: string;
  onRenamed: (roomKey: string) => void;
  /** The visit is over, by the guest's own leaving or by whatever the server says. Called once. */
  onEnd: (cause: FinalCause) => void;
  openRoom?: OpenRoom | undefined;
}

/** The video view of a guest: over a socket of its own, without anything else of the app. */
export function GuestRoom({ guestToken, roomKey, onRenamed, onEnd, openRoom }: GuestRoomProps) {
  const link = useGuestLink(guestToken);
  const { renewal } = useServices();
  // Whoever is in a room is asked before newer code is fetched.
  useEffect(() => renewal.hold(), [renewal]);
  if (link === undefined) return null;
  return (
    <RealtimeProvider realtime={link.realtime}>
      <StaysProvider stays={link.stays}>
        <div className={styles.bare}>
          <Banners />
          <div className={styles.room}>
            <VideoScreen
              roomKey={roomKey}
              onRenamed={onRenamed}
              {...(openRoom === undefined ? {} : { openRoom })}
              ways={{
                onLeft: () => onEnd('left'),
                closed: (status) => <Ended cause={causeOf(status)} onEnd={onEnd} />,
              }}
            />
          </div>
        </div>
      </StaysProvider>
    </RealtimeProvider>
  );
}

/** Tells that the room has ended, once it is on the screen. */
function Ended({ cause, onEnd }: { cause: FinalCause; onEnd: (cause: FinalCause) => void }) {
  useEffect(() => onEnd(cause), [cause, onEnd]);
  return null;
}

/** A socket for one visit, and the room that is entered over it. */
function useGuestLink(guestToken: string): { realtime: Realtime; stays: Stays } | undefined {
  const { openRealtime = createRealtime, renewal, storage } = useServices();
  const [link, setLink] = useState<{ realtime: Realtime; stays: Stays }>();
  useLayoutEffect(() => {
    const realtime = openRealtime({ token: () => guestToken, renewal });
    // A reload would lose the link.
    const apart = browserApart(renewal, storage, false);
    const stop = realtime.on('server_version', apart.serverIs);
    const stays = createStays();
    setLink({ realtime, stays });
    return () => {
      stays.leave();
      stop();
      apart.close();
      realtime.close();
      setLink(undefined);
    };
  }, [guestToken, openRealtime, renewal, storage]);
  return link;
}
