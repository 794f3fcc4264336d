import { getAllChannels } from '@pressel/contract/channels';
import { createMultipleUsers, getImport } from '@pressel/contract/transfer';
import { getAllUsers } from '@pressel/contract/users';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { uuidV7 } from './ids.ts';
import { mapInPieces, parseInPieces, stringifyInPieces } from './in-pieces.ts';

/** Counts how often long work gave way, whatever the machine's speed. */
function counting() {
  let count = 0;
  return {
    async pause() {
      count += 1;
    },
    count: () => count,
  };
}

const ids = (count: number) => Array.from({ length: count }, () => ({ id: uuidV7() }));
const channel = (members: number) => ({
  id: uuidV7(),
  name: 'Nord',
  rtcSession: 'Nord',
  talkMode: 'single',
  createdAt: '2026-01-01T00:00:00.000Z',
  version: 1,
  users: ids(members),
  userCount: members,
  connected: 0,
  talkers: [],
  lastTalk: null,
  lastActivityAt: null,
  passwordHash: 'not of the contract',
});
const answerOf = (channels: unknown[]) => ({ success: true, res: channels, totalRecords: channels.length });
const LISTS = {
  'many channels': answerOf(Array.from({ length: 150 }, () => channel(2))),
  'few channels of many members': answerOf([channel(3), channel(500)]),
  'few of everything': answerOf([channel(3)]),
  'nothing at all': answerOf([]),
};

describe('parsing in pieces', () => {
  test.each(Object.entries(LISTS))('%s: is the same as parsing at once', async (_name, answer) => {
    const parsed = await parseInPieces(getAllChannels.reply, answer, counting().pause);
    expect(parsed).toEqual(getAllChannels.reply.parse(answer));
    expect(JSON.stringify(parsed)).not.toContain('passwordHash');
  });

  test('[BUDGET8] pauses after each entry of a long list, also where that is within a row', async () => {
    for (const [name, expected] of [
      ['many channels', 150],
      ['few channels of many members', 502],
      ['few of everything', 0],
    ] as const) {
      const { pause, count } = counting();
      await parseInPieces(getAllChannels.reply, LISTS[name], pause);
      expect([name, count()]).toEqual([name, expected]);
    }
  });

  test('[BUDGET8] so it does in an alternative, and behind what may be left out', async () => {
    const outcome = { created: ids(200).map(({ id }, row) => ({ row, id, identifier: 'a@b.fr' })), ...EMPTY_OUTCOME };
    const { pause, count } = counting();
    const answer = { success: true, res: { state: 'users', outcome } };
    expect(await parseInPieces(getImport.reply, answer, pause)).toEqual(answer);
    expect(count()).toBe(200);
  });

  test('what has rules of its own is parsed as a whole', async () => {
    const ordered = z.object({ list: z.array(z.int()) }).refine(({ list }) => list[0] === 0, { message: 'order' });
    const strict = z.strictObject({ list: z.array(z.int()) });
    const list = Array.from({ length: 200 }, (_, index) => index + 1);
    const codesOf = (parsing: Promise<unknown>) =>
      parsing.then(
        () => [],
        (error: z.ZodError) => error.issues.map(({ message, code }) => (code === 'custom' ? message : code)),
      );
    expect(await codesOf(parseInPieces(ordered, { list }, counting().pause))).toEqual(['order']);
    expect(await codesOf(parseInPieces(strict, { list, more: 1 }, counting().pause))).toEqual(['unrecognized_keys']);
  });

  test('faults have their places, and there are not many more than a client is told of', async () => {
    const faulty = { userData: Array.from({ length: 9_000 }, (_, index) => ({ row: index, firstName: {} })) };
    const error: z.ZodError = await parseInPieces(createMultipleUsers.body, faulty, counting().pause).then(
      () => expect.unreachable(),
      (cause) => cause,
    );
    // The first one also has an invalid row.
    expect(error.issues.slice(0, 3).map(({ path }) => path.join('.'))).toEqual([
      'userData.0.row',
      'userData.0.firstName',
      'userData.1.firstName',
    ]);
    expect(error.issues.length).toBeLessThan(30);
  });

  test('a list that is longer than it may be is refused', async () => {
    const tooMany = { userData: Array.from({ length: 10_001 }, () => ({})) };
    await expect(parseInPieces(createMultipleUsers.body, tooMany, counting().pause)).rejects.toMatchObject({
      issues: [expect.objectContaining({ code: 'too_big', path: ['userData'] })],
    });
  });

  test.each([null, 5, 'text', [], { res: 5 }, { success: true, res: null }])(
    '%j is refused as at once',
    async (value) => {
      const atOnce = getAllUsers.reply.safeParse(value);
      await expect(parseInPieces(getAllUsers.reply, value, counting().pause)).rejects.toMatchObject({
        issues: atOnce.error?.issues.map(({ path, code }) => expect.objectContaining({ path, code })),
      });
    },
  );

  test('how deep a value is nested makes no difference', async () => {
    let nested: unknown = [];
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    await expect(parseInPieces(getAllUsers.reply, nested, counting().pause)).rejects.toThrow(z.ZodError);
  });
});

const EMPTY_OUTCOME = { existing: [], rejected: [], repeated: [] };

describe('writing JSON in pieces', () => {
  test.each([
    ...Object.entries(LISTS),
    ['left out and empty', { a: undefined, b: null, c: Array.from({ length: 101 }, () => null), d: { e: {} } }],
    ['text', { list: Array.from({ length: 300 }, (_, index) => `"é\u2028${index}\\`) }],
    ['a number', 5],
  ])('%s: is the same as writing at once', async (_name, value) => {
    expect((await stringifyInPieces(value, counting().pause)).join('')).toBe(JSON.stringify(value));
  });

  test('[BUDGET8] pauses after each entry of a long list, and parts the text', async () => {
    const { pause, count } = counting();
    const pieces = await stringifyInPieces(answerOf([channel(5_000)]), pause);
    expect(count()).toBeGreaterThan(5_000);
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(40_000);
  });
});

test('[BUDGET8] a list is mapped entry by entry', async () => {
  const { pause, count } = counting();
  expect(await mapInPieces([1, 2, 3], pause, (number) => number * 2)).toEqual([2, 4, 6]);
  expect(count()).toBe(3);
});
