import { logIn, signUpUser, verifyPassword } from '@pressel/contract/auth';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel, deleteChannel, getAllChannels } from '@pressel/contract/channels';
import { IMPORT_MAX_MEMBERSHIPS, IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import {
  cancelImport,
  createMultipleChannels,
  createMultipleUsers,
  getImport,
  getListUsersToExport,
  type UserRow,
} from '@pressel/contract/transfer';
import { deleteUser, updateUserData } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Passwords } from '#src/accounts/passwords.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, CHEAP_PASSWORDS, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

const row = (name: string, more: UserRow = {}): UserRow => ({
  firstName: name,
  lastName: 'Ruiz',
  identifier: `${name}@example.net`,
  pseudo: `P ${name}`,
  password: PASSWORD,
  mapRight: 'VRAI',
  canal: 'Nord',
  ...more,
});
/** Passwords whose next hashed batch waits to be let go: an import is under way for as long as a test wants. */
function holdable(passwords: Passwords) {
  let next: PromiseWithResolvers<void> | null = null;
  return {
    ...passwords,
    hold() {
      next = Promise.withResolvers<void>();
      return next.resolve;
    },
    async hashAll(...[list, signal, hashed]: Parameters<Passwords['hashAll']>) {
      const held = next;
      next = null;
      const hashes = await passwords.hashAll(list, signal, hashed);
      signal.addEventListener('abort', () => held?.resolve());
      if (!signal.aborted) await held?.promise;
      signal.throwIfAborted();
      return hashes;
    },
  };
}

const rows = (count: number, more: UserRow = {}) => Array.from({ length: count }, (_, index) => row(`u${index}`, more));

