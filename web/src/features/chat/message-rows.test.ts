import { expect, test } from 'vitest';
import { CHANNEL, ME, messageOf } from '#test/chat-bench.ts';
import { type MessageRow, messageRows } from './message-rows.ts';
import { EMPTY_WINDOW, type MessageWindow } from './message-window.ts';
import type { OutboxEntry } from './outbox.ts';
import { rangeOnScreen } from './row-heights.ts';

const at = (time: string) => ({ createdAt: `2026-11-20T${time}Z` });
const windowWith = (messages: MessageWindow['messages'], part: Partial<MessageWindow> = {}): MessageWindow => ({
  ...EMPTY_WINDOW,
  messages,
  ...part,
});
const rowsOf = (window: MessageWindow, part: Partial<Parameters<typeof messageRows>[0]> = {}) =>
  messageRows({ window, entries: [], userId: ME, newAfter: undefined, heads: new Set(), ...part });
const words = (rows: readonly MessageRow[]) =>
  rows.map((row) => {
    if (row.kind === 'message') return `${row.isHead ? 'head ' : ''}${row.message.number}`;
    return row.kind === 'pending' ? `${row.isHead ? 'head ' : ''}pending ${row.entry.text}` : row.kind;
  });
const entryOf = (text: string, clientId: OutboxEntry['clientId']): OutboxEntry => ({
  clientId,
  userId: ME,
  channelId: CHANNEL,
  channelName: 'Nord',
  order: 1,
  text,
  image: null,
  createdAt: Date.parse('2026-11-20T10:00:30Z'),
  failure: null,
  state: 'waiting',
  progress: undefined,
  lack: undefined,
  isAside: false,
});

test('[CHATS13] messages of one person within a minute stand under one name', () => {
  const window = windowWith([
    messageOf(1, at('10:00:00')),
    messageOf(2, at('10:00:59')),
    messageOf(3, at('10:02:00')),
    messageOf(4, { ...at('10:02:01'), userId: ME }),
  ]);
  expect(words(rowsOf(window))).toEqual(['day', 'head 1', '2', 'head 3', 'head 4']);
});

test('[CHATS13] each day begins with its date; above the first held message only where the channel begins', () => {
  const messages = [
    messageOf(1, { createdAt: '2026-11-19T12:00:00Z' }),
    messageOf(2, { createdAt: '2026-11-20T12:00:00Z' }),
  ];
  expect(words(rowsOf(windowWith(messages)))).toEqual(['day', 'head 1', 'day', 'head 2']);
  expect(words(rowsOf(windowWith(messages, { hasOlder: true })))).toEqual(['head 1', 'day', 'head 2']);
});

test('[CHATS1] a row that was at the top keeps its name, so that it keeps its height', () => {
  const window = windowWith([messageOf(1, at('10:00:00')), messageOf(2, at('10:00:01'))]);
  expect(words(rowsOf(window, { heads: new Set([2]) }))).toEqual(['day', 'head 1', 'head 2']);
});

test('[CHATS6] the line of new messages stands before the first one of another person', () => {
  const window = windowWith([
    messageOf(1, at('10:00:00')),
    messageOf(2, { ...at('10:00:01'), userId: ME }),
    messageOf(3, at('10:00:02')),
    messageOf(4, at('10:00:03')),
  ]);
  expect(words(rowsOf(window, { newAfter: 1 }))).toEqual(['day', 'head 1', 'head 2', 'new', 'head 3', '4']);
  expect(words(rowsOf(window, { newAfter: 4 }))).not.toContain('new');
});

test('[CHATS6] the line is left out while it is not known where the new messages begin', () => {
  const window = windowWith([messageOf(5, at('10:00:00')), messageOf(6, at('10:00:01'))], { hasOlder: true });
  expect(words(rowsOf(window, { newAfter: 3 }))).toEqual(['head 5', '6']);
  expect(words(rowsOf(window, { newAfter: 4 }))).toEqual(['new', 'head 5', '6']);
});

test('[CHATS20] what waits stands at the end, under the same key as afterwards, and never twice', () => {
  const stored = messageOf(1, { ...at('10:00:00'), userId: ME });
  const waiting = messageOf(2, { userId: ME }).clientId;
  const before = rowsOf(windowWith([stored]), { entries: [entryOf('x', stored.clientId), entryOf('y', waiting)] });
  expect(words(before)).toEqual(['day', 'head 1', 'pending y']);
  const after = rowsOf(windowWith([stored, messageOf(2, { ...at('10:00:31'), userId: ME })]));
  expect(after.at(-1)?.key).toBe(before.at(-1)?.key);
});

test('[CHATS10] half of a message must be seen, or half of the screen be filled by it', () => {
  const rows = rowsOf(windowWith([1, 2, 3].map((number) => messageOf(number))));
  const items = [
    { index: 1, start: 0, end: 40 },
    { index: 2, start: 40, end: 80 },
    { index: 3, start: 80, end: 1_000 },
  ];
  expect(rangeOnScreen(rows, items, 0, 100)).toEqual({ from: 1, to: 2 });
  expect(rangeOnScreen(rows, items, 21, 100)).toEqual({ from: 2, to: 2 });
  expect(rangeOnScreen(rows, items, 100, 100)).toEqual({ from: 3, to: 3 });
  expect(rangeOnScreen([], [], 0, 100)).toBeUndefined();
});
