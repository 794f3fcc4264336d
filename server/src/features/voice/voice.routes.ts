import type { UserId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import { updateUserMicState } from '@pressel/contract/voice';
import type { Socket, Sockets } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import { requireSelf, type ServeCall } from '#src/shared/calls.ts';
import type { MicSwitch } from './mic-switch.ts';

export interface VoiceRoutesNeeds {
  sockets: Pick<Sockets, 'all'>;
  micOf: (socket: Socket) => MicSwitch | undefined;
}

export function voiceRoutes(serve: ServeCall, { sockets, micOf }: VoiceRoutesNeeds): void {
  /** A socket of the user in the room of this name: the one that came last. */
  const socketIn = (userId: UserId, channelName: string): Socket | undefined =>
    [...sockets.all()]
      .filter(({ data: { session, channel } }) => session.userId === userId && channel !== null)
      .findLast(({ data: { channel } }) => channel !== null && roomKey(channel.name) === roomKey(channelName));

  serve(updateUserMicState, async ({ userId, micState, channelName }, { session }) => {
    requireSelf(session, userId);
    const socket = socketIn(session.userId, channelName);
    const mic = socket && micOf(socket);
    if (mic === undefined) throw new AppError('not_in_room');
    return { success: true as const, floor: await mic.report(micState) };
  });
}
