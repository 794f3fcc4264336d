import type { ServerPayload } from '@pressel/contract/realtime';
import type { Realtime } from './realtime.ts';

/**
 * All pages ask a server that comes back for all that they show. A page on the screen does so within the shorter time,
 * a hidden page within the longer one, each at a random moment, ms [LIST12].
 */
export const SHOWN_SPREAD_MS = 2_000;
export const HIDDEN_SPREAD_MS = 15_000;

export interface WhenReadyOptions {
  random?: () => number;
  page?: Document;
}

/**
 * Calls `read` when the server begins to send events, because earlier news were missed. It reads at once when the page
 * opens, later at a random moment. A page that comes to the screen before that reads at once.
 */
export function whenReady(
  realtime: Pick<Realtime, 'on'>,
  read: (news: ServerPayload<'ready'>) => void,
  { random = Math.random, page = document }: WhenReadyOptions = {},
): () => void {
  let isFirst = true;
  let due: { timer: ReturnType<typeof setTimeout>; act: () => void } | undefined;
  const isShown = () => page.visibilityState === 'visible';
  const wait = (act: () => void): void => {
    clearTimeout(due?.timer);
    const ms = random() * (isShown() ? SHOWN_SPREAD_MS : HIDDEN_SPREAD_MS);
    due = {
      act,
      timer: setTimeout(() => {
        due = undefined;
        act();
      }, ms),
    };
  };
  const look = (): void => {
    if (due === undefined || !isShown()) return;
    const { act, timer } = due;
    clearTimeout(timer);
    due = undefined;
    act();
  };
  page.addEventListener('visibilitychange', look);
  const stop = realtime.on('ready', (news) => {
    if (isFirst) read(news);
    else wait(() => read(news));
    isFirst = false;
  });
  return () => {
    stop();
    page.removeEventListener('visibilitychange', look);
    clearTimeout(due?.timer);
  };
}
