import { describe, expect, test } from 'vitest';
import { contractCalls } from '#test/contract-calls.ts';
import { BUDGET, type BudgetLimits, createBudget, type Payer } from './budget.ts';

const LIMITS: BudgetLimits = {
  session: { burst: 4, perSecond: 1 },
  user: { burst: 6, perSecond: 2 },
  address: { burst: 10, perSecond: 5 },
};
const HERE = '192.0.2.1';

function start(limits = LIMITS) {
  let now = 0;
  const budget = createBudget(() => now, limits);
  return { budget, pass: (ms: number) => (now += ms) };
}

/** Spends all points. @returns how many requests the payer made before it had to wait */
function spend(payer: Payer): number {
  let spent = 0;
  for (; payer.waitMs() === 0; spent += 1) payer.pay(1);
  return spent;
}

describe('who pays', () => {
  test('[BUDGET1] a session has points of its own, and another user of the same address has theirs', () => {
    const { budget } = start();
    expect(spend(budget.known('of ana', 'ana'))).toBe(4);
    expect(spend(budget.known('of bo', 'bo'))).toBe(4);
    expect(spend(budget.payerOf(undefined, HERE))).toBe(10);
  });

  test('[BUDGET1] two sessions of one user have each their own, within those of the user', () => {
    const { budget } = start();
    const [first, second] = [budget.known('first', 'ana'), budget.known('second', 'ana')];
    expect([spend(first), spend(second)]).toEqual([4, 2]);
  });

  test('[BUDGET1] points come back with time, up to as many as there may be', () => {
    const { budget, pass } = start();
    const ana = budget.known('of ana', 'ana');
    expect(spend(ana)).toBe(4);
    pass(1_000);
    expect(spend(ana)).toBe(1);
    pass(3_600_000);
    expect(spend(ana)).toBe(4);
  });

  test('[BUDGET2] whoever pays more than they have waits the longer', () => {
    const { budget, pass } = start();
    const ana = budget.known('of ana', 'ana');
    ana.pay(6);
    expect(ana.waitMs()).toBe(3_000);
    pass(2_999);
    expect(ana.waitMs()).toBe(1);
    pass(1);
    expect(ana.waitMs()).toBe(0);
  });

  test('[BUDGET3] the address pays until the token is known to be that of a session, and after it ended', () => {
    const { budget } = start();
    const keyOf = (token?: string) => budget.payerOf(token, HERE).key;
    expect(keyOf('of ana')).toBe(keyOf());
    const { key } = budget.known('of ana', 'ana');
    expect(keyOf('of ana')).toBe(key);
    expect(keyOf('of bo')).toBe(keyOf());
    budget.unknown('of ana', HERE);
    expect(keyOf('of ana')).toBe(keyOf());
  });

  test('[BUDGET3] trying tokens costs the address more than asking without one', () => {
    const { budget } = start();
    let tried = 0;
    for (const payer = budget.payerOf('a guess', HERE); payer.waitMs() === 0; tried += 1) {
      payer.pay(1);
      budget.unknown('a guess', HERE);
    }
    expect(tried).toBe(2);
  });

  test('what was spent is not forgotten among thousands of others', () => {
    const { budget, pass } = start();
    budget.known('of ana', 'ana').pay(1_000);
    for (let other = 0; other < 5_000; other += 1) {
      budget.known(`of ${other}`, `user ${other}`);
      budget.payerOf(undefined, `address ${other}`);
      pass(10);
    }
    expect(budget.payerOf('of ana', HERE).waitMs()).toBeGreaterThan(900_000);
  });
});

describe('the points', () => {
  test('[BUDGET2] every call has a cost of at least one, and none costs more than a session has at once', () => {
    for (const [name, { cost }] of Object.entries(contractCalls)) {
      expect([name, Number.isInteger(cost) && cost >= 1 && cost * 4 <= BUDGET.session.burst]).toEqual([name, true]);
    }
  });

  test('[BUDGET5] calls that read much are those that the contract names, and none of them changes anything', () => {
    const heavy = Object.entries(contractCalls).flatMap(([name, { work }]) => (work === 'heavy' ? [name] : []));
    expect(heavy.filter((name) => !name.startsWith('get'))).toEqual([]);
    expect(heavy).toContain('getDashboard');
    expect(heavy).toContain('getAllChannels');
  });

  test('[BUDGET4] what ten tabs of one person ask for after a restart is a quarter of what a session has', () => {
    // Measured with the built console: the calls of ten tabs, on all screens, within ten seconds of the server's return.
    const asked = {
      ...{ isValidToken: 10, getDashboard: 7, getAllUsers: 4, getAllChannels: 8, getUsersInChannel: 9 },
      ...{ getUnreadCounts: 10, getAllActivities: 4, getChannelMessages: 6, getChannelPositions: 3, getMapSettings: 3 },
    };
    const points = Object.entries(asked).reduce(
      (sum, [name, times]) => sum + times * (contractCalls[name]?.cost ?? 0),
      0,
    );
    expect(points).toBeGreaterThan(Object.keys(asked).length);
    expect(points * 3).toBeLessThan(BUDGET.session.burst);
  });
});
