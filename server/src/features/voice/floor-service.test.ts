import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

/** A floor that Ana has; then the process stands still for longer than her lease. */
async function standStill() {
  let now = 1_000;
  const floor = createFloorService({
    store: createFloorStore({ clock: () => now, recoveryMs: 0 }),
    ...{ journal: createTalkJournal(), cluster: null, steadyNow: () => now },
    keys: { floors: Buffer.alloc(32, 1), stays: Buffer.alloc(32, 2) },
    entitled: async (_channel, ids) => new Set(ids),
    log: pino({ enabled: false }),
    tellParticipant: () => undefined,
    tellRoom: () => undefined,
    probe: () => undefined,
    talkBegan: () => undefined,
    talkEnded: () => undefined,
  });
  await floor.request(NORD, ANA, 1, true);
  now += FLOOR_LEASE_MS + FLOOR_TICK_MS;
  // Its tick is due, and runs before anything that came meanwhile.
  vi.advanceTimersByTime(FLOOR_TICK_MS);
  return floor;
}

test('[TALK11] a server that stood still reads the renewals that came meanwhile before it ends a lease', async () => {
  const floor = await standStill();
  await floor.renew(NORD, ANA.id, 1);
  vi.runOnlyPendingTimers();
  expect(await floor.holds(NORD, ANA.id, 1)).toBe(true);
  await floor.close();
});

test('[TALK11] without a renewal among them the lease ends then, and nothing is left to run', async () => {
  const floor = await standStill();
  await vi.advanceTimersToNextTimerAsync();
  expect(await floor.holds(NORD, ANA.id, 1)).toBe(false);
  await floor.close();
  expect(vi.getTimerCount()).toBe(0);
});
