import { useIsOnRoomPage } from '#src/features/room/current-room.tsx';
import type { EnteredRoom } from '#src/features/room/entered-rooms.ts';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';

// Part of the room's code (room-routes.tsx), which is there as long as somebody is in one.
const RoomBar = lazyComponent(async () => (await import('#src/features/room/room-bar.tsx')).RoomBar);

/** Keeps the room at hand while another page is shown. */
export function RoomBarSlot() {
  const enteredRoom = useSnapshot(useEnteredRooms());
  const isOnItsPage = useIsOnRoomPage();
  if (enteredRoom === undefined || isOnItsPage) return null;
  return <LazyRoomBar enteredRoom={enteredRoom} />;
}

/** The room's bar, whatever page is shown. */
export function LazyRoomBar({ enteredRoom }: { enteredRoom: EnteredRoom }) {
  const enteredRooms = useEnteredRooms();
  return (
    <LazySection>
      <RoomBar enteredRoom={enteredRoom} onLeave={enteredRooms.leave} />
    </LazySection>
  );
}
