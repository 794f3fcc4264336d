import { request } from 'node:http';
import { deleteUserTokens, isValidToken, logIn } from '@pressel/contract/auth';
import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import {
  addUserToChannel,
  createChannel,
  deleteChannel,
  deleteChannels,
  deleteUserFromChannel,
  getAllChannels,
  removeUserChannels,
  updateChannel,
  updateChannelUsers,
  updateUserChannels,
  updateUserChannelsByChannelName,
} from '@pressel/contract/channels';
import { createGuestLink, withdrawGuestLink } from '@pressel/contract/guests';
import { createMultipleChannels, createMultipleUsers } from '@pressel/contract/transfer';
import { changeUsers, deleteUser, getAllUsers, updatePasswordUser, updateUserData } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockAccounts } from '#src/history/change.ts';
import { buildTestApp, PASSWORD, type TestApp } from './build-test-app.ts';
import { contractCalls } from './contract-calls.ts';
import { makeTeam, type Team } from './factories.ts';
import { makeLink } from './guests.ts';
import { prove } from './proof.ts';
import { waitUntil } from './wait-until.ts';

const WAITING = sql`(select 1 from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())) as waiting`;

/** Administrators' calls without this lock: they read, or concern the log and the caller's own import. */
const OTHER_CALLS = [
  ...['checkImport', 'exportActivities', 'getAllActivities', 'getAllUsers', 'getChannelIds', 'getChannelsToExport'],
  ...['getGuestLinks', 'getImport', 'getLastActivities', 'getListUsersToExport', 'getMessageReaders', 'getUserIds'],
  ...['listImports', 'cancelImport', 'deleteOldActivities'],
];
/** A row of a sheet. */
const MINE = {
  ...{ firstName: 'Mine', lastName: 'Mine', identifier: 'mine@example.org', pseudo: '', password: 'wachtwoord' },
  ...{ mapRight: '', canal: '', phoneNumber: '', role: '' },
};

