import type { UserId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import { updateUserMicState } from '@pressel/contract/voice';
import { roomsOf, type Socket, type Sockets } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import { requireSelf, type ServeCall } from '#src/shared/calls.ts';
import type { MicSwitch } from './mic-switch.ts';

export interface VoiceRoutesNeeds {
  sockets: Pick<Sockets, 'all'>;
  micOf: (socket: Socket) => MicSwitch | undefined;
}

export function voiceRoutes(serve: ServeCall, { sockets, micOf }: VoiceRoutesNeeds): void {
  /** A socket of the user in the room of this name, the one that came last, and the room. */
  const placeIn = (userId: UserId, channelName: string) =>
    [...sockets.all()]
      .filter(({ data: { session } }) => session.userId === userId)
      .flatMap((socket) => roomsOf(socket).map(({ id, name }) => ({ socket, id, name })))
      .findLast(({ name }) => roomKey(name) === roomKey(channelName));

  serve(updateUserMicState, async ({ userId, micState, channelName }, { session }) => {
    requireSelf(session, userId);
    const place = placeIn(session.userId, channelName);
    const mic = place && micOf(place.socket);
    if (mic === undefined || place === undefined) throw new AppError('not_in_room');
    return { success: true as const, floor: await mic.report(micState, place.id) };
  });
}
