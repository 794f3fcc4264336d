import { type ParticipantId, participantId, type UserId, userId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import { updateUserMicState } from '@pressel/contract/voice';
import * as z from 'zod';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import type { AskAll } from '#src/processes/process-queries.ts';
import { AppError } from '#src/shared/app-error.ts';
import { roomsOf, type Socket, type Sockets } from '#src/sockets/sockets.ts';
import type { MicSwitch } from './mic-switch.ts';

export interface VoiceRoutesNeeds {
  sockets: Pick<Sockets, 'all'>;
  micOf: (socket: Socket) => MicSwitch | undefined;
  askAll: AskAll;
  /** The user's newest participant in the room of this key, among those of all processes; null: this process is alone. */
  newestIn: ((userId: UserId, key: string) => Promise<ParticipantId | null>) | null;
}

/** The user whose microphone is on or off, the room, and which of the user's participants it is. Earlier versions don't say which. */
const switching = z.object({ userId, micState: z.boolean(), channelName: z.string(), id: participantId.optional() });

export function voiceRoutes(serve: ServeCall, { sockets, micOf, askAll, newestIn }: VoiceRoutesNeeds): void {
  /** The socket of this participant, else the user's newest one here, in the room of this name, and the room. */
  const placeIn = (userId: UserId, channelName: string, id: ParticipantId | undefined) =>
    [...sockets.all()]
      .filter(
        ({ data: { session, participant } }) => session.userId === userId && (id ?? participant.id) === participant.id,
      )
      .flatMap((socket) => roomsOf(socket).map(({ id, name }) => ({ socket, id, name })))
      .findLast(({ name }) => roomKey(name) === roomKey(channelName));

  const report = askAll('voice.mic', switching, ({ userId, micState, channelName, id }) => {
    const place = placeIn(userId, channelName, id);
    const mic = place && micOf(place.socket);
    return mic === undefined || place === undefined
      ? null
      : mic.report(micState, place.id).then((floor) => ({ floor }));
  });

  serve(updateUserMicState, async ({ micState, channelName, ...of }, { session }) => {
    requireSelf(session, of.userId);
    const { userId } = session;
    const id = await newestIn?.(userId, roomKey(channelName));
    const reported = id === null ? null : await report({ userId, micState, channelName, id });
    if (reported === null) throw new AppError('not_in_room');
    return { success: true as const, floor: reported.floor };
  });
}
