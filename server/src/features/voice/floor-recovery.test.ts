import { channelId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_RETURN_MS, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorNews } from '@pressel/contract/voice';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHANNEL } from '#test/floor-harness.ts';
import { askerOf, createFloorProcesses, type FloorProcess } from '#test/floor-processes.ts';

let server: ReturnType<typeof createFloorProcesses>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] });
  server = createFloorProcesses();
});
afterEach(() => {
  server.close();
  vi.useRealTimers();
});

const ANA = askerOf('ana');
const BO = askerOf('bo');
const newest = ({ news }: FloorProcess): FloorNews => {
  const last = news.findLast(({ channelId: of }) => of === CHANNEL);
  if (last === undefined) throw new Error('The room was told nothing');
  return last;
};
const talkersOf = ({ talkers }: Pick<FloorNews, 'talkers'>) => talkers.map(({ id }) => id);

/** A process in which all three are, long after it began. */
async function begin(): Promise<FloorProcess> {
  const first = server.start();
  for (const name of ['ana', 'bo', 'carl']) await server.enter(first, name);
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  return first;
}

/** Lets somebody talk. @returns the signed floor that names them */
async function talk(process: FloorProcess, asker = ANA, seq = 1): Promise<FloorNews> {
  expect(await process.floor.request(CHANNEL, asker, seq, true)).toMatchObject({ type: 'granted' });
  return newest(process);
}

test('[TALK150] [TALK151] a talk goes on in the next process, with the time it has left, by its talker’s claim', async () => {
  const evidence = await talk(await begin());
  await server.advance(1_000);
  const next = server.start();
  const floor = await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  expect(floor.talkers).toEqual([{ ...evidence.talkers[0], talkingMs: 1_100, remainingMs: TALK_MAX_MS - 1_100 }]);
  for (let step = 0; step < 10; step += 1) {
    await next.floor.renew(CHANNEL, ANA.id, 1);
    await server.advance(600);
  }
  expect(talkersOf(newest(next))).toEqual(['ana']);
  expect(next.replies).toEqual([]);
  expect(await next.floor.release(CHANNEL, ANA.id, 2)).toMatchObject({ type: 'released' });
  // The talk includes the part of the earlier process, and the time without one.
  expect(next.talks).toEqual([{ name: 'ana' }, { name: 'ana', ended: { durationMs: 7_100, end: 'released' } }]);
});

test('[TALK150] anybody in the room brings the floor back, which waits for its talker’s claim', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  expect(talkersOf(await server.enter(next, 'bo', { floor: evidence, claim: null }))).toEqual(['ana']);
  await server.advance(FLOOR_RETURN_MS - FLOOR_TICK_MS);
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 1 }))).toEqual(['ana']);
  await server.advance(FLOOR_LEASE_MS - FLOOR_TICK_MS);
  expect(await next.floor.holds(CHANNEL, ANA.id, 1)).toBe(true);
});

test('[TALK150] a talker who doesn’t come back in time loses the floor', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  await server.enter(next, 'bo', { floor: evidence, claim: null });
  await server.advance(FLOOR_RETURN_MS + FLOOR_TICK_MS);
  expect(talkersOf(newest(next))).toEqual([]);
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 1 }))).toEqual([]);
  expect(next.talks).toEqual([]);
});

test('[TALK151] whoever comes back without a claim has none, also where the server went on', async () => {
  const first = await begin();
  const evidence = await talk(first);
  expect(talkersOf(await server.enter(first, 'ana', { claim: 1 }))).toEqual(['ana']);
  expect(talkersOf(await server.enter(first, 'ana', { claim: null }))).toEqual([]);
  const next = server.start();
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: null }))).toEqual([]);
});

test('[TALK151] number 0 renews no restored talk that nobody claims', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  await server.enter(next, 'ana', { claim: null });
  await server.enter(next, 'bo', { floor: evidence, claim: null });
  for (let waited = 0; waited <= FLOOR_RETURN_MS; waited += 400) {
    await next.floor.renew(CHANNEL, ANA.id, 0);
    await server.advance(400);
  }
  expect(talkersOf(newest(next))).toEqual([]);
});

test('[TALK151] a restored talker who presses anew has the priority of that press', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  await server.enter(next, 'ana', { claim: null });
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  await server.enter(next, 'bo', { floor: evidence, claim: null });
  expect(await next.floor.request(CHANNEL, ANA, 2, true)).toMatchObject({ type: 'granted' });
  expect(await next.floor.request(CHANNEL, BO, 1, false)).toMatchObject({ type: 'denied', reason: 'taken' });
  expect(await next.floor.request(CHANNEL, askerOf('boss', 1), 1, true)).toMatchObject({ type: 'granted' });
});