describe('an import of users', () => {
  let t: TestApp;
  let team: Team;
  let passwords: ReturnType<typeof holdable>;
  beforeEach(async () => {
    passwords = holdable(await CHEAP_PASSWORDS);
    t = await buildTestApp({ passwords });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const importUsers = (userData: UserRow[], importId = uuidV7(), token = team.admin.token) =>
    t.call(createMultipleUsers, { userData, importId }, token);
  const stateOf = async (importId: string, token = team.admin.token) =>
    (await t.call(getImport, { importId }, token)).body.res;
  const exported = async () => (await t.call(getListUsersToExport, {}, team.admin.token)).body.res;
  const logins = async () => (await exported()).map(({ identifier }) => identifier);
  const memberCount = async (name: string) => {
    const { body } = await t.call(getAllChannels, {}, team.admin.token);
    return body.res.find((channel) => channel.name === name)?.users?.length;
  };
  const secondAdmin = async () => {
    const change = { id: team.bo.id, firstName: 'Bo', lastName: 'Test', role: 'admin' as const };
    await t.call(updateUserData, change, team.admin.token);
    return team.bo.token;
  };
  /** An import whose passwords are being hashed, until `finish`, which gives its answer. */
  const underWay = async (count: number, token = team.admin.token, more: UserRow = {}) => {
    const socket = await t.connect(token);
    await caughtUp(socket);
    const importId = uuidV7();
    const letGo = passwords.hold();
    const answer = importUsers(rows(count, more), importId, token);
    await socket.next('import_progress', (news) => news.importId === importId);
    const finish = () => {
      letGo();
      return answer;
    };
    return { importId, finish, socket };
  };

  test('stores them with their channels, as members who can sign in', async () => {
    const { status, body } = await importUsers([
      row('Zoë', { identifier: ' Zoe@Example.net ', canal: 'Nord; S u d;Nord', mapRight: 'faux' }),
      row('lea', { canal: '', password: 12345678, mapRight: true }),
    ]);
    expect([status, body]).toMatchObject([
      200,
      {
        createdUsers: [
          { row: 1, identifier: 'Zoe@Example.net' },
          { row: 2, identifier: 'lea@example.net' },
        ],
        existingUsers: [],
        rejectedUsers: [],
        repeatedUsers: [],
      },
    ]);
    expect((await exported()).filter(({ identifier }) => identifier.endsWith('.net'))).toMatchObject([
      { firstName: 'lea', lastName: 'Ruiz', pseudo: 'P lea', mapRight: true, canal: '' },
      { firstName: 'Zoë', lastName: 'Ruiz', pseudo: 'P Zoë', mapRight: false, canal: 'Nord;Sud' },
    ]);
    expect([await memberCount('Nord'), await memberCount('Sud')]).toEqual([3, 2]);
    const opened = await t.call(logIn, { user_email: 'lea@example.net', user_password: '12345678' });
    expect(opened.body.user).toMatchObject({ id: body.createdUsers[1]?.id, role: 'member' });
  });

  test('names what became of each of 300 rows, in their order', async () => {
    const userData = Array.from({ length: 300 }, (_, index): UserRow => {
      const name = `u${index}`;
      if (index % 10 === 9) return row(`u${index - 1}`, { row: index + 2 });
      if (index % 10 === 8) return row(name, { row: index + 2 });
      if (index % 10 === 5)
        return row('Ana', { identifier: 'ANA@example.org', password: '', row: index + 2, pseudo: name });
      return row(name, { row: index + 2, mapRight: 'carte', canal: index === 0 ? 'Ouest;Nord' : '' });
    });
    const { body } = await importUsers(userData);
    const numbers = (list: { row: number }[]) => list.map((entry) => entry.row - 2);
    const those = (...digits: number[]) =>
      Array.from({ length: 300 }, (_, n) => n).filter((n) => digits.includes(n % 10));
    expect(numbers(body.createdUsers)).toEqual(those(8));
    expect(numbers(body.repeatedUsers)).toEqual(those(9));
    expect(numbers(body.existingUsers)).toEqual(those(5));
    expect(numbers(body.rejectedUsers)).toEqual(those(0, 1, 2, 3, 4, 6, 7));
    expect(body.rejectedUsers[0]).toEqual({
      row: 2,
      name: 'u0@example.net',
      faults: [
        { field: 'mapRight', code: 'bad_map_right' },
        { field: 'canal', code: 'unknown_channel', names: ['Ouest'] },
      ],
    });
    expect(await memberCount('Nord')).toBe(32);
  });

  test('reads numbers, booleans and unusual texts in cells', async () => {
    const { body } = await importUsers([
      row('__proto__', { firstName: '__proto__', lastName: 'constructor', pseudo: '=1+1', canal: '' }),
      row('x', { firstName: 'x'.repeat(90_000), canal: 'y;'.repeat(40_000) }),
      row('n', { canal: Array.from({ length: 5_000 }, (_, index) => `c${index}`).join(';') }),
      {},
      { firstName: null, mapRight: 0 },
    ]);
    expect(body.createdUsers.map(({ row }) => row)).toEqual([1]);
    expect(body.rejectedUsers.map(({ row }) => row)).toEqual([2, 3, 4, 5]);
    expect(JSON.stringify(body).length).toBeLessThan(5_000);
  });

  describe('[IMP18] of rows that say their role', () => {
    const userData = [
      row('chef', { role: 'Admin', phoneNumber: ' +33 6 12 34 56 78 ', pseudo: '' }),
      row('autre', { role: 'Cuisine' }),
      row('sans', { role: 'Cuisine', pseudo: '' }),
    ];
    const stored = async () => (await t.call(getListUsersToExport, {}, team.admin.token)).body.res;

    test('all become members when nobody asked for administrators; one without pseudo is of an export', async () => {
      const { body } = await importUsers(userData);
      expect(body.createdUsers.map(({ row }) => row)).toEqual([1, 2]);
      expect(body.rejectedUsers[0]?.faults).toEqual([{ field: 'pseudo', code: 'missing' }]);
      expect((await stored()).find(({ firstName }) => firstName === 'chef')).toMatchObject({
        role: 'member',
        pseudo: '',
        phoneNumber: '+33 6 12 34 56 78',
      });
    });

    test('administrators are made only by whoever gave their password within the last minutes', async () => {
      const token = await t.signIn(team.admin);
      const send = () => t.call(createMultipleUsers, { userData, withAdmins: true }, token);
      expect((await send()).body).toMatchObject({ code: 'verification_required' });
      await t.call(verifyPassword, { password: PASSWORD }, token);
      expect((await send()).body.createdUsers).toHaveLength(2);
      const roleOf = (name: string, list: { firstName: string; role: string }[]) =>
        list.find(({ firstName }) => firstName === name)?.role;
      const users = await stored();
      expect([roleOf('chef', users), roleOf('autre', users)]).toEqual(['admin', 'member']);
    });
  });

  test.each([
    ['no list', {}],
    ['a list of something else', { userData: ['x'] }],
    ['an id that is none', { userData: [], importId: 'x' }],
    ['a cell that is a list', { userData: [{ firstName: ['x'] }] }],
    ['a row number of 0', { userData: [{ row: 0 }] }],
    ['one row too many', { userData: Array.from({ length: IMPORT_MAX_ROWS + 1 }, () => ({})) }],
    ['NUL in a cell', { userData: [{ firstName: 'a\u0000' }] }],
  ])('with %s is malformed', async (_what, body) => {
    const reply = await t.post(createMultipleUsers.path, body, team.admin.token);
    expect([reply.status, reply.body.code]).toEqual([400, 'malformed']);
  });

  test('of more memberships than it may bring is refused before a password is hashed', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `C${index}`);
    await t.call(createMultipleChannels, { channelData: names.map((name) => ({ name })) }, team.admin.token);
    const { status, body } = await importUsers(rows(IMPORT_MAX_MEMBERSHIPS / 250 + 1, { canal: names.join(';') }));
    expect([status, body.code, body.params]).toEqual([413, 'too_large', { what: 'memberships' }]);
    expect(await logins()).toHaveLength(4);
  });

  test('of no rows is done at once', async () => {
    expect((await importUsers([])).body).toMatchObject({ success: true, createdUsers: [] });
  });

  test('is told to those who may see it: administrators, and members of the channels', async () => {
    const [other, ana, out] = await Promise.all(
      [await secondAdmin(), team.ana.token, team.out.token].map((token) => t.connect(token)),
    );
    if (other === undefined || ana === undefined || out === undefined) throw new Error('No sockets');
    await caughtUp(other, ana, out);
    await importUsers(rows(3));
    await other.next('changed', ({ what }) => what === 'users');
    await other.next('changed', ({ what }) => what === 'memberships');
    await ana.next('changed', ({ what, channelId }) => what === 'memberships' && channelId === team.nord);
    await caughtUp(other, ana, out);
    expect([other, ana, out].map((socket) => socket.waiting('changed'))).toEqual([[], [], []]);
  });

  test('tells its progress to whoever started it, and to nobody else', async () => {
    const other = await t.connect(await secondAdmin());
    const { importId, finish, socket } = await underWay(10);
    const last = await socket.next('import_progress', ({ done, total }) => done === total);
    expect(last).toEqual({ importId, done: 10, total: 10 });
    await finish();
    await caughtUp(other);
    expect(other.waiting('import_progress')).toEqual([]);
  });

  test('of one user runs alone; other users have their own', async () => {
    const { importId, finish } = await underWay(12);
    await waitUntil(async () => JSON.stringify(await stateOf(importId)).includes('"total":12'));
    expect((await stateOf(importId)).state).toBe('running');
    expect((await importUsers([row('x')])).body.code).toBe('import_running');
    expect((await importUsers([row('y')], uuidV7(), await secondAdmin())).status).toBe(200);
    expect((await finish()).status).toBe(200);
    expect((await importUsers([row('x')])).status).toBe(200);
  });

  test('[IMP35] that is sent again with its id is done once: its answer is the first one’s, also while that runs', async () => {
    const { importId, finish } = await underWay(12);
    const again = importUsers(rows(12), importId);
    const answers = [await finish(), await again, await importUsers(rows(12), importId)];
    for (const { status, body } of answers) {
      expect([status, body.createdUsers.length, body.existingUsers]).toEqual([200, 12, []]);
    }
    expect((await importUsers(rows(12))).body.existingUsers.length, 'another one').toBe(12);
  });

  test('[IMP35] an id is its owner’s alone, and one of which nothing was stored is free again', async () => {
    const { importId, finish } = await underWay(12);
    const token = await secondAdmin();
    expect((await importUsers([row('y')], importId, token)).body.createdUsers).toHaveLength(1);
    await t.call(cancelImport, { importId }, team.admin.token);
    expect((await finish()).body.code).toBe('import_cancelled');
    expect((await importUsers(rows(2), importId)).body.createdUsers).toHaveLength(2);
  });

  test('by two administrators at once creates each login once', async () => {
    const token = await secondAdmin();
    const both = await Promise.all([importUsers(rows(12)), importUsers(rows(12), uuidV7(), token)]);
    const created = both.flatMap(({ body }) => body.createdUsers.map(({ identifier }) => identifier));
    const existing = both.flatMap(({ body }) => body.existingUsers.map(({ name }) => name));
    const each = rows(12).map(({ identifier }) => identifier);
    expect([created.toSorted(), existing.toSorted()]).toEqual([each.toSorted(), each.toSorted()]);
    expect((await logins()).filter((login) => login.endsWith('.net')).toSorted()).toEqual(each.toSorted());
  });

  test('[IMP15] looks again when it stores: a login taken and a channel deleted meanwhile are left out', async () => {
    const { finish } = await underWay(100, team.admin.token, { canal: 'Sud' });
    const account = { firstName: 'Zoë', lastName: 'Ruiz', email: 'U7@example.net', password: PASSWORD };
    await t.call(signUpUser, account, team.admin.token);
    await t.call(deleteChannel, { channelId: team.sud }, team.admin.token);
    const { existingUsers, rejectedUsers, createdUsers } = (await finish()).body;
    expect(existingUsers).toEqual([{ row: 8, name: 'u7@example.net' }]);
    expect([createdUsers.length, rejectedUsers.length]).toEqual([0, 99]);
    const faults = [{ field: 'canal', code: 'unknown_channel', names: ['Sud'] }];
    expect(rejectedUsers[98]).toEqual({ row: 100, name: 'u99@example.net', faults });
    expect((await logins()).filter((login) => login.endsWith('.net'))).toEqual(['U7@example.net']);
  });

  test.each([
    ['is an administrator no more', { role: 'member' as const }, [403, 'forbidden']],
    ['was deleted', null, [401, 'unauthenticated']],
  ])('whose owner %s stores nothing', async (_what, change, refusal) => {
    const token = await secondAdmin();
    const { finish } = await underWay(40, token);
    const ended =
      change === null
        ? await t.call(deleteUser, { UserId: team.bo.id }, team.admin.token)
        : await t.call(
            updateUserData,
            { id: team.bo.id, firstName: 'Bo', lastName: 'Test', ...change },
            team.admin.token,
          );
    expect(ended.status).toBe(200);
    expect([(await finish()).status, (await finish()).body.code]).toEqual(refusal);
    expect((await logins()).filter((login) => login.endsWith('.net'))).toEqual([]);
  });

  test('that is cancelled stores nothing, and says so to whoever asks', async () => {
    const { importId, finish } = await underWay(40);
    expect((await t.call(cancelImport, { importId }, team.admin.token)).body.cancelled).toBe(true);
    expect([(await finish()).status, (await finish()).body.code]).toEqual([409, 'import_cancelled']);
    expect(await stateOf(importId)).toEqual({ state: 'cancelled' });
    expect((await t.call(cancelImport, { importId }, team.admin.token)).body.cancelled).toBe(true);
    expect((await logins()).length).toBe(4);
  });

  test('that is done can no longer be cancelled', async () => {
    const importId = uuidV7();
    await importUsers(rows(1), importId);
    expect((await t.call(cancelImport, { importId }, team.admin.token)).body.cancelled).toBe(false);
    expect(await logins()).toContain('u0@example.net');
  });

  test("is nobody else's business", async () => {
    const token = await secondAdmin();
    const { importId, finish } = await underWay(6);
    for (const call of [getImport, cancelImport]) {
      const reply = await t.post(call.path, { importId }, token);
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    }
    expect((await finish()).status).toBe(200);
  });

  test('goes on when its caller is gone, who reads later what it came to', async () => {
    const socket = await t.connect(team.admin.token);
    await caughtUp(socket);
    const gone = new AbortController();
    const importId = uuidV7();
    const request = fetch(`${t.origin}${createMultipleUsers.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: team.admin.token },
      body: JSON.stringify({ userData: rows(12), importId }),
      signal: gone.signal,
    });
    await socket.next('import_progress');
    gone.abort();
    await expect(request).rejects.toThrow();
    await waitUntil(async () => (await stateOf(importId)).state === 'users');
    expect(await stateOf(importId)).toMatchObject({
      outcome: { created: rows(12).map(({ identifier }) => ({ identifier })) },
    });
    expect((await logins()).length).toBe(16);
  });

  test('leaves neither names nor logins nor passwords in the log', async () => {
    await importUsers([row('Discreet', { password: 'hush hush' }), row('Discreet', { identifier: 'none' })]);
    expect(JSON.stringify(t.logLines)).not.toMatch(/discreet|hush/iu);
  });

  test('keeps others quick: a sign-in and a call meanwhile are answered before its end', async () => {
    const { finish } = await underWay(200);
    await t.signIn(team.ana);
    await t.call(createChannel, { channelName: 'Ouest' }, team.admin.token);
    expect((await finish()).status).toBe(200);
  });
});

test('the end of the server cancels an import in order', async () => {
  const passwords = holdable(await CHEAP_PASSWORDS);
  const t = await buildTestApp({ passwords });
  const admin = await t.signUp('Admin');
  const socket = await t.connect(admin.token);
  await caughtUp(socket);
  passwords.hold();
  const answer = t.call(createMultipleUsers, { userData: rows(300, { canal: '' }) }, admin.token);
  await socket.next('import_progress');
  await t.close();
  expect([(await answer).status, (await answer).body.code]).toEqual([503, 'unavailable']);
  expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('what an import came to is known for an hour', async () => {
  let time = new Date('2026-03-01T10:00:00Z');
  const t = await buildTestApp({ now: () => time });
  const { token } = await t.signUp('Admin');
  const importId = uuidV7();
  await t.call(createMultipleUsers, { userData: [], importId }, token);
  const ask = async () => (await t.call(getImport, { importId }, token)).status;
  time = new Date('2026-03-01T10:59:00Z');
  expect(await ask()).toBe(200);
  time = new Date('2026-03-01T11:01:00Z');
  expect(await ask()).toBe(404);
  await t.close();
});
