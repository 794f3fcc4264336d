import { expect, test, vi } from 'vitest';
import { unreachable } from '#test/api-double.ts';
import { listMembers, member } from '#test/members-list.ts';
import { PART_SIZE } from './members.queries.ts';
import { RETRY_MS } from './members.realtime.ts';

/** Stands for a screen that has a row in view, and so requests it at each render. */
async function watchRow(list: Awaited<ReturnType<typeof listMembers>>, row: number, ms: number) {
  for (let passed = 0; passed < ms; passed += 50) {
    void list.more(row);
    await vi.advanceTimersByTimeAsync(50);
  }
}

test('[MEM3] a row that is lacking is asked for once a second at most, and shown when it comes', async () => {
  const list = await listMembers(PART_SIZE + 1);
  list.lack(member(50));
  await list.queries.invalidateQueries();
  await list.settled();
  const before = list.inputs().length;
  await watchRow(list, PART_SIZE, 10_000);
  // One call beyond the end, which brings nothing, and one for the whole list.
  expect(list.inputs().length - before).toBeLessThanOrEqual(2 * 11);
  list.lack(undefined);
  await watchRow(list, PART_SIZE, 2_000);
  expect(list.part().rows).toHaveLength(PART_SIZE + 1);
  list.expectRight();
  const complete = list.inputs().length;
  await watchRow(list, PART_SIZE, 5_000);
  expect(list.inputs()).toHaveLength(complete);
});

test('[MEM3] what is wanted while the list is read again is read after it', async () => {
  const list = await listMembers(500);
  const { promise, resolve } = Promise.withResolvers<void>();
  list.holdAnswers(() => promise);
  void list.queries.invalidateQueries();
  await list.more(150);
  expect(list.inputs()).toHaveLength(2);
  resolve();
  await list.settled();
  expect(list.part().rows.length).toBeGreaterThan(150);
  list.expectRight();
});

test('[MEM3] what is wanted and can’t be read is read when the list can', async () => {
  const list = await listMembers(500);
  list.fail(unreachable());
  await list.more(150);
  list.fail(undefined);
  await list.settled();
  expect(list.part().rows.length).toBeGreaterThan(150);
  list.expectRight();
});

test('[MEM4] members whom news named and who could not be read are made up for by the whole part', async () => {
  const list = await listMembers(500);
  list.fail(unreachable());
  const renamed = member(7, 'M0007 renamed');
  list.put(renamed);
  list.realtime.tell('changed', { what: 'users', userIds: [renamed.id] });
  await vi.advanceTimersByTimeAsync(0);
  list.fail(undefined);
  await list.settled();
  list.expectRight();
  expect(list.names()).toContain('M0007 renamed');
  expect(list.inputs().slice(1)).toMatchObject([{ userIds: [renamed.id] }, { start: 0 }, { start: 0 }]);
});

test('[MEM4] a list that can’t be read is asked for a few times a minute, and is right when it can', async () => {
  const list = await listMembers(500);
  list.fail(unreachable());
  list.put(member(7, 'M0007 renamed'));
  list.realtime.tell('changed', { what: 'users', userIds: [member(7).id] });
  const before = list.inputs().length;
  await watchRow(list, 120, 4 * RETRY_MS);
  // Each read is tried three times.
  expect(list.inputs().length - before).toBeLessThan(1 + 3 * 5);
  // The link was never down, so nothing says that everything is to be read again.
  list.fail(undefined);
  await watchRow(list, 120, RETRY_MS);
  list.expectRight();
  expect(list.names()).toContain('M0007 renamed');
  expect(list.part().rows.length).toBeGreaterThan(120);
});

test('[MEM3] beyond a thousand rows they are read by a thousand, and after a reconnect the first of them', async () => {
  const list = await listMembers(2_500);
  const upTo = async (row: number) => {
    const before = list.inputs().length;
    for (let calls = 0; calls < 10 && list.part().rows.length <= row; calls += 1) await list.more(row);
    list.expectRight();
    return list.inputs().slice(before);
  };
  expect(await upTo(1_500)).toMatchObject([
    { start: 90, limit: 1_000 },
    { start: 1_080, limit: 520 },
  ]);
  const { rows, parts } = list.part();
  expect(rows).toHaveLength(1_600);
  const before = list.inputs().length;
  await list.queries.invalidateQueries();
  await list.settled();
  expect(list.inputs().slice(before)).toMatchObject([{ start: 0, limit: 1_000 }]);
  expect(list.part().rows).toHaveLength(1_000);
  // Rows that are held under the pointer give way when no news of them come any more.
  expect(list.part().parts).not.toBe(parts);
  expect(await upTo(1_500)).toMatchObject([{ start: 990, limit: 610 }]);
  expect(list.part().rows).toHaveLength(1_600);
});
