import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelFacts } from '#src/platform/facts.ts';
import type { LiveParticipant } from '#src/platform/sockets.ts';
import type { Here } from './presence.store.ts';

/** The rooms of this process's own participants, and the newest that is known of their channels. */
export interface Rooms {
  /** Remembers edits of a channel from now on even while its room is empty: somebody is entering. Call what it returns at the end. */
  hold(channelId: ChannelId): () => void;
  /**
   * Takes note of a channel as it was read by who enters, or told after an edit. An older version than the known one is ignored.
   * @returns the channel, or null when it was ignored or its room isn't known
   */
  learn(channel: ChannelFacts): ChannelFacts | null;
  latest(channelId: ChannelId): ChannelFacts | null;
  put(participant: LiveParticipant, channel: ChannelFacts, here: Here): void;
  take(participant: LiveParticipant, channelId: ChannelId): void;
  participantsIn(channelId: ChannelId): LiveParticipant[];
}

interface Room {
  channel: ChannelFacts | null;
  readonly participants: Set<LiveParticipant>;
  holds: number;
}

export function createRooms(): Rooms {
  const rooms = new Map<ChannelId, Room>();
  const roomOf = (channelId: ChannelId): Room => {
    const known = rooms.get(channelId);
    if (known !== undefined) return known;
    const room: Room = { channel: null, participants: new Set(), holds: 0 };
    rooms.set(channelId, room);
    return room;
  };
  const tidy = (channelId: ChannelId, room: Room): void => {
    if (room.holds === 0 && room.participants.size === 0) rooms.delete(channelId);
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
      for (const { stays } of room.participants) {
        const stay = stays.get(channel.id);
        if (stay !== undefined) stay.name = channel.name;
      }
      return channel;
    },
    latest: (channelId) => rooms.get(channelId)?.channel ?? null,
    put(participant, { id, name }, here) {
      participant.stays.set(id, { id, name, ...here, isClosed: false, beatAt: null, isSilent: false, isOwed: false });
      roomOf(id).participants.add(participant);
    },
    take(participant, channelId) {
      participant.stays.delete(channelId);
      const room = roomOf(channelId);
      room.participants.delete(participant);
      tidy(channelId, room);
    },
    participantsIn: (channelId) => [...(rooms.get(channelId)?.participants ?? [])],
  };
}
