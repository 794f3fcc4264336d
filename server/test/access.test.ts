import type { Call } from '@pressel/contract/call';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { failure } from '@pressel/contract/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTestApp, type Person, type TestApp } from './build-test-app.ts';
import { contractCalls } from './contract-calls.ts';
import { makeChannel } from './factories.ts';
import { makeLink, visit } from './guests.ts';

/** Derived from the contract: a new call is covered without a new test. */
const table = Object.entries(contractCalls).map(([name, call]) => ({ name, call }));

describe('who may make a call at all', () => {
  let t: TestApp;
  let admin: Person;
  let member: Person;
  let guestToken: string;
  beforeAll(async () => {
    t = await buildTestApp();
    admin = await t.signUp('Admin');
    member = await t.signUp('Member');
    guestToken = await visit(t, await makeLink(t, admin, await makeChannel(t, admin, 'Nord')));
  });
  afterAll(() => t.close());

  const answer = async ({ method, path }: Call, token?: string) => {
    const response = await t.app.inject({
      method,
      url: path,
      ...(token === undefined ? {} : { headers: { [TOKEN_HEADER]: token } }),
      ...(method === 'POST' ? { payload: {} } : {}),
    });
    const isJson = /^application\/json\b/u.test(String(response.headers['content-type']));
    const refused = failure.safeParse(isJson ? response.json() : null);
    return { status: response.statusCode, code: refused.data?.code ?? null };
  };
  const isRefusedByRole = ({ code }: { code: string | null }) => code === 'unauthenticated' || code === 'forbidden';
  const UNAUTHENTICATED = { status: 401, code: 'unauthenticated' };

  test('the contract has calls of all four kinds', () => {
    expect(new Set(table.map(({ call }) => call.access))).toEqual(new Set(['public', 'guest', 'member', 'admin']));
  });

  test.each(table)('$name answers nobody more than its access says', async ({ call }) => {
    for (const token of [undefined, '', 'wrong', `${member.token}x`, '\u00e9']) {
      const nobody = await answer(call, token);
      if (call.access === 'public') expect(isRefusedByRole(nobody)).toBe(false);
      else expect([token, nobody]).toEqual([token, UNAUTHENTICATED]);
    }
  });

  test.each(table.filter(({ call }) => call.access === 'admin'))('$name is closed to members', async ({ call }) => {
    expect(await answer(call, member.token)).toEqual({ status: 403, code: 'forbidden' });
  });

  test.each(table)('[GUEST6] $name is closed to guests unless its access says so', async ({ call }) => {
    if (call.access === 'public' || call.access === 'guest') return;
    expect(await answer(call, guestToken)).toEqual(UNAUTHENTICATED);
  });

  test.each(table.filter(({ call }) => call.access === 'guest'))('$name is for guests alone', async ({ call }) => {
    for (const { token } of [admin, member]) expect(await answer(call, token)).toEqual(UNAUTHENTICATED);
  });

  // Comes last, because the logout is among these calls.
  test.each(table)('$name is open to those whom its access names', async ({ call }) => {
    const tokens = {
      admin: () => admin.token,
      guest: () => guestToken,
      member: () => t.signIn(member),
      public: () => '',
    };
    const token = await tokens[call.access]();
    expect(isRefusedByRole(await answer(call, token))).toBe(false);
  });

  test.each(table)('the token of $name is taken from its header alone', async ({ call }) => {
    if (call.access === 'public') return;
    const response = await t.app.inject({
      method: call.method,
      url: `${call.path}?token=${admin.token}&${TOKEN_HEADER}=${admin.token}`,
      headers: { cookie: `${TOKEN_HEADER}=${admin.token}`, authorization: `Bearer ${admin.token}` },
      payload: { token: admin.token },
    });
    expect(response.statusCode).toBe(401);
  });

  test('a call under another method, address or case does not exist', async () => {
    for (const { call } of table) {
      const other = call.method === 'GET' ? 'POST' : 'GET';
      for (const [method, url] of [
        [other, call.path],
        ['PUT', call.path],
        ['DELETE', call.path],
        [call.method, `${call.path}/x`],
      ] as const) {
        const response = await t.app.inject({ method, url, headers: { [TOKEN_HEADER]: admin.token } });
        expect([method, url, failure.parse(response.json()).code]).toEqual([method, url, 'not_found']);
      }
    }
  });
});
