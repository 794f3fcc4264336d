import { expect, test } from 'vitest';
import type { LoggedAct } from '#src/history/change.ts';
import { createFailedAttempts } from './failed-attempts.ts';

const target = { id: '01900000-0000-7000-8000-000000000001', name: 'Ana' };

function book(isFirst = true) {
  const acts: LoggedAct[] = [];
  const failures = createFailedAttempts({
    record: async (act) => void acts.push(act),
    isFirst: async () => isFirst,
    now: () => new Date(0),
    log: { error: () => undefined } as never,
  });
  return { acts, failures };
}

test('[LOG30] the addresses of one IPv6 network are one: who has a network cannot fill the log', async () => {
  const { acts, failures } = book();
  for (let n = 1; n <= 300; n += 1) {
    await failures.note({
      reason: 'unknown_login',
      address: `2001:db8:0:1::${n.toString(16)}`,
      target: null,
      user: null,
    });
  }
  await failures.flush(true);
  expect(acts).toMatchObject([
    { address: '2001:db8:0:1::1', details: { reason: 'unknown_login', count: 1 } },
    { address: '2001:db8:0:1::1', details: { reason: 'unknown_login', count: 299 } },
  ]);
});

test('[LOG30] unknown logins, however many, leave room for the failures of accounts', async () => {
  const { acts, failures } = book();
  for (let n = 0; n < 300; n += 1) {
    const address = `192.0.${2 + Math.floor(n / 250)}.${n % 250}`;
    await failures.note({ reason: 'unknown_login', address, target: null, user: null });
  }
  await failures.note({ reason: 'password', address: '192.0.2.1', target, user: null });
  expect(acts.at(-1)).toMatchObject({ target, details: { reason: 'password', count: 1 } });
  await failures.flush(true);
  expect(acts.at(-1)).toMatchObject({ address: null, details: { reason: 'flood', count: 200 } });
});

test('[LOG30] refused attempts, from however many addresses, leave room for the failures of accounts', async () => {
  const { acts, failures } = book();
  for (let n = 0; n < 300; n += 1) {
    const address = `192.0.${2 + Math.floor(n / 250)}.${n % 250}`;
    await failures.note({ reason: n % 2 === 0 ? 'limited' : 'unknown_login', address, target: null, user: null });
  }
  expect(acts).toHaveLength(100);
  await failures.note({ reason: 'limited', address: '192.0.2.1', target, user: null });
  expect(acts.at(-1)).toMatchObject({ target, details: { reason: 'limited', count: 1 } });
});

test('[LOG30] what another process put down already is gathered here', async () => {
  const { acts, failures } = book(false);
  for (let n = 0; n < 3; n += 1) await failures.note({ reason: 'password', address: '192.0.2.1', target, user: null });
  expect(acts).toEqual([]);
  await failures.flush(true);
  expect(acts.map(({ details }) => details)).toEqual([{ reason: 'password', count: 3 }]);
});
