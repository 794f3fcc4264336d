import { z } from '@pressel/contract/zod';
import { isFinal } from '#src/features/voice/final-status.ts';
import type { Stays } from '#src/features/voice/stays.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';

const roomToReturnTo = z.object({ userId: z.string(), room: z.string(), isSharing: z.boolean(), at: z.number() });
/** The user and their room (its rtcSession) when the page reloaded, whether they shared their position, and the time, ms. */
type Return = z.infer<typeof roomToReturnTo>;

/** Later than this after the reload, nobody expects to be in a room, ms. */
const FRESH_MS = 60_000;

/** Keeps which room the user is in, before the page reloads [APP17]. Not for the video view, whose own page enters its room. */
export function keepReturn(stays: Stays, storage: Pick<AppStorage, 'keepForReload'>, userId: string): void {
  const stay = stays.getSnapshot();
  if (stay === undefined || stay.room.video !== null) return;
  const { status, channel } = stay.room.getSnapshot();
  if (isFinal(status) || channel === null) return;
  const { state } = stay.sharing.getSnapshot();
  const isSharing = state === 'on' || state === 'searching';
  const wanted: Return = { userId, room: channel.rtcSession, isSharing, at: Date.now() };
  storage.keepForReload('return', JSON.stringify(wanted));
}

export interface ReturnDeps {
  stays: Stays;
  storage: AppStorage;
  realtime: Realtime;
  userId: string;
  /** Loads the code that opens stays, when one is to be opened. */
  loadStays?: () => Promise<Pick<typeof import('./open-stay.ts'), 'openStay' | 'openRoomSession'>>;
}

/** Enters the room again that the user was in before the page reloaded, whatever page is shown [APP17]. */
export async function returnToRoom(deps: ReturnDeps): Promise<void> {
  const { stays, storage, realtime, userId, loadStays = () => import('./open-stay.ts') } = deps;
  const wanted = takeReturn(storage);
  if (wanted === undefined || wanted.userId !== userId || Date.now() - wanted.at > FRESH_MS) return;
  const { openStay, openRoomSession } = await loadStays();
  const { room, isSharing } = wanted;
  // Meanwhile its own page may have entered it, or the user may have entered another one.
  const entered = stays.getSnapshot();
  const stay = entered ?? stays.enter(room, () => openStay({ room, realtime, storage, openRoom: openRoomSession }));
  if (entered === undefined) stay.room.pageTalk.setKey({ isOnItsPage: false });
  const { channel } = stay.room.getSnapshot();
  if (isSharing && (channel === null || channel.rtcSession === room)) stay.sharing.start();
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
