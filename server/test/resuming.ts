import type { ChannelId } from '@pressel/contract/ids';
import type { EventAnswer } from '@pressel/contract/realtime';
import type { FloorNews } from '@pressel/contract/voice';
import type { TestSocket } from './socket-client.ts';

/** A socket that joined as a client that can resume. */
export type Resumable = TestSocket & { state: EventAnswer<'join_room'>; token: string };

/** Joins as a client that can resume: its first room, another one, or, by this token, the one that it was in. */
export async function joinResumable(
  socket: TestSocket,
  channelId: ChannelId,
  resume: string | null = null,
  more: { floor?: FloorNews; claim?: number; keep?: boolean } = {},
): Promise<Resumable> {
  const answer = await socket.send('join_room', { room: 'x', channelId, keep: true, resume, ...more });
  if (!answer.ok) throw new Error(answer.code);
  return { ...socket, state: answer.data, token: answer.data.resume ?? '' };
}

/** Breaks the link as a network does: without a goodbye. */
export const breakLink = ({ raw }: TestSocket): void => void raw.io.engine.close();