test('[TALK151] signs of life of a browser don’t keep a talk that nobody claims', async () => {
  const evidence = await talk(await begin());
  const next = server.start({ isAlive: true });
  await server.enter(next, 'bo', { floor: evidence, claim: null });
  await server.advance(FLOOR_RETURN_MS + FLOOR_TICK_MS);
  expect(talkersOf(newest(next))).toEqual([]);
});

test('[TALK151] number 0 is no claim', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 0 }))).toEqual([]);
});

test('[TALK152] nobody gets the floor anew while talkers of the earlier process may come back', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  await server.enter(next, 'bo');
  const asked = vi.fn();
  const answer = next.floor.request(CHANNEL, BO, 1, true);
  void answer.then(asked);
  await server.advance(1_000);
  await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  await server.advance(FLOOR_LEASE_MS - 1_000 - FLOOR_TICK_MS);
  expect(asked).not.toHaveBeenCalled();
  await next.floor.renew(CHANNEL, ANA.id, 1);
  await server.advance(2 * FLOOR_TICK_MS);
  expect(await answer).toMatchObject({ type: 'queued', position: 1 });
});

test('[TALK152] of requests that waited the one of the highest priority is granted, without a talk before', async () => {
  const next = server.start();
  const answers = [
    next.floor.request(CHANNEL, ANA, 1, true),
    next.floor.request(CHANNEL, askerOf('boss', 1), 1, true),
    next.floor.request(CHANNEL, BO, 1, false),
  ];
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  expect((await Promise.all(answers)).map(({ type }) => type)).toEqual(['queued', 'granted', 'denied']);
  expect(next.talks).toEqual([{ name: 'boss' }]);
});

test('[TALK152] [TALK18] a request that waits is renewed by its page meanwhile, and isn’t said to be over', async () => {
  const evidence = await talk(await begin());
  const next = server.start();
  await server.enter(next, 'bo', { floor: evidence });
  const asked = next.floor.request(CHANNEL, BO, 1, true);
  for (let step = 0; step < 3; step += 1) {
    await server.advance(600);
    await next.floor.renew(CHANNEL, BO.id, 1);
  }
  expect(next.replies).toEqual([]);
  for (let waited = 0; waited <= FLOOR_RETURN_MS; waited += 600) {
    await server.advance(600);
    await next.floor.renew(CHANNEL, BO.id, 1);
  }
  expect(await asked).toMatchObject({ type: 'queued', seq: 1 });
  expect(next.replies).toMatchObject([{ to: 'bo', reply: { type: 'granted', seq: 1 } }]);
});

test('[TALK152] a request that waits ends with its release, also without a number, and with its participant', async () => {
  const next = server.start();
  const numbered = next.floor.request(CHANNEL, ANA, 1, true);
  const unnumbered = next.floor.request(CHANNEL, BO, null, true);
  const leaving = next.floor.request(CHANNEL, askerOf('carl'), 1, true);
  await next.floor.release(CHANNEL, ANA.id, 2);
  await next.floor.release(CHANNEL, BO.id, null);
  await next.floor.leave(CHANNEL, [askerOf('carl').id]);
  expect(await numbered).toMatchObject({ type: 'denied', reason: 'stale' });
  expect(await unnumbered).toMatchObject({ type: 'denied', reason: 'stale' });
  expect(await leaving).toMatchObject({ type: 'denied', reason: 'not_in_room' });
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  expect(next.talks).toEqual([]);
});

test.each([1, null])(
  '[TALK152] a request that waits ends when its participant comes back, with claim %s: its page presses no more',
  async (claim) => {
    const next = server.start();
    await server.enter(next, 'ana');
    const lost = next.floor.request(CHANNEL, ANA, 1, true);
    const other = next.floor.request(CHANNEL, BO, 1, true);
    await server.enter(next, 'ana', { claim });
    expect(await lost).toMatchObject({ type: 'denied', seq: 1, reason: 'stale' });
    await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
    expect(await other).toMatchObject({ type: 'granted' });
    expect(next.talks).toEqual([{ name: 'bo' }]);
  },
);