describe('who may no longer do a thing while it is under way', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const roleOf = (role: 'admin' | 'member', id: Team['bo']['id']) => ({ id, firstName: 'Bo', lastName: 'Test', role });
  const edit = (role: 'admin' | 'member', id: Team['bo']['id'], token: string) =>
    t.call(updateUserData, roleOf(role, id), token);

  /** Makes calls that are all admitted before the first of them is done. They are done in this order. */
  async function inTurn(calls: readonly (() => Promise<{ status: number }>)[]): Promise<{ status: number }[]> {
    const replies: Promise<{ status: number }>[] = [];
    await t.database.db.transaction(async (tx) => {
      await lockAccounts(tx);
      for (const call of calls) {
        replies.push(call());
        await waitUntil(async () => (await tx.$count(WAITING)) === replies.length);
      }
    });
    return Promise.all(replies);
  }

  const act = <C extends Call>(what: string, call: C, body: () => CallInput<C> | Promise<CallInput<C>>) => ({
    what,
    call: call as Call,
    ask: async () => {
      const input = await body();
      return (token: string): Promise<{ status: number }> => t.call(call, input, token);
    },
  });
  const acts = [
    act('makes themselves one again', updateUserData, () => roleOf('admin', team.bo.id)),
    act('makes a friend one', updateUserData, () => roleOf('admin', team.ana.id)),
    act('sets a password', updatePasswordUser, () => ({ id: team.admin.id, password: 'theirs' })),
    act('deletes users', changeUsers, () => ({ userIds: [team.out.id], change: { type: 'delete' as const } })),
    act('deletes a user', deleteUser, () => ({ UserId: team.out.id })),
    act('ends the sessions of others', deleteUserTokens, () => ({ userId: team.admin.id })),
    act('adds a member', addUserToChannel, () => ({ userId: team.out.id, channelId: team.nord })),
    act('removes a member', deleteUserFromChannel, () => ({ userId: team.ana.id, channelId: team.nord })),
    act('sets the members of a channel', updateUserChannels, () => ({
      userList: [team.out.id],
      channelId: team.nord,
    })),
    act('sets the channels of a user', updateChannelUsers, () => ({ userId: team.out.id, channelList: [team.nord] })),
    act('sets the channels of a user by their names', updateUserChannelsByChannelName, () => ({
      userIdentifier: team.out.email,
      channelNames: ['Nord'],
    })),
    act('takes a user out of all channels', removeUserChannels, () => ({ userIdentifier: team.out.email })),
    act('makes a channel', createChannel, () => ({ channelName: 'Mine' })),
    act('renames a channel', updateChannel, () => ({ channelId: team.nord, channelName: 'Mine' })),
    act('deletes a channel', deleteChannel, () => ({ channelId: team.nord })),
    act('deletes channels', deleteChannels, () => ({ channelIds: [team.nord] })),
    act('makes a guest link', createGuestLink, () => ({ channelId: team.nord, name: 'Mine', hours: 8 as const })),
    act('withdraws a guest link', withdrawGuestLink, async () => ({
      linkId: (await makeLink(t, team.admin, team.nord)).id,
    })),
    act('imports users', createMultipleUsers, () => ({ userData: [MINE] })),
    act('imports channels', createMultipleChannels, () => ({ channelData: [{ name: 'Mine' }] })),
  ];
  /** All accounts, channels and memberships. */
  const everything = async () => ({
    users: (await t.call(getAllUsers, {}, team.admin.token)).body.res.map(({ id, role, channels }) => [
      id,
      role,
      channels,
    ]),
    channels: (await t.call(getAllChannels, {}, team.admin.token)).body.res.map(({ name, users }) => [name, users]),
  });

  test.each(acts)('an administrator who is demoted no longer $what', async ({ ask }) => {
    const again = await ask();
    const before = await everything();
    await edit('admin', team.bo.id, team.admin.token);
    const token = await t.signIn(team.bo);
    await prove(t, [team.bo]);
    const asked = await inTurn([() => edit('member', team.bo.id, team.admin.token), () => again(token)]);
    expect(asked.map(({ status }) => status)).toEqual([200, 403]);
    expect(await everything()).toEqual(before);
  });

  test('all calls of administrators that change accounts, channels, memberships or links are among those above', () => {
    const tried = new Set(acts.map(({ call }) => call));
    const others = Object.entries(contractCalls).filter(([, call]) => call.access === 'admin' && !tried.has(call));
    expect(others.map(([name]) => name).sort()).toEqual(OTHER_CALLS.toSorted());
  });

  test('a password that was changed opens no session that was being opened with it', async () => {
    const signIns = Array.from({ length: 6 }, () =>
      t.call(logIn, { user_email: team.bo.email, user_password: PASSWORD }),
    );
    const changed = t.call(updatePasswordUser, { id: team.bo.id, password: 'another' }, team.admin.token);
    const opened = (await Promise.all(signIns)).filter(({ status }) => status === 200);
    await changed;
    for (const { body } of opened) {
      const { authToken } = body.user;
      expect((await t.call(isValidToken, { token: authToken })).body.success).toBe(false);
    }
  });

  test('an account that is deleted while its owner signs in is one with a wrong password', async () => {
    const signIns = Array.from({ length: 6 }, () =>
      t.call(logIn, { user_email: team.bo.email, user_password: PASSWORD }),
    );
    await t.call(deleteUser, { UserId: team.bo.id }, team.admin.token);
    for (const { status } of await Promise.all(signIns)) expect([200, 401]).toContain(status);
  });

  test('a body that comes after its sender was demoted does nothing', async () => {
    await edit('admin', team.bo.id, team.admin.token);
    const token = await t.signIn(team.bo);
    const body = JSON.stringify({ channelName: 'Late' });
    const call = request(`${t.origin}${createChannel.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
        [TOKEN_HEADER]: token,
      },
    });
    const status = new Promise((resolve, reject) => {
      call.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    const accepted = new Promise((resolve) => call.once('continue', resolve));
    call.flushHeaders();
    await accepted;
    // The server authenticates before it reads the rest: once the same process answers this call, it has done so.
    await t.call(isValidToken, { token });
    await edit('member', team.bo.id, team.admin.token);
    call.end(body);
    expect([401, 403]).toContain(await status);
    const { res } = (await t.call(getAllChannels, {}, team.admin.token)).body;
    expect(res.map(({ name }) => name)).toEqual(['Nord', 'Sud']);
  });

  test('two imports of the same channels in another order both come to their end', async () => {
    await edit('admin', team.bo.id, team.admin.token);
    const token = await t.signIn(team.bo);
    const channelData = Array.from({ length: 1_500 }, (_, index) => ({ name: `Canal ${index}` }));
    const both = await Promise.all([
      t.call(createMultipleChannels, { channelData }, team.admin.token),
      t.call(createMultipleChannels, { channelData: channelData.toReversed() }, token),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.flatMap(({ body }) => body.channelsCreated).length).toBe(1_500);
  });
});
