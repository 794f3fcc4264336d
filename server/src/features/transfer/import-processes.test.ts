import { cancelImport, createMultipleUsers, getImport, listImports } from '@pressel/contract/transfer';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Passwords } from '#src/accounts/passwords.ts';
import { imports } from '#src/db/schema/server.ts';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, CHEAP_PASSWORDS, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';

const userData = [0, 1, 2].map((n) => ({
  ...{ firstName: `U${n}`, lastName: 'Ruiz', identifier: `u${n}@example.net`, pseudo: `P${n}` },
  ...{ password: PASSWORD, mapRight: 'oui', canal: '' },
}));

describe.skipIf(!hasRedis)('[PROC35] an import, seen from another process', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestApp, TestApp];
  let team: Team;
  let letGo: () => void;
  beforeEach(async () => {
    const cheap = await CHEAP_PASSWORDS;
    const { promise: held, resolve } = Promise.withResolvers<void>();
    letGo = resolve;
    const passwords: Passwords = {
      ...cheap,
      async hashAll(...[list, signal, hashed]: Parameters<Passwords['hashAll']>) {
        const hashes = await cheap.hashAll(list, signal, hashed);
        signal.addEventListener('abort', () => resolve());
        await held;
        signal.throwIfAborted();
        return hashes;
      },
    };
    cluster = await buildCluster({ passwords });
    [one, two] = cluster.processes as [TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(async () => {
    letGo();
    await cluster.close();
  });

  const importAt = (t: TestApp, importId: string) =>
    t.call(createMultipleUsers, { userData, importId }, team.admin.token);
  const stateAt = async (t: TestApp, importId: string) =>
    (await t.call(getImport, { importId }, team.admin.token)).body.res;
  const countUsers = async () => (await cluster.database.db.select().from(users)).length;

  /** An import that runs at the first process; the second has heard of its progress. */
  async function underWay() {
    const socket = await two.connect(team.admin.token);
    await caughtUp(socket);
    const importId = uuidV7();
    const answer = importAt(one, importId);
    expect(await socket.next('import_progress')).toMatchObject({ importId });
    return { importId, answer };
  }

  test('its progress, its place in the list and its outcome are known there', async () => {
    const { importId, answer } = await underWay();
    await waitUntil(async () => {
      const state = await stateAt(two, importId);
      return state.state === 'running' && state.done === 3 && state.total === 3;
    });
    const list = async () => (await two.call(listImports, {}, team.admin.token)).body.res;
    expect(await list()).toMatchObject([{ importId, kind: 'users', state: 'running', endedAt: null }]);
    letGo();
    const { body } = await answer;
    expect(await stateAt(two, importId)).toEqual({
      state: 'users',
      outcome: {
        created: body.createdUsers,
        existing: body.existingUsers,
        rejected: body.rejectedUsers,
        repeated: body.repeatedUsers,
      },
    });
    expect(await list()).toMatchObject([{ importId, state: 'ended', endedAt: expect.any(String) }]);
  });

  test('a second one of the same administrator is refused there, and the same one has the answer of the first', async () => {
    const { importId, answer } = await underWay();
    expect(await importAt(two, uuidV7())).toMatchObject({ status: 409, body: { code: 'import_running' } });
    const again = importAt(two, importId);
    letGo();
    const [first, second] = await Promise.all([answer, again]);
    expect(second).toEqual(first);
    expect(await importAt(two, importId)).toEqual(first);
    expect(await countUsers()).toBe(4 + userData.length);
  });

  test('it is cancelled there, and nothing of it is stored', async () => {
    const { importId, answer } = await underWay();
    const { body } = await two.call(cancelImport, { importId }, team.admin.token);
    expect(body).toEqual({ success: true, cancelled: true });
    expect(await answer).toMatchObject({ body: { code: 'import_cancelled' } });
    expect(await stateAt(two, importId)).toEqual({ state: 'cancelled' });
    expect(await countUsers()).toBe(4);
  });

  test('a cancellation that the process at work has not seen yet counts when it begins to store', async () => {
    const { importId, answer } = await underWay();
    await cluster.database.db.update(imports).set({ isUnwanted: true });
    letGo();
    expect(await answer).toMatchObject({ body: { code: 'import_cancelled' } });
    expect(await stateAt(one, importId)).toEqual({ state: 'cancelled' });
    expect(await countUsers()).toBe(4);
  });

  test('whose process died it has failed, and it may be sent again', async () => {
    const importId = uuidV7();
    const left = {
      ownerId: team.admin.id,
      importId,
      processId: uuidV7(),
      kind: 'users',
      startedAt: new Date(),
    } as const;
    await cluster.database.db
      .insert(imports)
      .values({ ...left, state: 'running', seenAt: sql`clock_timestamp() - interval '20 seconds'` });
    expect(await stateAt(two, importId)).toEqual({ state: 'failed' });
    letGo();
    expect(await importAt(two, importId)).toMatchObject({ status: 200 });
    expect(await countUsers()).toBe(4 + userData.length);
  });

  test('one that was taken for failed, because its process stood still, stores nothing', async () => {
    const { importId, answer } = await underWay();
    const { db } = cluster.database;
    await db.update(imports).set({ state: 'failed', endedAt: new Date() }).where(eq(imports.importId, importId));
    letGo();
    expect(await answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await stateAt(one, importId)).toEqual({ state: 'failed' });
    expect(await countUsers()).toBe(4);
  });
});

alone('it is about a process that is alone').test(
  '[PROC35] alone, the start says of an import that an earlier process left that it has failed',
  async () => {
    const database = await openTestDatabase();
    const first = await buildTestApp({ database });
    const admin = await first.signUp('Admin');
    await first.close();
    const importId = uuidV7();
    await database.db.insert(imports).values({
      ...{ ownerId: admin.id, importId, processId: uuidV7(), kind: 'users' },
      state: 'storing',
      startedAt: new Date(),
    });
    const second = await buildTestApp({ database });
    expect((await second.call(getImport, { importId }, admin.token)).body.res).toEqual({ state: 'failed' });
    await second.close();
    await database.close();
  },
);