test('[TALK24] versions grow across restarts, and the end of the waiting outranks all of earlier processes', async () => {
  const first = await begin();
  const evidence = await talk(first);
  await first.floor.release(CHANNEL, ANA.id, 2);
  const last = newest(first);
  const next = server.start();
  expect((await server.enter(next, 'ana')).version).toBeLessThan(evidence.version);
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  expect(newest(next).version).toBeGreaterThan(last.version);
  // A channel that is entered later begins above them too.
  const other = channelId.parse('01900000-0000-7000-8000-00000000000d');
  const entered = await next.floor.enter({ id: other, talkMode: 'single', version: 1 }, ANA);
  expect(entered.version).toBeGreaterThan(last.version);
});

test.each([-3_600_000, -5_000, 3_600_000])(
  '[TALK24] versions grow although the machine’s clock was set by %i ms before the restart',
  async (shift) => {
    const first = await begin();
    const evidence = await talk(first);
    await first.floor.release(CHANNEL, ANA.id, 2);
    const last = newest(first);
    server.setNow(server.now() + shift);
    const next = server.start();
    // The order of these two does not matter.
    await server.enter(next, 'ana', { floor: evidence, claim: 1 });
    const floor = await server.enter(next, 'bo', { floor: last, claim: null });
    expect([talkersOf(floor), floor.version >= last.version]).toEqual([[], true]);
    await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
    expect(newest(next).version).toBeGreaterThan(last.version);
    expect((await talk(next, BO)).version).toBeGreaterThan(last.version);
  },
);

test('[TALK150] a talk that was signed in what is the future now isn’t restored, and ends what older evidence restored', async () => {
  const first = await begin();
  const old = await talk(first, BO);
  await server.advance(2_000);
  await first.floor.release(CHANNEL, BO.id, 2);
  const evidence = await talk(first);
  server.setNow(server.now() - 1_000);
  const next = server.start();
  expect(talkersOf(await server.enter(next, 'bo', { floor: old, claim: 1 }))).toEqual(['bo']);
  const floor = await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  expect([talkersOf(floor), floor.version > evidence.version]).toEqual([[], true]);
  expect(talkersOf(await server.enter(next, 'bo', { floor: old, claim: 1 }))).toEqual([]);
});

test('[TALK24] evidence that comes late raises the version of a floor whose clock was set back', async () => {
  const first = await begin();
  const evidence = await talk(first);
  server.setNow(server.now() - 3_600_000);
  const next = server.start();
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  const entered = await server.enter(next, 'bo');
  expect(entered.version).toBeLessThan(evidence.version);
  const floor = await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  expect([talkersOf(floor), floor.version > evidence.version]).toEqual([[], true]);
  expect(newest(next).version).toBe(floor.version);
});

test('[TALK105] of talks of an earlier process nothing is said, whoever proves to have been there', async () => {
  const first = await begin();
  const { version } = await server.enter(first, 'bo');
  const stay = await first.floor.makeRoomProof(CHANNEL, BO.userId, version);
  expect(await first.floor.talksSince(CHANNEL, BO.userId, stay, version)).toEqual([]);
  const next = server.start();
  expect(await next.floor.talksSince(CHANNEL, BO.userId, stay, version)).toBeNull();
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  const since = (await server.enter(next, 'bo')).version;
  expect(await next.floor.talksSince(CHANNEL, BO.userId, stay, since)).toEqual([]);
});

test('[TALK150] a floor that is forged, of another channel, of other keys or of this very process restores nothing', async () => {
  const first = await begin();
  const evidence = await talk(first);
  const stranger = server.start({ keys: { floors: Buffer.alloc(32, 9), stays: Buffer.alloc(32, 9) } });
  const other = channelId.parse('01900000-0000-7000-8000-00000000000d');
  await stranger.floor.enter({ id: other, talkMode: 'single', version: 1 }, ANA);
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  const foreign = await talk(stranger);
  const next = server.start();
  const bad: FloorNews[] = [
    foreign,
    { ...evidence, signature: 'A'.repeat(86) },
    { ...evidence, signature: '' },
    { ...evidence, version: evidence.version + 1 },
    { ...evidence, talkers: evidence.talkers.map((one) => ({ ...one, id: BO.id })) },
    { ...evidence, talkers: evidence.talkers.map((one) => ({ ...one, remainingMs: TALK_MAX_MS * 10 })) },
    { ...evidence, channelId: other },
  ];
  for (const floor of bad) {
    expect(talkersOf(await server.enter(next, 'bo', { floor, claim: 1 })), JSON.stringify(floor)).toEqual([]);
  }
  const elsewhere = { id: other, talkMode: 'single', version: 1 } as const;
  expect((await next.floor.enter(elsewhere, { ...ANA, floor: evidence, claim: 1 })).talkers).toEqual([]);
  const genuine = await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  expect(talkersOf(genuine)).toEqual(['ana']);
  // News that this process signed itself can't bring back a talk that it knows to be over.
  for (let waited = 0; waited <= FLOOR_LEASE_MS; waited += 600) {
    await server.advance(600);
    await next.floor.renew(CHANNEL, ANA.id, 1);
  }
  const own = newest(next);
  expect([talkersOf(own), own.version > genuine.version]).toEqual([['ana'], true]);
  await next.floor.release(CHANNEL, ANA.id, 2);
  expect(talkersOf(await server.enter(next, 'ana', { floor: own, claim: 1 }))).toEqual([]);
});

