import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';
import { seesEveryMap } from '#src/accounts/policies.ts';
import type { MembershipChange } from '#src/processes/facts.ts';
import { audience, channelsHeardBy, type Socket, type Sockets } from '#src/sockets/sockets.ts';

export interface MapAudienceDeps {
  sockets: Sockets;
  readMapRight(userId: UserId): Promise<boolean>;
  log: Pick<FastifyBaseLogger, 'error'>;
}

/**
 * Keeps the sockets of members who may see positions in the audience `mapOf` of their channels. A socket joins once the
 * database said that its user has the right; until then it sees no position.
 */
export function createMapAudience({ sockets, readMapRight, log }: MapAudienceDeps) {
  /** Sockets whose right is being read, and whether it changed meanwhile. */
  const reading = new Map<Socket, { isOutdated: boolean }>();

  const socketsOf = (userIds: readonly UserId[]): Socket[] => {
    const wanted = new Set(userIds);
    return [...sockets.all()].filter(({ data }) => wanted.has(data.session.userId));
  };

  function give(socket: Socket): void {
    socket.data.seesMap = true;
    // Administrators are an audience of their own.
    if (!seesEveryMap(socket.data.session)) void socket.join(channelsHeardBy(socket).map(audience.mapOf));
    socket.emit('map_right', { mapRight: true });
  }

  function take(socket: Socket): void {
    socket.data.seesMap = false;
    for (const room of [...socket.rooms]) if (room.startsWith(audience.mapOf(''))) void socket.leave(room);
    socket.emit('map_right', { mapRight: false });
  }

  async function learn(socket: Socket): Promise<void> {
    const state = { isOutdated: true };
    reading.set(socket, state);
    try {
      await socket.data.registered;
      // It gave up before it was taken in.
      if (socket.disconnected) return;
      let mapRight = false;
      while (state.isOutdated) {
        state.isOutdated = false;
        const { session } = socket.data;
        mapRight = seesEveryMap(session) || (await readMapRight(session.userId));
      }
      if (socket.disconnected) return;
      if (mapRight) give(socket);
      else take(socket);
    } finally {
      reading.delete(socket);
    }
  }

  return {
    meet(socket: Socket): void {
      learn(socket).catch((error: unknown) => log.error({ err: error }, 'map_right_unknown'));
    },

    rightChanged(userIds: readonly UserId[], mapRight: boolean): void {
      for (const socket of socketsOf(userIds)) {
        const state = reading.get(socket);
        if (state !== undefined) state.isOutdated = true;
        if (seesEveryMap(socket.data.session) || socket.data.seesMap === mapRight) continue;
        if (!mapRight) take(socket);
        else if (state === undefined) give(socket);
      }
    },

    /** Called after a channel was deleted: nobody may see positions there any more. */
    channelDeleted(channelId: ChannelId): void {
      for (const socket of sockets.all()) void socket.leave(audience.mapOf(channelId));
    },

    membershipsChanged(changes: readonly MembershipChange[]): void {
      const byUser = Map.groupBy(changes, ({ userId }) => userId);
      for (const socket of socketsOf([...byUser.keys()])) {
        if (!socket.data.seesMap || seesEveryMap(socket.data.session)) continue;
        for (const { channelId, isMember } of byUser.get(socket.data.session.userId) ?? []) {
          if (isMember) void socket.join(audience.mapOf(channelId));
          else void socket.leave(audience.mapOf(channelId));
        }
      }
    },
  };
}
