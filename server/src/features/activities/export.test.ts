import { exportActivities, getAllActivities } from '@pressel/contract/activities';
import { logOut } from '@pressel/contract/auth';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { waitUntil } from '#test/wait-until.ts';

/** Entries that one read of an export takes. */
const PART = 1_000;

describe('[LOG45] an export while other things happen', () => {
  let t: TestApp;
  let admin: Person;
  beforeEach(async () => {
    t = await buildTestApp();
    admin = await t.signUp('Admin');
    vi.spyOn(t.database.db, 'execute');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await t.close();
  });

  /** Inserts entries, one a millisecond, with addresses of this length: no buffer on the way holds many long ones. */
  const insert = (count: number, length = 1) =>
    t.database.db.transaction((tx) =>
      tx.execute(sql`
        insert into activities (id, type, user_first_name, user_display_name, address, created_at)
        select gen_random_uuid(), 'login', 'A', 'A', repeat('x', ${length}::int), now() - n * interval '1 ms'
        from generate_series(1, ${count}::int) n`),
    );
  const open = async (signal?: AbortSignal) => {
    const response = await fetch(`${t.origin}${exportActivities.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: admin.token },
      body: JSON.stringify({ scope: 'all', format: 'ndjson' }),
      ...(signal && { signal }),
    });
    if (response.body === null) throw new Error('No body');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    return {
      total: Number(response.headers.get('x-total-records')),
      /** The rest of its lines. */
      async rest(): Promise<string[]> {
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
        return text.trimEnd().split('\n');
      },
    };
  };
  /** Number of reads by exports so far. */
  const reads = () => vi.mocked(t.database.db.execute).mock.calls.length;

  test('has exactly the entries from before it', async () => {
    await insert(3 * PART);
    const before = await t.database.db.execute<{ id: string }>(
      sql`select id from activities order by created_at desc, id desc`,
    );
    const stream = await open();
    // Its own entry and others are added while it streams.
    for (let n = 0; n < 5; n += 1) await t.signIn(admin);
    const lines = await stream.rest();
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(before.rows.map(({ id }) => id));
    expect(stream.total).toBe(lines.length);
    const { body } = await t.call(getAllActivities, { scope: 'all' }, admin.token);
    expect(body.res.totalRecords).toBe(lines.length + 1 + 5);
  });

  test('closing the connection ends it: nothing is read any more', async () => {
    const parts = 40;
    await insert(parts * PART, 2_000);
    const cancel = new AbortController();
    await open(cancel.signal);
    cancel.abort();
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        t.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      );
    await waitUntil(async () => (await connections()) === 0);
    // A read under way may end. While another export runs from beginning to end, this one begins none.
    await t.database.db.execute(sql`select 1`);
    const stopped = reads();
    expect(stopped).toBeLessThan(parts);
    const whole = await t.app.inject({
      method: 'POST',
      url: exportActivities.path,
      headers: { [TOKEN_HEADER]: admin.token },
      payload: { scope: 'all', types: ['user_creation'], format: 'ndjson' },
    });
    expect(whole.statusCode).toBe(200);
    const { rows } = await t.database.db.execute(sql`select 1`);
    expect(rows).toHaveLength(1);
    // One read, and the two beside it here.
    expect(reads() - stopped).toBeLessThanOrEqual(4);
  });

  test.each([
    ['signed out', () => t.call(logOut, {}, admin.token)],
    ['lost the role', () => t.database.db.execute(sql`update users set role = 'member' where id = ${admin.id}`)],
  ])('is cut off when its administrator %s', async (_what, end) => {
    await insert(40 * PART, 2_000);
    const stream = await open();
    await end();
    await expect(stream.rest()).rejects.toThrow();
    expect(reads()).toBeLessThan(40);
  });
});
