import { getChannelMessages, type Message, type MessageId } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { MESSAGES_MAX_LIMIT, UNREAD_MAX } from '@pressel/contract/limits';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { type Backlog, backlog, backlogAfter, beginningOf } from './backlog.ts';
import {
  EMPTY_WINDOW,
  firstNumber,
  lastNumber,
  type MessageWindow,
  windowOf,
  withAgain,
  withLive,
  withNewer,
  withOlder,
  without,
  withRead,
} from './message-window.ts';

/** A message that comes before its predecessor waits this long for it before the server is asked, ms. */
const REORDER_MS = 300;
/** Messages that come faster than this are shown together: a page that draws each by itself has time for nothing else, ms. */
const TELL_MS = 50;
/** Deleted messages that are remembered, so that a page that was on its way doesn't bring them back. */
const DELETED_KEPT = 1_000;

export interface FeedSnapshot {
  /** `failed`: nothing could be read yet. */
  state: 'loading' | 'ready' | 'failed';
  error: unknown;
  window: MessageWindow;
  /**
   * Numbers of messages that stood first, and so under their sender's name, when older ones were read: they keep the name,
   * because a row that loses a line moves what is below.
   */
  heads: ReadonlySet<number>;
  /** Which side could not be read; it is tried again when somebody scrolls there, or by a button. */
  failedSide: 'older' | 'newer' | undefined;
  /** Read up to this number, as the server knows. */
  readUpTo: number;
  /** Messages of others after that. */
  unread: number;
  /** What was new when somebody came here or looked again: the line of new messages stands before it. */
  backlog: Backlog | undefined;
  /** Whether its beginning was not seen yet. */
  isBacklogOpen: boolean;
  /** The message to show, and a counter that says when it is asked for again. */
  target: { number: number; count: number } | undefined;
}

/** What is shown of a channel's messages: a part of them, kept up to date. */
export interface MessageFeed extends SnapshotSource<FeedSnapshot> {
  loadOlder(): void;
  loadNewer(): void;
  /** Reads anew what could not be read. */
  retry(): void;
  /** Shows the end. */
  toNewest(): void;
  /** Shows a message and those around it. */
  toMessage(number: number): void;
  /** Whether the end is on the screen. */
  setAtEnd(isAtEnd: boolean): void;
  /** The beginning of the backlog was on the screen, or nobody wants to go there. */
  endBacklog(): void;
  /** Whether the link carries the room's events. Once it does again, what was missed is read. */
  setLive(isLive: boolean): void;
  /** Somebody looks at the messages again: the line of new messages moves to where they stopped. */
  lookedAt(): void;
  setRead(readUpTo: number, unread: number): void;
  /** A message that the server confirmed, for those who sent it: the event may come later. */
  receive(message: Message): void;
  /** A message that the user deleted. */
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
  /** Has the backlog until its beginning was seen. */
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
  const told = throttle(listeners.tell, TELL_MS);
  const ending = new AbortController();
  const deleted = new Set<MessageId>();
  const refreshed = new Set<MessageId>();
  /** Came live while nothing was read yet, or before their predecessor. */
  const early = new Map<number, Message>();
  let snapshot = START;
  let isAtEnd = true;
  let wasLive: boolean | undefined;
  let reorder: ReturnType<typeof setTimeout> | undefined;
  /** What is to be read: one thing after the other. */
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
      const added = withLive(window, message, isAtEnd);
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
  /** Of more unread messages than are held: when they begin is read for itself. */
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

  /** Reads all that is held anew, and what came after it: messages may have come and gone while the link was down. */
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
    // What is missing is read with the end, when somebody goes there.
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