test('[TALK150] a talk whose time is over is not restored', async () => {
  const evidence = await talk(await begin());
  await server.advance(TALK_MAX_MS);
  const next = server.start();
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 1 }))).toEqual([]);
});

test('[TALK150] a former talker’s old floor is no use: whoever brings the newest has the floor, and theirs outranks it all along', async () => {
  const first = await begin();
  const old = await talk(first, BO);
  await first.floor.release(CHANNEL, BO.id, 2);
  const evidence = await talk(first);
  const next = server.start();
  const replayed = await server.enter(next, 'bo', { floor: old, claim: 1 });
  expect(replayed.version).toBeLessThan(evidence.version);
  await next.floor.release(CHANNEL, BO.id, 3);
  await server.enter(next, 'bo', { floor: old, claim: 1 });
  for (const { version } of next.news) expect(version).toBeLessThan(evidence.version);
  const floor = await server.enter(next, 'ana', { floor: evidence, claim: 1 });
  expect(talkersOf(floor)).toEqual(['ana']);
  expect(floor.version).toBeGreaterThanOrEqual(evidence.version);
  expect(talkersOf(await server.enter(next, 'bo', { floor: old, claim: 1 }))).toEqual(['ana']);
});

test('[TALK150] a former talker who claims before the newest floor comes is revoked by it', async () => {
  const first = await begin();
  const old = await talk(first, BO);
  await first.floor.release(CHANNEL, BO.id, 2);
  const evidence = await talk(first);
  const next = server.start();
  await server.enter(next, 'bo', { floor: old, claim: 1 });
  await server.enter(next, 'carl', { floor: evidence, claim: null });
  expect(next.replies).toEqual([
    { to: 'bo', reply: { type: 'revoked', channelId: CHANNEL, seq: 1, reason: 'lease_expired' } },
  ]);
  expect(talkersOf(newest(next))).toEqual(['ana']);
});

test('[TALK150] once somebody got the floor no evidence takes it from them', async () => {
  const first = await begin();
  const evidence = await talk(first);
  const next = server.start();
  const answer = next.floor.request(CHANNEL, BO, 1, true);
  await server.advance(FLOOR_LEASE_MS + FLOOR_TICK_MS);
  expect(await answer).toMatchObject({ type: 'granted' });
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 1 }))).toEqual(['bo']);
});

test('[TALK160] evidence brings back nobody who may not enter any more, and is outranked by the floor without them', async () => {
  const evidence = await talk(await begin());
  const next = server.start({ entitled: async () => new Set() });
  const floor = await server.enter(next, 'bo', { floor: evidence, claim: null });
  expect([talkersOf(floor), floor.version > evidence.version]).toEqual([[], true]);
  expect(newest(next).version).toBe(floor.version);
  expect(talkersOf(await server.enter(next, 'ana', { floor: evidence, claim: 1 }))).toEqual([]);
});

test('[TALK160] whoever may not enter any more loses a restored floor at once', async () => {
  const evidence = await talk(await begin());
  const entitled = new Set([ANA.userId]);
  const next = server.start({ entitled: async () => entitled });
  expect(talkersOf(await server.enter(next, 'bo', { floor: evidence, claim: null }))).toEqual(['ana']);
  // Somebody else was removed.
  await next.floor.accessChanged();
  expect(talkersOf(newest(next))).toEqual(['ana']);
  entitled.clear();
  await next.floor.accessChanged();
  expect(talkersOf(newest(next))).toEqual([]);
});

test('[TALK160] whoever is removed while it is read who may enter isn’t brought back', async () => {
  const evidence = await talk(await begin());
  let isMember = true;
  const next = server.start({
    async entitled(_channel, ids) {
      const answer = new Set(isMember ? ids : []);
      if (isMember) {
        isMember = false;
        await next.floor.accessChanged();
      }
      return answer;
    },
  });
  expect(talkersOf(await server.enter(next, 'bo', { floor: evidence, claim: null }))).toEqual([]);
});
