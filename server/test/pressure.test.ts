import { signUpUser } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockAccounts } from '#src/history/change.ts';
import { buildTestApp, PASSWORD, type TestApp } from './build-test-app.ts';
import { waitUntil } from './wait-until.ts';

const STRANGERS = 200;
const WAITING = sql`(select 1 from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())) as waiting`;

describe('more at once than the database takes', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await buildTestApp();
  });
  afterEach(() => t.close());

  /** Each comes from its own address: one address may not send as many. */
  const signUpAsStranger = (number: number) =>
    t.app.inject({
      method: 'POST',
      url: signUpUser.path,
      remoteAddress: `198.51.100.${number}`,
      payload: { firstName: 'Someone', lastName: 'Else', email: `s${number}@example.org`, password: PASSWORD },
    });

  test('reading goes on while two hundred strangers wait to be stored, and all of them are', async () => {
    const admin = await t.signUp('Admin');
    const { answers, whileTheyWait } = await t.database.db.transaction(async (tx) => {
      await lockAccounts(tx);
      const answers = Array.from({ length: STRANGERS }, (_, number) => signUpAsStranger(number));
      await waitUntil(async () => (await tx.$count(WAITING)) > 0);
      const reads = Array.from({ length: 20 }, () => t.call(getAllChannels, {}, admin.token));
      return { answers, whileTheyWait: await Promise.all(reads) };
    });
    expect(new Set(whileTheyWait.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});
