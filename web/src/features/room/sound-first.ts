import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';

/** How long a page waits for the answer to the join. A slower server answers when the page is already drawn. */
export const ANSWER_FIRST_MS = 60;
/** Total time that a page waits for the link to a talker. */
export const SOUND_FIRST_MS = 150;

/**
 * Resolves when the page of an entered room may be drawn. Drawing takes the browser longer than linking two people, and
 * both need the same processor: the talker is linked first [TALK164]. Never waits longer than SOUND_FIRST_MS.
 */
export function soundFirst(room: Pick<RoomSession, 'getSnapshot' | 'subscribe'>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // A microtask later, because a room that tells of a change may be in the middle of it.
  const look = () => queueMicrotask(() => awaited(room.getSnapshot()) === 'nothing' && resolve());
  const stop = room.subscribe(look);
  const answerTimer = setTimeout(() => awaited(room.getSnapshot()) === 'answer' && resolve(), ANSWER_FIRST_MS);
  const soundTimer = setTimeout(resolve, SOUND_FIRST_MS);
  signal.addEventListener('abort', () => resolve(), { once: true });
  look();
  return promise.finally(() => {
    stop();
    clearTimeout(answerTimer);
    clearTimeout(soundTimer);
  });
}

function awaited({ status, talkers, participants }: RoomSnapshot): 'answer' | 'sound' | 'nothing' {
  if (status.state === 'joining') return 'answer';
  const isUnlinked = participants.some(
    ({ id, media }) => media === 'connecting' && talkers.some((one) => one.id === id),
  );
  return status.state === 'joined' && isUnlinked ? 'sound' : 'nothing';
}
