import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useMatchRoute } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

/** The room on the screen, for the shell around it. */
export interface CurrentRoom {
  channelId: ChannelId;
  /** The channel's name according to the room; lists may have a newer one. */
  name: string;
  /** Ends the current talk when a dialog opens [TALK66]. */
  stopTalking: () => void;
  /** Shows somebody on the room's map; undefined for users who may not see it. */
  locate: ((userId: UserId, name: string) => void) | undefined;
}

interface CurrentRoomState {
  room: CurrentRoom | undefined;
  setRoom: (room: CurrentRoom | undefined) => void;
}

const RoomContext = createContext<CurrentRoomState>({ room: undefined, setRoom: () => undefined });

export function CurrentRoomProvider({ children }: { children: ReactNode }) {
  const [room, setRoom] = useState<CurrentRoom>();
  return <RoomContext value={{ room, setRoom }}>{children}</RoomContext>;
}

/** The room on the screen; undefined without one, or outside of the shell. */
export const useCurrentRoom = (): CurrentRoom | undefined => use(RoomContext).room;

/** Registers the room with the shell while the calling component is mounted. */
export function useRegisterRoom(
  channel: { id: ChannelId; name: string } | null,
  { stopTalking, locate }: Pick<CurrentRoom, 'stopTalking' | 'locate'>,
): void {
  const { setRoom } = use(RoomContext);
  const channelId = channel?.id;
  const name = channel?.name ?? '';
  useEffect(() => {
    if (channelId === undefined) return;
    setRoom({ channelId, name, stopTalking, locate });
    return () => setRoom(undefined);
  }, [setRoom, channelId, name, stopTalking, locate]);
}

/**
 * Whether a room's page or the board is shown, or about to be. Asks the router, which ignores an address's case and the
 * slash at its end.
 */
export function useIsOnRoomPage(): boolean {
  const matchRoute = useMatchRoute();
  return (['/groupCallView/$roomId', '/board'] as const).some(
    (to) => matchRoute({ to }) !== false || matchRoute({ to, pending: true }) !== false,
  );
}
