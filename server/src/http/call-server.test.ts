import { exportActivities } from '@pressel/contract/activities';
import { getPasswordProof, logIn } from '@pressel/contract/auth';
import { type Call, TOKEN_HEADER, type Work } from '@pressel/contract/call';
import { getChannelIds } from '@pressel/contract/channels';
import { getDashboard } from '@pressel/contract/dashboard';
import type { UserId } from '@pressel/contract/ids';
import { changeUsers, getUserIds } from '@pressel/contract/users';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { acceptJsonOnly } from './bodies.ts';
import { createBudget } from './budget.ts';
import { createCallServer } from './call-server.ts';
import { handleErrors } from './http-errors.ts';

const ANA: Session = {
  id: uuidV7(),
  userId: uuidV7() as UserId,
  role: 'admin',
  firstName: 'Ana',
  displayName: 'Ana',
  mapRight: true,
  address: null,
  expiresAt: new Date(),
  verifiedAt: null,
};

/** Serves one call of the contract with the test's handler. */
function serveOne(call: Call, handle: () => Promise<unknown>) {
  const app = Fastify();
  onTestFinished(() => app.close());
  acceptJsonOnly(app);
  handleErrors(app, { contract: 'c1', metrics: NO_METRICS });
  let pauses = 0;
  const turns: string[] = [];
  const gateOf = (work: Work) => ({
    run: <T>(owner: string, run: () => Promise<T>): Promise<T> => {
      turns.push(`${work} ${owner === ANA.userId ? 'Ana' : owner}`);
      return run();
    },
  });
  const budget = createBudget(() => 0);
  const serve = createCallServer(app, {
    authenticate: async (token) => (token === 'of ana' ? ANA : null),
    authenticateGuest: async () => null,
    refusals: { note: () => undefined },
    budget,
    metrics: NO_METRICS,
    gates: { light: gateOf('light'), heavy: gateOf('heavy') },
    createPause: () => async () => {
      pauses += 1;
    },
  });
  serve(call, handle as never);
  const ask = (payload: object, token: string | null = 'of ana') =>
    app.inject({
      method: call.method,
      url: call.path,
      headers: token === null ? {} : { [TOKEN_HEADER]: token },
      payload,
    });
  return { ask, turns, pauses: () => pauses, budget };
}

test('[BUDGET8] a long answer is parsed and written entry by entry, and sent as it would be in one go', async () => {
  const answer = { success: true, res: Array.from({ length: 2_000 }, () => uuidV7()), ofNobody: 'left out' };
  const { ask, pauses } = serveOne(getUserIds, async () => answer);
  const response = await ask({});
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.body).toBe(JSON.stringify(getUserIds.reply.parse(answer)));
  // Once for each entry when it is parsed, and once when it is written.
  expect(pauses()).toBeGreaterThanOrEqual(4_000);
});

test('[BUDGET8] what breaks the contract is refused before anything of it was sent', async () => {
  const res = [...Array.from({ length: 2_000 }, () => uuidV7()), 'no id'];
  const { ask } = serveOne(getUserIds, async () => ({ success: true, res }));
  expect((await ask({})).statusCode).toBe(500);
});

test.each([
  ['a light call', getPasswordProof, { success: true, isKept: false }, ['light Ana']],
  ['a call that reads much', getChannelIds, { success: true, res: [] }, ['heavy Ana']],
  ['a call that takes long otherwise', changeUsers, { success: true, res: [] }, []],
])('[BUDGET5] %s waits where its like do', async (_name, call: Call, answer, expected) => {
  const { ask, turns } = serveOne(call, async () => answer);
  const { statusCode } = await ask({ userIds: [uuidV7()], change: { type: 'delete' } });
  expect([statusCode, turns]).toEqual([200, expected]);
});

test('[BUDGET5] who is refused takes no turn', async () => {
  const { ask, turns } = serveOne(getDashboard, async () => expect.unreachable());
  expect((await ask({}, 'a guess')).statusCode).toBe(401);
  expect((await ask({ timeZone: 5 })).statusCode).toBe(400);
  expect(turns).toEqual([]);
});

test('[BUDGET2] a session pays for its calls, and the address for those without one', async () => {
  const { ask, budget } = serveOne(getDashboard, async () => expect.unreachable());
  await ask({ timeZone: 5 });
  await ask({ timeZone: 5 });
  // The turnstile, which isn't used here, takes the first point of each call.
  expect(pointsLeft(budget.payerOf('of ana', 'unknown'))).toBe(400 - 2 * (getDashboard.cost - 1));
  const anonymous = serveOne(logIn, async () => expect.unreachable());
  await anonymous.ask({}, null);
  expect(pointsLeft(anonymous.budget.payerOf(undefined, '127.0.0.1'))).toBe(3_000 - (logIn.cost - 1));
});

test('[BUDGET2] a long answer costs by its length, an export does not', async () => {
  const ids = Array.from({ length: 20_000 }, () => uuidV7());
  const list = serveOne(getUserIds, async () => ({ success: true, res: ids }));
  const { body } = await list.ask({});
  const left = 400 - (getUserIds.cost - 1) - Math.ceil(body.length / 65_536);
  expect(pointsLeft(list.budget.payerOf('of ana', 'unknown'))).toBe(left);
  const parts = (async function* () {
    for (let part = 0; part < 100; part += 1) yield 'x'.repeat(65_536);
  })();
  const stream = serveOne(exportActivities, async () => ({ type: 'text/csv', headers: {}, parts }));
  expect((await stream.ask({})).body).toHaveLength(100 * 65_536);
  expect(pointsLeft(stream.budget.payerOf('of ana', 'unknown'))).toBe(400 - (exportActivities.cost - 1));
});

function pointsLeft(payer: { waitMs(points: number): number }): number {
  let points = 0;
  while (payer.waitMs(points + 1) === 0) points += 1;
  return points;
}
