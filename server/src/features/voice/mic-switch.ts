import type { ChannelId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { FloorReply } from '@pressel/contract/voice';
import { askForSignOfLife, onSignOfLife } from '#src/sockets/sign-of-life.ts';
import { type EnteredRoom, roomOf, type Socket } from '#src/sockets/sockets.ts';
import type { FloorService } from './floor-service.ts';
import type { Asker } from './floor-state.ts';

/** Renews the claim of a client that cannot do it itself, at each sign of life of its socket (TALK27). */
interface ClaimRenewal {
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

/** The microphone of a client that says only whether it is on: its changes are requests and releases (TALK27). */
export interface MicSwitch {
  /** Switches it on or off; without a state, to the opposite of the last one. @throws AppError not_in_room, too_many */
  set(isOn: boolean | undefined, channelId?: ChannelId): Promise<FloorReply>;
  /** Call it when the socket numbers its requests: what it reports beside them is no claim. */
  noteRequest(): void;
  /** As `set`; returns null if the socket numbers its requests. */
  report(isOn: boolean, channelId: ChannelId): Promise<FloorReply | null>;
}

export interface MicSwitchNeeds {
  socket: Socket;
  floor: Pick<FloorService, 'request' | 'release'>;
  renewal: ClaimRenewal;
  asker: (enteredRoom: EnteredRoom) => Asker;
  /** @throws AppError too_many */
  limit: (channelId: ChannelId) => void;
}

export function createMicSwitch({ socket, floor, renewal, asker, limit }: MicSwitchNeeds): MicSwitch {
  /** The last state in each room. */
  const last = new WeakMap<EnteredRoom, boolean>();
  let isNumbered = false;

  const set = async (wanted: boolean | undefined, channelId?: ChannelId): Promise<FloorReply> => {
    const enteredRoom = roomOf(socket, channelId);
    const isOn = wanted ?? last.get(enteredRoom) !== true;
    // Noted for a refused press too: a call without a state after it is its end, not another press.
    last.set(enteredRoom, isOn);
    if (!isOn) return floor.release(enteredRoom.id, socket.data.participant.id, null);
    limit(enteredRoom.id);
    const reply = await floor.request(enteredRoom.id, asker(enteredRoom), null, true);
    if (reply.type === 'granted' || reply.type === 'queued') renewal.start(enteredRoom.id, reply.seq);
    return reply;
  };

  return {
    set,
    noteRequest() {
      isNumbered = true;
    },
    report: async (isOn, channelId) => (isNumbered ? null : set(isOn, channelId)),
  };
}
