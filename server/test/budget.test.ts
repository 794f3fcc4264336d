/** The allowances of HTTP, over HTTP: requests that tests inject don't pass the turnstile. */
import { request as httpRequest } from 'node:http';
import { getPasswordProof, getServerInfo } from '@pressel/contract/auth';
import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import { getAllChannels } from '@pressel/contract/channels';
import { failure } from '@pressel/contract/errors';
import { getUserById } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { io } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import type { BudgetLimits } from '#src/http/budget.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { alone } from './alone.ts';
import { buildTestApp, type Person, type TestApp } from './build-test-app.ts';
import { makeTeam } from './factories.ts';
import { waitUntil } from './wait-until.ts';

/** Each process has its own allowances, which are a protection of that process (058). */
const LOCAL = 'allowances are each process’s own';
const FEW: BudgetLimits = {
  session: { burst: 6, perSecond: 0.1 },
  user: { burst: 9, perSecond: 0.1 },
  address: { burst: 8, perSecond: 0.1 },
};
const MANY = { burst: 1e6, perSecond: 1e6 };

/** A server whose clock stands still, and which refuses everything beyond an allowance at once. */
async function start(limits: Partial<BudgetLimits> = {}) {
  let now = 1_000;
  const t = await buildTestApp({ budget: { ...FEW, ...limits }, patienceMs: 0, steadyNow: () => now });
  onTestFinished(() => t.close());
  return { t, pass: (ms: number) => (now += ms) };
}

const ask = <C extends Call>(t: TestApp, call: C, body: CallInput<C>, token?: string): Promise<Response> =>
  fetch(`${t.origin}${call.path}`, {
    method: call.method,
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { [TOKEN_HEADER]: token }) },
    ...(call.method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });

/** Sends requests one after the other. @returns their statuses */
async function statusesOf(count: number, once: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await once();
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
}
const served = (statuses: readonly number[]) => statuses.filter((status) => status !== 429).length;
const own =
  (t: TestApp, { id, token }: Pick<Person, 'id' | 'token'>) =>
  () =>
    ask(t, getUserById, { userId: id }, token);

alone(LOCAL).describe('the allowance of a session', () => {
  test('[BUDGET1] beyond it calls answer too_many with the seconds to wait, until it has refilled', async () => {
    const { t, pass } = await start({ address: MANY });
    const { ana } = await makeTeam(t);
    const once = own(t, ana);
    expect(await statusesOf(6, once)).toEqual(Array(6).fill(200));
    const response = await once();
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '10',
    });
    const body = failure.parse(await response.json());
    expect(body).toEqual({
      success: false,
      result: expect.any(String),
      code: 'too_many',
      params: { retryAfterSeconds: 10 },
    });
    pass(10_000);
    expect(await statusesOf(2, once)).toEqual([200, 429]);
  });

  test('[BUDGET1] it holds for requests that come together before the token is known, too', async () => {
    const { t } = await start({ address: MANY });
    const { ana } = await makeTeam(t);
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await own(t, ana)()).status));
    expect(served(statuses)).toBe(6);
  });

  test('[BUDGET1] another session of the user, and another user, have their own', async () => {
    const { t } = await start({ address: MANY, user: MANY });
    const { ana, bo } = await makeTeam(t);
    const other = await t.signIn(ana);
    expect(served(await statusesOf(8, own(t, ana)))).toBe(6);
    expect(served(await statusesOf(8, own(t, { ...ana, token: other })))).toBe(6);
    expect(served(await statusesOf(8, own(t, bo)))).toBe(6);
  });

  test('[BUDGET1] all sessions of one user have a limit together', async () => {
    const { t } = await start({ address: MANY });
    const { ana } = await makeTeam(t);
    const other = await t.signIn(ana);
    expect(served(await statusesOf(8, own(t, ana)))).toBe(6);
    expect(served(await statusesOf(8, own(t, { ...ana, token: other })))).toBe(3);
  });

  test('[BUDGET2] a call takes as many points as the contract says', async () => {
    const { t } = await start({ address: MANY });
    const { ana } = await makeTeam(t);
    expect(getAllChannels.cost).toBe(2);
    expect(served(await statusesOf(6, () => ask(t, getAllChannels, {}, ana.token)))).toBe(3);
  });

  test('[BUDGET2] a long answer takes more: a point for each 64 kB', async () => {
    const { t } = await start({ address: MANY });
    const { ana, nord } = await makeTeam(t);
    await t.database.db.execute(sql`
      with added as (insert into users (id, identifier, first_name, last_name, password_hash, role)
        select gen_random_uuid(), 'm' || n || '@example.org', 'M', 'M', '-', 'member' from generate_series(1, 7000) n returning id)
      insert into channel_members (channel_id, user_id) select ${nord}::uuid, id from added`);
    // Costs two points, and some 330 kB.
    expect(await statusesOf(2, () => ask(t, getAllChannels, {}, ana.token))).toEqual([200, 429]);
  });
});

