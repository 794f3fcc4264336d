import type { ChannelId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

/** The channel whose room is on the screen, for what stands around it. */
export interface CurrentRoom {
  channelId: ChannelId;
  /** As the room knows it; lists may know a newer one. */
  name: string;
  /** Ends a talk under way: a dialog opens [TALK66]. */
  stopTalking: () => void;
}

interface RoomPlace {
  room: CurrentRoom | undefined;
  setRoom: (room: CurrentRoom | undefined) => void;
}

const RoomContext = createContext<RoomPlace>({ room: undefined, setRoom: () => undefined });

export function CurrentRoomProvider({ children }: { children: ReactNode }) {
  const [room, setRoom] = useState<CurrentRoom>();
  return <RoomContext value={{ room, setRoom }}>{children}</RoomContext>;
}

/** The room on the screen; undefined when there is none, or outside of the shell. */
export const useCurrentRoom = (): CurrentRoom | undefined => use(RoomContext).room;

/** Tells the shell of the room as long as the screen that calls it is shown. */
export function useTellRoom(channel: { id: ChannelId; name: string } | null, stopTalking: () => void): void {
  const { setRoom } = use(RoomContext);
  const channelId = channel?.id;
  const name = channel?.name ?? '';
  useEffect(() => {
    if (channelId === undefined) return;
    setRoom({ channelId, name, stopTalking });
    return () => setRoom(undefined);
  }, [setRoom, channelId, name, stopTalking]);
}
