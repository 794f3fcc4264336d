import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { FloorReply } from '@pressel/contract/voice';
import type { Socket } from '#src/platform/sockets.ts';
import type { Asker, FloorService } from './floor-service.ts';
import type { LifeWatch } from './life-watch.ts';

/** The microphone of a client that says only whether it is on: its changes are requests and releases (TALK27). */
export interface MicSwitch {
  /** On or off; without a state the opposite of the last one. @throws AppError not_in_room, too_many */
  set(isOn: boolean | undefined): Promise<FloorReply>;
  /** The socket numbers its requests: what it reports beside them is no claim. */
  noteRequest(): void;
  /** As `set`, unless the socket numbers its requests: then null. */
  report(isOn: boolean): Promise<FloorReply | null>;
}

export interface MicSwitchNeeds {
  socket: Socket;
  floor: Pick<FloorService, 'request' | 'release'>;
  life: LifeWatch;
  /** The room that the socket is in. @throws AppError not_in_room */
  room: () => { id: ChannelId };
  asker: () => Asker;
  /** @throws AppError too_many */
  limit: () => void;
}

export function createMicSwitch({ socket, floor, life, room, asker, limit }: MicSwitchNeeds): MicSwitch {
  /** The last state, and the stay in a room that it belongs to. */
  let last: { stay: object; isOn: boolean } | null = null;
  let isNumbered = false;

  const set = async (wanted: boolean | undefined): Promise<FloorReply> => {
    const stay = room();
    const isOn = wanted ?? !(last?.stay === stay && last.isOn);
    // Also of a press that is refused: what follows it without a state is its end, not another press.
    last = { stay, isOn };
    if (!isOn) return floor.release(stay.id, socket.id as ParticipantId, null);
    limit();
    const reply = await floor.request(stay.id, asker(), null, true);
    if (reply.type === 'granted' || reply.type === 'queued') life.start(stay.id, reply.seq);
    return reply;
  };

  return {
    set,
    noteRequest() {
      isNumbered = true;
    },
    report: async (isOn) => (isNumbered ? null : set(isOn)),
  };
}
