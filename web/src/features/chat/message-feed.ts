import { getChannelMessages, type Message, type MessageId } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { MESSAGES_MAX_LIMIT, UNREAD_MAX } from '@pressel/contract/limits';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import {
  type Backlog,
  backlog,
  backlogAfter,
  beginningOf,
  EMPTY_WINDOW,
  firstNumber,
  lastNumber,
  type MessageWindow,
  windowOf,
  withAgain,
  withNewer,
  withNewMessage,
  withOlder,
  without,
  withRead,
} from './message-window.ts';

/** A message that comes before its predecessor waits this long before the feed asks the server, ms. */
const REORDER_MS = 300;
/**
 * Messages that come faster than this are shown together: a page that draws each one separately has no time left, ms.
 */
const TELL_MS = 50;
/** Number of deleted messages to remember, so that a page that was on its way doesn't bring them back. */
const DELETED_KEPT = 1_000;

export interface FeedSnapshot {
  /** `failed`: the feed could not read anything yet. */
  state: 'loading' | 'ready' | 'failed';
  error: unknown;
  window: MessageWindow;
  /**
   * Numbers of messages that stood first, under their sender's name, when older ones were read. They keep the name,
   * because a row that loses a line moves the rows below.
   */
  heads: ReadonlySet<number>;
  /** The side that could not be read; the feed tries again when the user scrolls there or presses a button. */
  failedSide: 'older' | 'newer' | undefined;
  /** The highest number that the user has read, as the server knows it. */
  readUpTo: number;
  /** Number of messages of others after that number. */
  unread: number;
  /** Messages that were new when the user came here or looked again: the line of new messages stands before them. */
  backlog: Backlog | undefined;
  /** Whether the user has not seen the backlog's beginning yet. */
  isBacklogOpen: boolean;
  /** The message to show, and a counter of requests to show it. */
  target: { number: number; count: number } | undefined;
}

/** The shown part of a channel's messages, kept up to date. */
export interface MessageFeed extends SnapshotSource<FeedSnapshot> {
  loadOlder(): void;
  loadNewer(): void;
  /** Reads again the side that could not be read. */
  retry(): void;
  /** Shows the end. */
  toNewest(): void;
  /** Shows a message and its neighbours. */
  toMessage(number: number): void;
  /** Sets whether the end is on the screen. */
  setAtEnd(isAtEnd: boolean): void;
  /** Call when the backlog's beginning was on the screen, or the user doesn't want to go there. */
  endBacklog(): void;
  /**
   * Sets whether the link carries the room's events. When it does again, the feed reads the messages that it missed.
   */
  setLive(isLive: boolean): void;
  /** Call when the user looks at the messages again: the line of new messages moves to where they stopped. */
  lookedAt(): void;
  setRead(readUpTo: number, unread: number): void;
  /** Adds a message of the user's that the server confirmed: the event may come later. */
  receive(message: Message): void;
  /** Removes a message that the user deleted. */
  forget(id: MessageId): void;
  /** Reads one message again, once: the signatures of its image's addresses expire. */
  refresh(message: Message): void;
  close(): void;
}

export interface MessageFeedDeps {
  api: Pick<Api, 'call'>;
  realtime: Pick<Realtime, 'on'>;
  channelId: ChannelId;
  userId: string;
  /** Keeps the backlog until the user has seen its beginning. */
  storage: Pick<AppStorage, 'keepBacklog' | 'readBacklog'>;
}

const START: FeedSnapshot = {
  state: 'loading',
  error: undefined,
  window: EMPTY_WINDOW,
  heads: new Set(),
  failedSide: undefined,
  readUpTo: 0,
  unread: 0,
  backlog: undefined,
  isBacklogOpen: false,
  target: undefined,
};

