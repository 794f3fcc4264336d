import { expect, test } from 'vitest';
import { messageOf } from '#test/chat-bench.ts';
import type { MessageRow } from './message-rows.ts';
import { sightOf } from './row-heights.ts';

const message = (number: number): MessageRow => ({
  ...{ kind: 'message', key: `${number}`, message: messageOf(number), isOwn: false, isHead: true },
});
/** Rows of 50 px each. */
const rows: MessageRow[] = [{ kind: 'day', key: 'day', at: 0 }, message(1), { kind: 'new', key: 'new' }, message(2)];
const items = rows.map((_, index) => ({ index, start: index * 50, end: index * 50 + 50 }));
const dayOf = (number: number) => Date.parse(messageOf(number).createdAt);

test.each([
  ['the heading can be seen', 0, 100, { isLineShown: false, day: undefined }],
  ['the heading is above', 60, 30, { isLineShown: false, day: dayOf(1) }],
  ['the line can be seen', 60, 60, { isLineShown: true, day: dayOf(1) }],
  ['both are above', 150, 50, { isLineShown: false, day: dayOf(2) }],
  ['nothing can be seen', 0, 0, { isLineShown: false, day: undefined }],
] as const)('[CHATS13][CHATS50] of the lines between the messages: %s', (_, top, height, sight) => {
  expect(sightOf(rows, items, top, height)).toEqual(sight);
});