alone(LOCAL).describe('the allowance of an address', () => {
  test('[BUDGET3] is for all that comes without a session: calls, pages, files, the state of the server', async () => {
    const { t, pass } = await start();
    for (const path of [
      '/',
      '/signin',
      '/favicon.svg',
      '/docs',
      '/healthz',
      '/readyz',
      '/nowhere',
      getServerInfo.path,
    ]) {
      expect([path, served(await statusesOf(10, () => fetch(t.origin + path)))]).toEqual([path, 8]);
      const refused = await fetch(t.origin + path, { method: 'HEAD' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
      pass(1_000_000);
    }
  });

  test('[BUDGET3] a session that is known is served when the address has none left', async () => {
    const { t } = await start();
    const { ana } = await makeTeam(t);
    expect(await statusesOf(1, own(t, ana))).toEqual([200]);
    await statusesOf(10, () => ask(t, getServerInfo, undefined));
    expect(await statusesOf(1, own(t, ana))).toEqual([200]);
  });

  test('[BUDGET3] the wrong token of a call takes from it what a lookup costs', async () => {
    const { t } = await start();
    const guess = () => ask(t, getUserById, { userId: uuidV7() as never }, 'a guess');
    expect(await statusesOf(4, guess)).toEqual([401, 401, 429, 429]);
  });

  test('[BUDGET3] a handshake that asks again and again is refused, a socket that polls is not', async () => {
    const { t } = await start({ session: MANY, user: MANY, address: { burst: 30, perSecond: 0.1 } });
    const { ana } = await makeTeam(t);
    const socket = io(t.origin, { auth: { token: ana.token }, transports: ['polling'], reconnection: false });
    onTestFinished(() => void socket.close());
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const answers: unknown[] = [];
    // Costs more than the address has left.
    for (let turn = 0; turn < 40; turn += 1) {
      answers.push(await socket.timeout(10_000).emitWithAck('ice_config', {}));
    }
    expect(answers.filter((answer) => (answer as { code?: string }).code === 'too_many')).toEqual([]);
    expect(socket.connected).toBe(true);
    const handshakes = await statusesOf(40, () => fetch(`${t.origin}/socket.io/?EIO=4&transport=polling&sid=unknown`));
    expect(handshakes.at(-1)).toBe(429);
  });

  test('[BUDGET3] the id of an open socket pays for no page whose path only begins as that of sockets', async () => {
    const { t } = await start({ address: { burst: 8, perSecond: 0.1 } });
    const opened = await (await fetch(`${t.origin}/socket.io/?EIO=4&transport=polling`)).text();
    const { sid } = JSON.parse(opened.slice(1));
    expect((await statusesOf(12, () => fetch(`${t.origin}/socket.iox?sid=${sid}`))).at(-1)).toBe(429);
  });

  test('[BUDGET3] nor for requests that are no polls', async () => {
    for (const [ending, method] of [
      ['transport=websocket', 'GET'],
      ['transport=polling', 'PUT'],
      ['transport=polling&sid=x', 'GET'],
    ] as const) {
      const { t } = await start({ address: { burst: 8, perSecond: 0.1 } });
      const opened = await (await fetch(`${t.origin}/socket.io/?EIO=4&transport=polling`)).text();
      const { sid } = JSON.parse(opened.slice(1));
      const once = () => fetch(`${t.origin}/socket.io/?EIO=4&sid=${sid}&${ending}`, { method });
      expect((await statusesOf(12, once)).at(-1), ending).toBe(429);
    }
  });

  test('[BUDGET3] nor once its connection is a WebSocket', async () => {
    const { t } = await start({ address: { burst: 8, perSecond: 0.1 } });
    const raw = new WebSocket(`${t.origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    onTestFinished(() => raw.close());
    const opened = await new Promise<string>((resolve) => raw.addEventListener('message', ({ data }) => resolve(data)));
    const { sid } = JSON.parse(opened.slice(1));
    const once = () => fetch(`${t.origin}/socket.io/?EIO=4&transport=polling&sid=${sid}`);
    expect((await statusesOf(12, once)).at(-1)).toBe(429);
  });

  test('[BUDGET9] nothing of who was refused is logged but a mark of the address', async () => {
    const { t } = await start();
    await statusesOf(12, () => ask(t, getServerInfo, undefined));
    const lines = t.logLines.filter(({ msg }) => msg === 'request_refused');
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(lines)).not.toContain('127.0.0.1');
  });
});

alone(LOCAL).describe('calls that read much', () => {
  const WAITING = sql`(select 1 from pg_stat_activity where wait_event_type = 'Lock'
    and datname = current_database()) as waiting`;

  test('[BUDGET5] take turns: one of each user at once, while light calls go on', async () => {
    const { t } = await start({ session: MANY, user: MANY, address: MANY });
    const { ana, bo } = await makeTeam(t);
    const list = ({ token }: Person) => ask(t, getAllChannels, {}, token).then((response) => response.status);
    const answers: Promise<number>[] = [];
    await t.database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table channels in access exclusive mode`);
      answers.push(...Array.from({ length: 20 }, () => list(ana)), list(bo));
      await waitUntil(async () => (await t.database.db.$count(WAITING)) === 2);
      const light = () => ask(t, getPasswordProof, {}, ana.token);
      expect(await statusesOf(5, light)).toEqual(Array(5).fill(200));
      expect(await t.database.db.$count(WAITING)).toBe(2);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  });

  test('[BUDGET6] one whose connection is closed loses its turn', async () => {
    const { t } = await start({ session: MANY, user: MANY, address: MANY });
    const { admin } = await makeTeam(t);
    const read = (signal: AbortSignal) =>
      fetch(`${t.origin}${getAllChannels.path}`, {
        method: 'POST',
        signal,
        headers: { 'content-type': 'application/json', [TOKEN_HEADER]: admin.token },
        body: '{}',
      });
    const closing = new AbortController();
    const gone: Promise<unknown>[] = [];
    let last: Promise<Response> | undefined;
    await t.database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table channels in access exclusive mode`);
      for (let index = 0; index < 40; index += 1) gone.push(read(closing.signal).catch(() => 'closed'));
      await waitUntil(async () => (await t.database.db.$count(WAITING)) === 1);
      // As many as may wait for one user, except the one that is being read.
      closing.abort();
      await Promise.all(gone);
      last = read(AbortSignal.timeout(60_000));
    });
    expect((await last)?.status).toBe(200);
    expect(await Promise.all(gone)).toEqual(Array(40).fill('closed'));
  });

  test('[BUDGET5] more than may wait for one user are refused, and nobody else’s', async () => {
    const { t } = await start({ session: MANY, user: MANY, address: MANY });
    const { ana, bo } = await makeTeam(t);
    const list = ({ token }: Person) => ask(t, getAllChannels, {}, token);
    const answers: Promise<Response>[] = [];
    await t.database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table channels in access exclusive mode`);
      for (let index = 0; index < 45; index += 1) answers.push(list(ana));
      const refused: Response[] = [];
      for (const answer of answers) void answer.then((response) => refused.push(response));
      await waitUntil(() => refused.length === 4);
      const [first] = refused;
      expect(failure.parse(await first?.json())).toMatchObject({ code: 'too_many', params: { retryAfterSeconds: 1 } });
      answers.push(list(bo));
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect(statuses.at(-1)).toBe(200);
  });
});

alone(LOCAL).test('[BUDGET4] a refusal while the body is on its way ends the request in order', async () => {
  const { t } = await start({ address: { burst: 1, perSecond: 0.001 } });
  await fetch(t.origin);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(`${t.origin}${getUserById.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 100_000 },
    });
    request.once('response', (response) => resolve(response.statusCode));
    request.once('error', reject);
    request.write('{');
  });
  expect(status).toBe(429);
});
