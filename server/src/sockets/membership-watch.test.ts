import { channelId, userId } from '@pressel/contract/ids';
import { expect, test, vi } from 'vitest';
import { createMembershipWatch } from './membership-watch.ts';

const idOf = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;
const [ana, bo] = [userId.parse(idOf(1)), userId.parse(idOf(2))];
const [nord, sud, est] = [channelId.parse(idOf(3)), channelId.parse(idOf(4)), channelId.parse(idOf(5))];

const nothingLate = async () => undefined;

/** A watch whose read is answered when a test says so. */
function open() {
  const { promise, resolve, reject } = Promise.withResolvers<(typeof nord)[]>();
  const watch = createMembershipWatch(() => promise, nothingLate);
  return { watch, answer: resolve, fail: reject };
}

test('what changes while the memberships are read is not lost, whatever the read says', async () => {
  const { watch, answer } = open();
  const seen = watch.during(ana, async (channelIds) => channelIds());
  watch.changed([{ userId: ana, channelId: nord, isMember: false }]);
  watch.changed([{ userId: ana, channelId: est, isMember: true }]);
  // The read may come before both changes or between them: the answer may include either.
  answer([nord, sud]);
  expect(await seen).toEqual([sud, est]);
});

test('it is up to date at each moment of the work, and of one person only', async () => {
  const { watch, answer } = open();
  answer([nord]);
  await watch.during(ana, async (channelIds) => {
    expect(channelIds()).toEqual([nord]);
    watch.changed([
      { userId: bo, channelId: nord, isMember: false },
      { userId: ana, channelId: sud, isMember: true },
    ]);
    expect(channelIds()).toEqual([nord, sud]);
    watch.changed([{ userId: ana, channelId: sud, isMember: false }]);
    watch.changed([{ userId: ana, channelId: sud, isMember: true }]);
    watch.changed([{ userId: ana, channelId: nord, isMember: false }]);
    expect(channelIds()).toEqual([sud]);
  });
});

test('two at a time for one person each have their own read', async () => {
  const reads = [Promise.withResolvers<(typeof nord)[]>(), Promise.withResolvers<(typeof nord)[]>()];
  const waiting = reads.map(({ promise }) => promise);
  const watch = createMembershipWatch(async () => (await waiting.shift()) ?? [], nothingLate);
  const first = watch.during(ana, async (channelIds) => channelIds());
  watch.changed([{ userId: ana, channelId: est, isMember: true }]);
  const second = watch.during(ana, async (channelIds) => channelIds());
  reads[0]?.resolve([nord]);
  reads[1]?.resolve([nord, est]);
  expect([await first, await second]).toEqual([
    [nord, est],
    [nord, est],
  ]);
});

test.each(['read', 'work'])('a %s that fails is told to whoever began it', async (what) => {
  const { watch, answer, fail } = open();
  const work = vi.fn(async () => {
    throw new Error('work failed');
  });
  const outcome = expect(watch.during(ana, work)).rejects.toThrow(`${what} failed`);
  if (what === 'read') fail(new Error('read failed'));
  else answer([nord]);
  await outcome;
  expect(work).toHaveBeenCalledTimes(what === 'read' ? 0 : 1);
});

test('[PROC96] a change of another process that is on its way is heard before the work, in its order with the others', async () => {
  const late = Promise.withResolvers<void>();
  const watch = createMembershipWatch(
    async () => [nord],
    () => late.promise,
  );
  const work = vi.fn(async (channelIds: () => readonly (typeof nord)[]) => channelIds());
  const seen = watch.during(ana, work);
  await new Promise(setImmediate);
  expect(work).not.toHaveBeenCalled();
  // Somebody removed ana and added her again, before the read.
  watch.changed([{ userId: ana, channelId: nord, isMember: false }]);
  watch.changed([{ userId: ana, channelId: nord, isMember: true }]);
  watch.changed([{ userId: ana, channelId: sud, isMember: true }]);
  late.resolve();
  expect(await seen).toEqual([nord, sud]);
});
