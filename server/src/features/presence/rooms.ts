import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelFacts } from '#src/platform/facts.ts';
import type { Socket } from '#src/platform/sockets.ts';
import type { Here } from './presence.store.ts';

/** The rooms of this process's own sockets, and the newest that is known of their channels. */
export interface Rooms {
  /** Remembers edits of a channel from now on even while its room is empty: somebody is entering. Call what it returns at the end. */
  hold(channelId: ChannelId): () => void;
  /**
   * Takes note of a channel as it was read by who enters, or told after an edit. An older version than the known one is ignored.
   * @returns the channel, or null when it was ignored or its room isn't known
   */
  learn(channel: ChannelFacts): ChannelFacts | null;
  latest(channelId: ChannelId): ChannelFacts | null;
  put(socket: Socket, channel: ChannelFacts, here: Here): void;
  take(socket: Socket): void;
  socketsIn(channelId: ChannelId): Socket[];
}

interface Room {
  channel: ChannelFacts | null;
  readonly sockets: Set<Socket>;
  holds: number;
}

export function createRooms(): Rooms {
  const rooms = new Map<ChannelId, Room>();
  const roomOf = (channelId: ChannelId): Room => {
    const known = rooms.get(channelId);
    if (known !== undefined) return known;
    const room: Room = { channel: null, sockets: new Set(), holds: 0 };
    rooms.set(channelId, room);
    return room;
  };
  const tidy = (channelId: ChannelId, room: Room): void => {
    if (room.holds === 0 && room.sockets.size === 0) rooms.delete(channelId);
  };

  return {
    hold(channelId) {
      const room = roomOf(channelId);
      room.holds += 1;
      return () => {
        room.holds -= 1;
        tidy(channelId, room);
      };
    },
    learn(channel) {
      const room = rooms.get(channel.id);
      if (room === undefined || (room.channel !== null && room.channel.version >= channel.version)) return null;
      room.channel = channel;
      for (const { data } of room.sockets) if (data.channel !== null) data.channel.name = channel.name;
      return channel;
    },
    latest: (channelId) => rooms.get(channelId)?.channel ?? null,
    put(socket, { id, name }, here) {
      socket.data.channel = { id, name, ...here, isClosed: false, beatAt: null, isSilent: false };
      roomOf(id).sockets.add(socket);
    },
    take(socket) {
      const { channel } = socket.data;
      if (channel === null) return;
      socket.data.channel = null;
      const room = roomOf(channel.id);
      room.sockets.delete(socket);
      tidy(channel.id, room);
    },
    socketsIn: (channelId) => [...(rooms.get(channelId)?.sockets ?? [])],
  };
}
