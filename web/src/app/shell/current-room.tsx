import type { ChannelId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

/** The room on the screen, for the shell around it. */
export interface CurrentRoom {
  channelId: ChannelId;
  /** The channel's name according to the room; lists may have a newer one. */
  name: string;
  /** Ends the current talk when a dialog opens [TALK66]. */
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

/** The room on the screen; undefined without one, or outside of the shell. */
export const useCurrentRoom = (): CurrentRoom | undefined => use(RoomContext).room;

/** Registers the room with the shell while the calling component is mounted. */
export function useRegisterRoom(channel: { id: ChannelId; name: string } | null, stopTalking: () => void): void {
  const { setRoom } = use(RoomContext);
  const channelId = channel?.id;
  const name = channel?.name ?? '';
  useEffect(() => {
    if (channelId === undefined) return;
    setRoom({ channelId, name, stopTalking });
    return () => setRoom(undefined);
  }, [setRoom, channelId, name, stopTalking]);
}
