import { type UserId, userId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import { updateUserMicState } from '@pressel/contract/voice';
import * as z from 'zod';
import type { AskAll } from '#src/platform/asks.ts';
import { roomsOf, type Socket, type Sockets } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import { requireSelf, type ServeCall } from '#src/shared/calls.ts';
import type { MicSwitch } from './mic-switch.ts';

export interface VoiceRoutesNeeds {
  sockets: Pick<Sockets, 'all'>;
  micOf: (socket: Socket) => MicSwitch | undefined;
  askAll: AskAll;
}

/** The user whose microphone is on or off, and the room. */
const switching = z.object({ userId, micState: z.boolean(), channelName: z.string() });

export function voiceRoutes(serve: ServeCall, { sockets, micOf, askAll }: VoiceRoutesNeeds): void {
  /** The user's newest socket in the room of this name, and the room. */
  const placeIn = (userId: UserId, channelName: string) =>
    [...sockets.all()]
      .filter(({ data: { session } }) => session.userId === userId)
      .flatMap((socket) => roomsOf(socket).map(({ id, name }) => ({ socket, id, name })))
      .findLast(({ name }) => roomKey(name) === roomKey(channelName));

  const report = askAll('voice.mic', switching, ({ userId, micState, channelName }) => {
    const place = placeIn(userId, channelName);
    const mic = place && micOf(place.socket);
    return mic === undefined || place === undefined
      ? null
      : mic.report(micState, place.id).then((floor) => ({ floor }));
  });

  serve(updateUserMicState, async ({ micState, channelName, ...of }, { session }) => {
    requireSelf(session, of.userId);
    const reported = await report({ userId: session.userId, micState, channelName });
    if (reported === null) throw new AppError('not_in_room');
    return { success: true as const, floor: reported.floor };
  });
}
