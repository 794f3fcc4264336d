import { useEffect, useLayoutEffect, useState } from 'react';
import { createEnteredRooms, type EnteredRooms } from '#src/features/room/entered-rooms.ts';
import { EnteredRoomsProvider } from '#src/features/room/entered-rooms-context.tsx';
import { causeOf, type FinalCause } from '#src/features/voice/engine/types.ts';
import { browserApart } from '#src/shared/apart.ts';
import { createRealtime, type Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, useServices } from '#src/shared/services.tsx';
import '#src/shared/ui/console-styles.ts';
import styles from '#src/app/room-routes.module.css';
import { Banners } from '#src/app/shell/banners.tsx';
import type { OpenRoomSession } from '#src/features/room/create-entered-room.ts';
import { VideoScreen } from '#src/features/room/video-screen.tsx';

export interface GuestRoomProps {
  guestToken: string;
  /** The channel's rtcSession. */
  roomKey: string;
  onRenamed: (roomKey: string) => void;
  /** Called once at the end of the room, because the guest left or because of what the server said. */
  onEnd: (cause: FinalCause) => void;
  openRoom?: OpenRoomSession | undefined;
}

/** A guest's video view, over a socket of its own and without the rest of the app. */
export function GuestRoom({ guestToken, roomKey, onRenamed, onEnd, openRoom }: GuestRoomProps) {
  const link = useGuestLink(guestToken);
  const { renewal } = useServices();
  // The app asks a user in a room before it fetches newer code.
  useEffect(() => renewal.blockReload(), [renewal]);
  if (link === undefined) return null;
  return (
    <RealtimeProvider realtime={link.realtime}>
      <EnteredRoomsProvider enteredRooms={link.enteredRooms}>
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
      </EnteredRoomsProvider>
    </RealtimeProvider>
  );
}

/** Reports the end of the room once it is on the screen. */
function Ended({ cause, onEnd }: { cause: FinalCause; onEnd: (cause: FinalCause) => void }) {
  useEffect(() => onEnd(cause), [cause, onEnd]);
  return null;
}

/** Opens a socket for one room, and the entered rooms over it. */
function useGuestLink(guestToken: string): { realtime: Realtime; enteredRooms: EnteredRooms } | undefined {
  const { openRealtime = createRealtime, renewal, storage } = useServices();
  const [link, setLink] = useState<{ realtime: Realtime; enteredRooms: EnteredRooms }>();
  useLayoutEffect(() => {
    const realtime = openRealtime({ token: () => guestToken, renewal });
    // A reload would lose the link.
    const apart = browserApart(renewal, storage, false);
    const stop = realtime.on('server_version', apart.serverIs);
    const enteredRooms = createEnteredRooms();
    setLink({ realtime, enteredRooms });
    return () => {
      enteredRooms.leave();
      stop();
      apart.close();
      realtime.close();
      setLink(undefined);
    };
  }, [guestToken, openRealtime, renewal, storage]);
  return link;
}
