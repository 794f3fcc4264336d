import type { Message } from '@pressel/contract/chat';
import { isAbove, type MessageWindow } from './message-window.ts';
import type { OutboxEntry } from './outbox.ts';

/** Messages of one person within this time share one name and one time, ms. */
const GROUP_MS = 60_000;

export type MessageRow =
  | { kind: 'day'; key: string; at: number }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; isOwn: boolean; isHead: boolean }
  | { kind: 'pending'; key: string; entry: OutboxEntry; isHead: boolean };

export interface RowsInput {
  window: MessageWindow;
  /** The channel's outbox entries. */
  entries: readonly OutboxEntry[];
  userId: string;
  newAfter: number | undefined;
  /** Numbers of messages that show their sender's name, whoever wrote the message before. */
  heads: ReadonlySet<number>;
}

/** A message keeps its key when it is stored, so that its row stays where it is. */
const keyOf = (userId: string, clientId: string): string => `${userId}.${clientId}`;
const dayOf = (at: number): string => new Date(at).toDateString();

/**
 * The rows of the list, oldest first: messages with days and the line of new ones between them, then unsent messages.
 */
export function messageRows({ window, entries, userId, newAfter, heads }: RowsInput): MessageRow[] {
  const rows: MessageRow[] = [];
  const stored = new Set(window.messages.filter((one) => one.userId === userId).map(({ clientId }) => clientId));
  /** `since`: the time above the group. */
  let before: { userId: string; at: number; since: number } | undefined;
  // If the window begins later, the line would not be the beginning of the new messages, and would hold the reader's
  // position.
  let isLineDue = newAfter !== undefined && !isAbove(window, newAfter);

  const startDay = (at: number): void => {
    // The day's heading waits until older messages are there, because more messages of the same day may come above.
    if (before === undefined ? window.hasOlder : dayOf(before.at) === dayOf(at)) return;
    rows.push({ kind: 'day', key: `day ${dayOf(at)}`, at });
    before = undefined;
  };
  /** Returns whether a message shows its sender's name; the next message is compared with it. */
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
