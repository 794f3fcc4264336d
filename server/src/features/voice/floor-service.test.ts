import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHANNEL } from '#test/floor-harness.ts';
import { askerOf, createFloorProcesses } from '#test/floor-processes.ts';
import { createFloorService } from './floor-service.ts';
import { createFloorStore } from './floor-store.ts';
import { createTalkJournal } from './talk-journal.ts';

const NORD = '01890000-0000-7000-8000-000000000001' as ChannelId;
const ANA = { id: 'ana' as ParticipantId, userId: 'ana' as UserId, name: 'Ana', priority: 0, author: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const deps = {
  ...{ journal: createTalkJournal(), cluster: null },
  keys: { floors: Buffer.alloc(32, 1), stays: Buffer.alloc(32, 2) },
  entitled: async (_channel: ChannelId, ids: readonly UserId[]) => new Set(ids),
  log: pino({ enabled: false }),
  tellParticipant: () => undefined,
  tellRoom: () => undefined,
  probe: () => undefined,
  talkBegan: () => undefined,
  talkEnded: () => undefined,
};

/** A floor that Ana has; then the process stands still for longer than her lease. */
async function standStill() {
  let now = 1_000;
  const store = createFloorStore({ clock: () => now, recoveryMs: 0 });
  const due = vi.spyOn(store, 'due');
  const floor = createFloorService({ ...deps, store, steadyNow: () => now });
  await floor.open(true);
  await floor.request(NORD, ANA, 1, true);
  now += FLOOR_LEASE_MS + FLOOR_TICK_MS;
  // Its tick is due, and runs before anything that came meanwhile.
  vi.advanceTimersByTime(FLOOR_TICK_MS);
  return { floor, due };
}

test('[TALK11] a server that stood still reads the renewals that came meanwhile before it ends a lease', async () => {
  const { floor } = await standStill();
  await floor.renew(NORD, ANA.id, 1);
  vi.runOnlyPendingTimers();
  expect(await floor.holds(NORD, ANA.id, 1)).toBe(true);
  await floor.close();
});

test('[TALK11] without a renewal among them the lease ends then, and nothing is left to run', async () => {
  const { floor, due } = await standStill();
  await vi.advanceTimersToNextTimerAsync();
  expect(await floor.holds(NORD, ANA.id, 1)).toBe(false);
  await floor.close();
  expect(due).toHaveBeenCalled();
  due.mockClear();
  await vi.advanceTimersByTimeAsync(10 * FLOOR_TICK_MS);
  expect(due).not.toHaveBeenCalled();
});

test('[PROC69] a process that begins to end while it asks for due floors ends no lease', async () => {
  let now = 1_000;
  let isEnding = false;
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const store = createFloorStore({ clock: () => now, recoveryMs: 0 });
  const floor = createFloorService({
    ...deps,
    store: {
      ...store,
      async due() {
        await answered;
        return store.due();
      },
    },
    cluster: { ...deps, isEnding: () => isEnding, isCutOff: () => false, channels: () => [] },
    steadyNow: () => now,
  });
  await floor.open(true);
  await floor.request(NORD, ANA, 1, true);
  vi.advanceTimersByTime(FLOOR_TICK_MS);
  // The database answers when the lease is over.
  now += FLOOR_LEASE_MS;
  isEnding = true;
  answer();
  await vi.advanceTimersByTimeAsync(FLOOR_TICK_MS);
  expect(await floor.holds(NORD, ANA.id, 1)).toBe(true);
  await floor.close();
});

test('[TALK150] a talk that comes back has its whole time, however long its floor waits to be changed', async () => {
  const server = createFloorProcesses(0);
  const first = server.start();
  const ana = askerOf('ana');
  await server.enter(first, 'ana');
  await first.floor.request(CHANNEL, ana, 1, true);
  const began = server.now();
  const next = server.start({ waitMs: 700 });
  const floor = first.news.at(-1);
  await server.enter(next, 'ana', { claim: 1, ...(floor && { floor }) });
  expect(await next.floor.release(CHANNEL, ana.id, 2)).toMatchObject({ type: 'released' });
  expect(next.talks.at(-1)?.ended).toEqual({ durationMs: server.now() - began, end: 'released' });
  await server.close();
});
