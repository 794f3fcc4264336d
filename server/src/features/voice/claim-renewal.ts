import type { ChannelId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import { askForSignOfLife, onSignOfLife } from '#src/sockets/sign-of-life.ts';
import type { Socket } from '#src/sockets/sockets.ts';
import type { FloorService } from './floor-service.ts';

/** Renews the claim of a client that cannot do it itself, at each sign of life of its socket (TALK27). */
export interface ClaimRenewal {
  /** `seq` is the claim's number. Ends with the claim, or with the next call for this channel. */
  start(channelId: ChannelId, seq: number): void;
}

export function createClaimRenewal(
  socket: Socket,
  floor: Pick<FloorService, 'renew' | 'holds'>,
  onFault: (error: unknown) => void,
): ClaimRenewal {
  const stops = new Map<ChannelId, () => void>();
  return {
    start(channelId, seq) {
      stops.get(channelId)?.();
      const { id } = socket.data.participant;
      const stopListening = onSignOfLife(socket, () => void floor.renew(channelId, id, seq).catch(onFault));
      const ask = async () => {
        if (await floor.holds(channelId, id, seq)) askForSignOfLife(socket);
        else end();
      };
      const timer = setInterval(() => void ask().catch(onFault), FLOOR_RENEW_MS).unref();
      const end = () => {
        stopListening();
        clearInterval(timer);
        if (stops.get(channelId) === end) stops.delete(channelId);
      };
      stops.set(channelId, end);
    },
  };
}
