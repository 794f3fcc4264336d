import type { Message } from '@pressel/contract/chat';
import { isAbove, type MessageWindow } from './message-window.ts';
import type { OutboxEntry } from './outbox.ts';

/** Messages of one person within this time stand under one name and one time, ms. */
const GROUP_MS = 60_000;

export type MessageRow =
  | { kind: 'day'; key: string; at: number }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; isOwn: boolean; isHead: boolean }
  | { kind: 'pending'; key: string; entry: OutboxEntry; isHead: boolean };

export interface RowsInput {
  window: MessageWindow;
  /** Of this channel. */
  entries: readonly OutboxEntry[];
  userId: string;
  newAfter: number | undefined;
  /** Numbers of messages that stand under their name whoever wrote the one before. */
  heads: ReadonlySet<number>;
}

/** One key for a message before and after it is stored, so that its row stays where it is. */
const keyOf = (userId: string, clientId: string): string => `${userId}.${clientId}`;
const dayOf = (at: number): string => new Date(at).toDateString();

/** The lines of the list, oldest first: messages with days and the line of new ones between, then what isn't sent yet. */
export function messageRows({ window, entries, userId, newAfter, heads }: RowsInput): MessageRow[] {
  const rows: MessageRow[] = [];
  const stored = new Set(window.messages.filter((one) => one.userId === userId).map(({ clientId }) => clientId));
  /** `since`: the time that stands over the group. */
  let before: { userId: string; at: number; since: number } | undefined;
  // Above a part that begins later it would be no beginning of the new ones, and hold the place of who reads there.
  let isLineDue = newAfter !== undefined && !isAbove(window, newAfter);

  const startDay = (at: number): void => {
    // Above the first message of a part there may be more of the same day: the day shows when they are there.
    if (before === undefined ? window.hasOlder : dayOf(before.at) === dayOf(at)) return;
    rows.push({ kind: 'day', key: `day ${dayOf(at)}`, at });
    before = undefined;
  };
  /** Whether a message stands under a name of its own; the next one is compared with it. */
  const startRow = (sender: string, at: number, isForced = false): boolean => {
    const isHead = isForced || before?.userId !== sender || at - before.since >= GROUP_MS;
    before = { userId: sender, at, since: isHead ? at : (before?.since ?? at) };
    return isHead;
  };

  for (const message of window.messages) {
    const at = Date.parse(message.createdAt);
    const isOwn = message.userId === userId;
    startDay(at);
    if (isLineDue && !isOwn && message.number > (newAfter ?? 0)) {
      isLineDue = false;
      rows.push({ kind: 'new', key: `new ${newAfter}` });
      before = undefined;
    }
    const isHead = startRow(message.userId, at, heads.has(message.number));
    rows.push({ kind: 'message', key: keyOf(message.userId, message.clientId), message, isOwn, isHead });
  }
  for (const entry of entries) {
    if (stored.has(entry.clientId)) continue;
    startDay(entry.createdAt);
    rows.push({
      kind: 'pending',
      key: keyOf(userId, entry.clientId),
      entry,
      isHead: startRow(userId, entry.createdAt),
    });
  }
  return rows;
}
