import type { RoomSession, RoomSnapshot } from './engine/types.ts';

/** A page waits so long for the answer to the join. A server that is farther away answers when the page is drawn. */
export const ANSWER_FIRST_MS = 60;
/** And so long, all in all, for the link to whoever talks. */
export const SOUND_FIRST_MS = 150;

/**
 * Resolves when the page of a room that is entered may be drawn. To draw it takes the browser longer than to link two people, and both want
 * the same processor: whoever talks is linked first [TALK164]. It never waits longer than SOUND_FIRST_MS.
 */
export function soundFirst(room: Pick<RoomSession, 'getSnapshot' | 'subscribe'>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // A microtask later: a room that tells of a change may be in the middle of it.
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