/** Opens the feed and reads the newest page. Rules: CHATS1 to CHATS9. */
export function createMessageFeed({ api, realtime, channelId, userId, storage }: MessageFeedDeps): MessageFeed {
  const listeners = createListeners();
  const told = throttle(listeners.notify, TELL_MS);
  const ending = new AbortController();
  const deleted = new Set<MessageId>();
  const refreshed = new Set<MessageId>();
  /** Messages that came live before the first page was read, or before their predecessor. */
  const early = new Map<number, Message>();
  let snapshot = START;
  let isAtEnd = true;
  let wasLive: boolean | undefined;
  let reorder: ReturnType<typeof setTimeout> | undefined;
  /** Pending reads, which run one after the other. */
  const waiting: (() => Promise<void>)[] = [];
  let isReading = false;

  const set = (change: Partial<FeedSnapshot>): void => {
    snapshot = { ...snapshot, ...change };
    told.call();
  };
  const setWindow = (read: MessageWindow, change: Partial<FeedSnapshot> = {}): void =>
    set({ ...change, window: without(read, deleted) });
  const read = (where: { before?: number; after?: number; around?: number; limit?: number }) =>
    api.call(getChannelMessages, { channelId, ...where }, { signal: ending.signal });

  const run = (act: () => Promise<void>, onFailure: (error: unknown) => void): void => {
    waiting.push(async () => {
      try {
        await act();
      } catch (error) {
        if (!ending.signal.aborted) onFailure(error);
      }
    });
    if (!isReading) void readAll();
  };
  const readAll = async (): Promise<void> => {
    isReading = true;
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await one();
    isReading = false;
  };

  const addEarly = (): void => {
    let { window } = snapshot;
    for (const message of [...early.values()].sort((one, other) => one.number - other.number)) {
      const added = withNewMessage(window, message, isAtEnd);
      if (added.isGap) break;
      early.delete(message.number);
      window = added.window;
    }
    if (window !== snapshot.window) setWindow(window);
    clearTimeout(reorder);
    reorder = early.size === 0 ? undefined : setTimeout(catchUp, REORDER_MS);
  };

  const leftBacklog = (): Backlog | undefined => backlog.safeParse(storage.readBacklog(channelId)).data;
  const setBacklog = (next: Backlog | undefined): void => {
    storage.keepBacklog(channelId, next);
    set({ backlog: next, isBacklogOpen: next !== undefined });
    if (next === undefined || next.since !== undefined) return;
    const since = beginningOf(snapshot.window, next, userId);
    if (since === undefined) readBeginning(next);
    else setBacklog({ ...next, since });
  };
  /** For more unread messages than the window holds: reads separately when they begin. */
  const readBeginning = (open: Backlog): void => {
    const { after } = open;
    run(
      async () => {
        const since = beginningOf(windowOf({ ...(await read({ after })), hasOlder: false }), open, userId);
        const isWanted = snapshot.backlog === open && snapshot.isBacklogOpen;
        if (isWanted && since !== undefined) setBacklog({ ...open, since });
      },
      // The bar says how many there are.
      () => undefined,
    );
  };
  const open = (where: { around?: number }): void => {
    run(
      async () => {
        const isFirst = snapshot.state !== 'ready';
        const page = await read(where);
        const { readUpTo, unread } = page;
        setWindow(windowOf(page), {
          state: 'ready',
          heads: new Set(),
          error: undefined,
          failedSide: undefined,
          readUpTo,
          unread,
          target: where.around === undefined ? endTarget(page.discussion, isFirst) : targetOf(where.around),
        });
        if (isFirst) setBacklog(backlogAfter(leftBacklog(), readUpTo, unread));
        addEarly();
      },
      (error) => set(snapshot.state === 'ready' ? { failedSide: 'newer' } : { state: 'failed', error }),
    );
  };
  const targetOf = (number: number) => ({ number, count: (snapshot.target?.count ?? 0) + 1 });
  const endTarget = (messages: readonly Message[], isFirst: boolean) => {
    const last = messages.at(-1);
    return isFirst || last === undefined ? snapshot.target : targetOf(last.number);
  };

  /** Reads again all held messages, and those after them: messages may have come and gone while the link was down. */
  const readAgain = (from: number): void => {
    run(
      async () => {
        let after = from;
        for (;;) {
          const page = await read({ after, limit: MESSAGES_MAX_LIMIT });
          const end = lastNumber(snapshot.window);
          setWindow(withRead(snapshot.window, page, after), {
            readUpTo: Math.max(snapshot.readUpTo, page.readUpTo),
            unread: page.unread,
            failedSide: undefined,
          });
          after = page.discussion.at(-1)?.number ?? after;
          if (!page.hasNewer || after >= end) break;
        }
        addEarly();
      },
      () => set({ failedSide: 'newer' }),
    );
  };
  const catchUp = (): void => {
    const { state, window } = snapshot;
    if (state === 'ready' && !window.hasNewer) readAgain(lastNumber(window));
    if (state !== 'ready' || !window.hasNewer) return;
    // The missing messages are read with the end, when the user goes there.
    const newest = Math.max(window.newest, ...early.keys());
    early.clear();
    setWindow({ ...window, newest });
  };

  const receive = (message: Message): void => {
    if (message.channelId !== channelId || deleted.has(message.id)) return;
    const { state, window } = snapshot;
    const isKnown = message.number <= window.newest || early.has(message.number);
    early.set(message.number, message);
    if (state !== 'ready') return;
    addEarly();
    if (message.userId !== userId && !isKnown) {
      set({ unread: Math.min(UNREAD_MAX, snapshot.unread + 1) });
    }
  };
  const stops = [
    realtime.on('messageResponse', receive),
    realtime.on('room message changed', (change) => {
      if (change.channelId === channelId) forget(change.id, change.number);
    }),
    realtime.on('messages_read', (mark) => {
      if (mark.channelId === channelId) setRead(mark.readUpTo, mark.unread);
    }),
  ];
  const forget = (id: MessageId, number?: number): void => {
    const held = [...snapshot.window.messages, ...early.values()].find((message) => message.id === id);
    const wasUnread = held !== undefined && held.userId !== userId && held.number > snapshot.readUpTo;
    if (wasUnread && snapshot.unread > 0) set({ unread: snapshot.unread - 1 });
    deleted.add(id);
    const [oldest] = deleted;
    if (deleted.size > DELETED_KEPT && oldest !== undefined) deleted.delete(oldest);
    if (number !== undefined) early.delete(number);
    const window = without(snapshot.window, deleted);
    // A deleted message that never came leaves no gap to wait for.
    const newest = number === window.newest + 1 ? number : window.newest;
    if (window !== snapshot.window || newest !== window.newest) set({ window: { ...window, newest } });
    if (early.size > 0 && snapshot.state === 'ready') addEarly();
  };
  const setRead = (readUpTo: number, unread: number): void => {
    if (readUpTo >= snapshot.readUpTo) set({ readUpTo, unread });
  };

  const loadOlder = (): void => {
    if (snapshot.state !== 'ready' || isReading || !snapshot.window.hasOlder) return;
    const before = firstNumber(snapshot.window);
    run(
      async () => {
        const page = await read({ before });
        const window = withOlder(snapshot.window, page);
        const heads = [...snapshot.heads, firstNumber(snapshot.window)].filter((one) => one <= lastNumber(window));
        setWindow(window, { heads: new Set(heads), failedSide: undefined });
      },
      () => set({ failedSide: 'older' }),
    );
  };
  const loadNewer = (): void => {
    if (snapshot.state !== 'ready' || isReading || !snapshot.window.hasNewer) return;
    const after = lastNumber(snapshot.window);
    run(
      async () => {
        const page = await read({ after });
        setWindow(withNewer(snapshot.window, page), { failedSide: undefined });
      },
      () => set({ failedSide: 'newer' }),
    );
  };
  const retry = (): void => {
    if (snapshot.state === 'failed') {
      set({ state: 'loading' });
      open({});
    } else if (snapshot.failedSide === 'older') loadOlder();
    else if (snapshot.window.hasNewer) loadNewer();
    else catchUp();
  };

  open({});
  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    loadOlder,
    loadNewer,
    retry,
    toNewest() {
      const { window } = snapshot;
      const last = window.messages.at(-1);
      if (window.hasNewer) open({});
      else if (last !== undefined) set({ target: targetOf(last.number) });
    },
    toMessage(number) {
      const { messages } = snapshot.window;
      if (messages.some((one) => one.number === number)) set({ target: targetOf(number) });
      else open({ around: number });
    },
    setAtEnd(next) {
      isAtEnd = next;
    },
    endBacklog() {
      if (!snapshot.isBacklogOpen) return;
      storage.keepBacklog(channelId, undefined);
      set({ isBacklogOpen: false });
    },
    setLive(isLive) {
      const isBack = isLive && wasLive === false;
      wasLive = isLive;
      if (!isBack) return;
      if (snapshot.state === 'failed') retry();
      else if (snapshot.state === 'ready') readAgain(Math.max(0, firstNumber(snapshot.window) - 1));
    },
    lookedAt() {
      const { state, readUpTo, unread } = snapshot;
      if (state === 'ready') setBacklog(backlogAfter(leftBacklog(), readUpTo, unread));
    },
    setRead,
    receive,
    forget: (id) => forget(id),
    refresh(message) {
      if (refreshed.has(message.id)) return;
      refreshed.add(message.id);
      void read({ around: message.number, limit: 1 }).then(
        ({ discussion }) => {
          const again = discussion.find(({ id }) => id === message.id);
          if (again !== undefined) setWindow(withAgain(snapshot.window, again));
        },
        // The image stays as it is: its row says that it can’t be shown.
        () => undefined,
      );
    },
    close() {
      ending.abort();
      told.close();
      clearTimeout(reorder);
      for (const stop of stops) stop();
    },
  };
}
