import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { MembersView } from '#src/features/members/members-part.ts';
import { createEnteredRoom, holdVoice, openRoomSession } from '#src/features/room/create-entered-room.ts';
// Not lazy, because these routes already are: React shows a second fallback for at least 300 ms, and entering would
// wait for it.
import { RoomScreen } from '#src/features/room/room-screen.tsx';
import { soundFirst } from '#src/features/room/sound-first.ts';
import { keepScreenOn } from '#src/features/room/wake-lock.ts';
import type { Services } from '#src/shared/services.tsx';
import { BareRoom } from './bare-room.tsx';
import type { ListSearch } from './search-params.ts';
import { linkOf } from './user-link.ts';
// The shell shows this bar while another page is shown. It is loaded with the room, so an upgrade can't take it away.
import '#src/features/room/room-bar.tsx';

/** The address leaves out default values. */
const membersView = ({ q = '', desc }: Pick<ListSearch, 'q' | 'desc'>): MembersView => ({
  filter: q,
  isDescending: desc === true,
});
const membersSearch = ({ filter, isDescending }: MembersView): Pick<ListSearch, 'q' | 'desc'> => ({
  q: filter.trim() === '' ? undefined : filter,
  desc: isDescending ? true : undefined,
});

/** Opens the user's link, if somebody is signed in. */
export function openLink(services: Services): void {
  const state = services.session.getSnapshot();
  if (state.state === 'signedIn') linkOf(state.user.id, services);
}

/** Makes the page's voice engine, which asks for the microphone, ahead of the room. */
export function openVoice(services: Services, signal: AbortSignal): () => void {
  const { session, storage } = services;
  const state = session.getSnapshot();
  if (state.state !== 'signedIn' || signal.aborted) return () => undefined;
  return holdVoice(linkOf(state.user.id, services).realtime, storage);
}

/**
 * Enters a room while its page is still being loaded and rendered, so that the user hears talks that much earlier
 * [TALK156]. The page finds the entered room. `signal`: of the navigation, which another one may replace. This is part of the
 * page's code, which a list of channels loads before the user chooses one. @returns when the page may be drawn
 * [TALK164]
 */
export function enterAhead(roomKey: string, services: Services, signal: AbortSignal): Promise<void> | undefined {
  const { session, storage } = services;
  const state = session.getSnapshot();
  // Without a session the page says how to get in.
  if (state.state !== 'signedIn' || signal.aborted) return undefined;
  const { enteredRooms, realtime } = linkOf(state.user.id, services);
  // That room's page may be on the screen, and stays there if this navigation is aborted. The next page leaves the
  // room.
  if (enteredRooms.getSnapshot() !== undefined) return undefined;
  const { room } = enteredRooms.enterAhead(roomKey, (key) => {
    const enteredRoom = createEnteredRoom({ room: key, realtime, storage, openRoom: openRoomSession });
    enteredRoom.room.pageTalk.setKey({ isOnItsPage: false });
    return enteredRoom;
  });
  return soundFirst(room, signal);
}

const groupCall = getRouteApi('/console/groupCallView/$roomId');
const mobileCall = getRouteApi('/mobileCallView/$roomId');

export function GroupCallRoute() {
  const { roomId } = groupCall.useParams();
  const { panel, ...search } = groupCall.useSearch();
  const navigate = groupCall.useNavigate();
  return (
    <RoomScreen
      roomKey={roomId}
      layout="shell"
      onRenamed={(key) =>
        void navigate({ to: '/groupCallView/$roomId', params: { roomId: key }, search: true, replace: true })
      }
      wanted={panel}
      onWant={(next) => void navigate({ search: (now) => ({ ...now, panel: next }), replace: true })}
      members={membersView(search)}
      onMembers={(view) => void navigate({ search: (now) => ({ ...now, ...membersSearch(view) }), replace: true })}
    />
  );
}

/** The page for a phone in a hand (spec §2): shows the room alone and keeps the screen on. */
export function MobileCallRoute() {
  useEffect(() => keepScreenOn({ document, wakeLock: navigator.wakeLock }), []);
  const { panel, ...search } = mobileCall.useSearch();
  const navigate = mobileCall.useNavigate();
  return (
    <BareRoom>
      <RoomScreen
        roomKey={mobileCall.useParams().roomId}
        layout="bare"
        onRenamed={(key) =>
          void navigate({ to: '/mobileCallView/$roomId', params: { roomId: key }, search: true, replace: true })
        }
        wanted={panel}
        onWant={(next) => void navigate({ search: (now) => ({ ...now, panel: next }), replace: true })}
        members={membersView(search)}
        onMembers={(view) => void navigate({ search: (now) => ({ ...now, ...membersSearch(view) }), replace: true })}
      />
    </BareRoom>
  );
}
