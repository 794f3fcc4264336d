import type { ChannelId, UserId } from '@pressel/contract/ids';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { createListener } from '#src/sockets/client-events.ts';
import type { Socket } from '#src/sockets/sockets.ts';
import { startProcess, type World } from '#test/presence-processes.ts';
import { createRandom } from '#test/random.ts';

const MANY = 200;
const AT_ONCE = 64;
const NORD = '01900000-0000-7000-8000-000000000001' as ChannelId;
const SUED = '01900000-0000-7000-8000-000000000002' as ChannelId;
/** Within this time everything that is under way is done. */
const CALM_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: 1_790_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const sessionOf = (n: number) =>
  ({ id: `session${n}`, userId: `user${n}` as UserId, role: 'member', displayName: `User ${n}` }) as unknown as Session;

const channelOf = (id: ChannelId) => ({ id, name: id, rtcSession: id, talkMode: 'single' as const, version: 1 });

/** A process to which so many clients come at the same moment. */
function startWith(count: number, trouble: Pick<World, 'statementMs' | 'stuck'> = {}) {
  const channels = new Map([NORD, SUED].map((id) => [id, channelOf(id)]));
  const members = new Set(Array.from({ length: count }, (_, n) => [`user${n} ${NORD}`, `user${n} ${SUED}`]).flat());
  const world: World = {
    ...{ rows: [], servers: new Map(), log: [], channels, members, ended: new Set() },
    ...{ messages: new Map(), failures: 0, underWay: 0, ...trouble },
  };
  const random = createRandom(1);
  const waits = vi.spyOn(random, 'below');
  const server = startProcess(world, random);
  const before = waits.mock.calls.length;
  const clients = Array.from({ length: count }, (_, n) => server.connect(sessionOf(n), () => undefined));
  return {
    ...{ world, server, clients },
    /** Each statement waits before it has an effect, and after it. */
    statements: () => Math.ceil((waits.mock.calls.length - before) / 2),
    enter: (n: number, id = NORD) => {
      const { asSocket } = clients[n] as (typeof clients)[number];
      const arrival = { video: null, keep: true, resume: null };
      return asSocket.data.registered.then(() => server.presence.join(asSocket, { id }, arrival));
    },
  };
}

test('[PRES47] of many who come at once only some are taken in at a time, and all of them in the end', async () => {
  const { world, server } = startWith(MANY);
  expect(world.underWay).toBeLessThanOrEqual(AT_ONCE);
  await vi.advanceTimersByTimeAsync(CALM_MS);
  expect(world.rows).toHaveLength(MANY);
  expect(server.participants.count()).toBe(MANY);
  server.kill();
});

test('[PRES47] the client that came first is in the room before the last ones are taken in', async () => {
  const { world, server, enter } = startWith(MANY);
  let takenIn = 0;
  const all = Array.from({ length: MANY }, (_, n) =>
    enter(n).then(() => {
      takenIn ||= world.rows.length;
    }),
  );
  await vi.advanceTimersByTimeAsync(10 * CALM_MS);
  await Promise.all(all);
  expect(takenIn).toBeGreaterThan(0);
  expect(takenIn).toBeLessThan(MANY);
  server.kill();
});

test('[PRES47] a client that gives up before its turn leaves no trace and costs no statement', async () => {
  const many = startWith(MANY);
  const begun = many.world.underWay;
  for (const client of many.clients.slice(begun)) client.drop('transport close');
  await vi.advanceTimersByTimeAsync(CALM_MS / 12);
  expect(many.world.rows).toHaveLength(begun);
  expect(many.server.participants.count()).toBe(begun);
  // The others' rows and sessions; the rounds of sessions combine some.
  expect(many.statements()).toBeLessThanOrEqual(2 * begun);
  many.server.kill();
});

test('[PRES47] [TALK102] a beat of a page that waits is answered at once, so that it keeps its connection', async () => {
  const { world, server, clients } = startWith(MANY);
  const { asSocket } = clients.at(-1) as (typeof clients)[number];
  const on = createListener({
    log: pino({ enabled: false }),
    metrics: NO_METRICS,
    refusals: { note: () => undefined } as never,
    version: { contract: 'any' } as never,
  });
  const data = Object.assign(asSocket.data, { allowance: { take: () => true } });
  const listen = vi.fn();
  on({ data, on: listen } as unknown as Socket, 'beat', async () => ({}));
  const [, listener] = listen.mock.lastCall as [string, (payload: unknown, answer: (said: unknown) => void) => void];
  const beat = () => new Promise((resolve) => void listener({ version: 0 }, resolve));

  const answered = vi.fn();
  void beat().then(answered);
  await vi.advanceTimersByTimeAsync(0);
  expect(world.rows).toHaveLength(0);
  expect(answered).toHaveBeenCalledExactlyOnceWith({ ok: false, code: 'not_in_room', params: {} });
  await vi.advanceTimersByTimeAsync(CALM_MS);
  expect(await beat()).toEqual({ ok: true, data: {} });
  server.kill();
});

/** Statements of 10 ms at most. */
const QUICK = { statementMs: 5 };

test('[PRES47] a room that hangs holds up only those who enter it', async () => {
  const { server, enter } = startWith(MANY, { ...QUICK, stuck: NORD });
  await vi.advanceTimersByTimeAsync(CALM_MS);
  for (let n = 1; n < MANY; n += 1) void enter(n).catch(() => undefined);
  const entered = vi.fn();
  void enter(0, SUED).then(entered);
  // Each of the others needs one statement before the turn of its room.
  await vi.advanceTimersByTimeAsync(500);
  expect(entered).toHaveBeenCalledOnce();
  server.kill();
});

test('[PRES47] those who enter one room do it as quickly while a thousand others are taken in', async () => {
  const ENTERING = 40;
  /** How long the turns of the first ones take, ms. */
  const timeOf = async (count: number) => {
    const { server, enter } = startWith(count, QUICK);
    const times: number[] = [];
    for (let n = 0; n < ENTERING; n += 1) void enter(n).then(() => times.push(Date.now()));
    await vi.advanceTimersByTimeAsync(CALM_MS);
    server.kill();
    expect(times).toHaveLength(ENTERING);
    return (times.at(-1) as number) - (times[0] as number);
  };
  expect(await timeOf(1_000)).toBeLessThan(1.1 * (await timeOf(ENTERING)));
});

test('[PRES47] an entry whose client gave up before its turn takes over nothing', async () => {
  const many = startWith(MANY, QUICK);
  await vi.advanceTimersByTimeAsync(CALM_MS);
  const before = many.statements();
  const all = many.clients.map((_, n) => many.enter(n).catch(() => undefined));
  await vi.advanceTimersByTimeAsync(0);
  for (const { drop } of many.clients) drop('transport close');
  await vi.advanceTimersByTimeAsync(CALM_MS);
  await Promise.all(all);
  expect(many.world.rows).toHaveLength(0);
  // All end, and those whose entry had begun have read their membership.
  expect(many.statements() - before).toBeLessThanOrEqual(MANY + AT_ONCE);
  many.server.kill();
});
