import { z } from '@pressel/contract/zod';
import { isFinal } from '#src/features/voice/engine/types.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import { nextTask } from '#src/shared/when-idle.ts';
import type { EnteredRooms } from './entered-rooms.ts';

const roomToReturnTo = z.object({ userId: z.string(), room: z.string(), isSharing: z.boolean(), at: z.number() });
/** The user and their room (its rtcSession) when the page reloaded, whether they shared their position, and the time, ms. */
type Return = z.infer<typeof roomToReturnTo>;

/** Later than this after the reload, nobody expects to be in a room, ms. */
const FRESH_MS = 60_000;

/** Keeps which room the user is in, before the page reloads [APP17]. Not for the video view, whose own page enters its room. */
export function keepReturn(
  enteredRooms: EnteredRooms,
  storage: Pick<AppStorage, 'keepForReload'>,
  userId: string,
): void {
  const enteredRoom = enteredRooms.getSnapshot();
  if (enteredRoom === undefined || enteredRoom.room.video !== null) return;
  const { status, channel } = enteredRoom.room.getSnapshot();
  if (isFinal(status) || channel === null) return;
  const { state } = enteredRoom.sharing.getSnapshot();
  const isSharing = state === 'on' || state === 'searching';
  const wanted: Return = { userId, room: channel.rtcSession, isSharing, at: Date.now() };
  storage.keepForReload('return', JSON.stringify(wanted));
}

export interface ReturnDeps {
  enteredRooms: EnteredRooms;
  storage: AppStorage;
  realtime: Realtime;
  userId: string;
  /** Loads the code that enters rooms, when one is to be entered. */
  loadRoomCode?: () => Promise<
    Pick<typeof import('./create-entered-room.ts'), 'createEnteredRoom' | 'openRoomSession'>
  >;
}

/** Enters the room again that the user was in before the page reloaded, whatever page is shown [APP17]. */
export async function returnToRoom(deps: ReturnDeps): Promise<void> {
  const { enteredRooms, storage, realtime, userId, loadRoomCode = () => import('./create-entered-room.ts') } = deps;
  const wanted = takeReturn(storage);
  if (wanted === undefined || wanted.userId !== userId || Date.now() - wanted.at > FRESH_MS) return;
  const { createEnteredRoom, openRoomSession } = await loadRoomCode();
  // The room's own page enters it one task after the link is open, and comes first [TALK156].
  await nextTask();
  const { room, isSharing } = wanted;
  // Meanwhile its own page may have entered it, or the user may have entered another one.
  const entered = enteredRooms.getSnapshot();
  const enteredRoom =
    entered ??
    enteredRooms.enter(room, () => createEnteredRoom({ room, realtime, storage, openRoom: openRoomSession }));
  if (entered === undefined) enteredRoom.room.pageTalk.setKey({ isOnItsPage: false });
  const { channel } = enteredRoom.room.getSnapshot();
  if (isSharing && (channel === null || channel.rtcSession === room)) enteredRoom.sharing.start();
}

/** Read once: a later load enters no room by itself. */
function takeReturn(storage: Pick<AppStorage, 'forgetForReload' | 'readForReload'>): Return | undefined {
  const text = storage.readForReload('return');
  storage.forgetForReload('return');
  try {
    return roomToReturnTo.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}
