import { getAllActivities, getLastActivities } from '@pressel/contract/activities';
import { auditType } from '@pressel/contract/activity-types';
import { deleteUserTokens, endSession, getUserSessions, logIn, logOut, verifyPassword } from '@pressel/contract/auth';
import {
  addUserToChannel,
  createChannel,
  deleteChannel,
  deleteUserFromChannel,
  updateChannel,
} from '@pressel/contract/channels';
import { sendMessage } from '@pressel/contract/chat';
import { createMultipleUsers, getListUsersToExport } from '@pressel/contract/transfer';
import {
  changeUsers,
  deleteUser,
  getAllUsers,
  updatePasswordUser,
  updateUserData,
  uploadUserPhoto,
} from '@pressel/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ActivityWatch, brief, watchActivities } from '#test/activity-watch.ts';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

describe('every act is put down once', () => {
  let t: TestApp;
  let team: Team;
  let log: ActivityWatch['log'];
  let added: ActivityWatch['added'];
  let brieflyAdded: ActivityWatch['brieflyAdded'];
  beforeAll(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
    ({ log, added, brieflyAdded } = watchActivities(t, team));
  });
  afterAll(() => t.close());

  test('[LOG1] an account: made, changed field by field, given rights, deleted', async () => {
    let id = team.bo.id;
    expect(
      await brieflyAdded(async () => {
        id = (await t.signUp('Cleo', team.admin.token)).id;
      }),
    ).toEqual([
      {
        type: 'user_creation',
        by: 'Admin Test',
        target: 'Cleo Test',
        details: { login: 'cleo@example.org', role: 'member', mapRight: false, channels: 0, by: 'administrator' },
      },
      { type: 'login', by: 'Cleo Test' },
    ]);
    const edit = { id, firstName: 'Cléo', lastName: 'Test', pseudo: '', phone_number: '', password: 'geheim' };
    const edited = await added(() =>
      t.call(updateUserData, { ...edit, role: 'admin', mapRight: true }, team.admin.token),
    );
    expect(edited.map(brief)).toEqual([
      {
        type: 'user_update',
        by: 'Admin Test',
        target: 'Cléo Test',
        details: { changes: [{ field: 'firstName', from: 'Cleo', to: 'Cléo' }] },
      },
      { type: 'role_change', by: 'Admin Test', target: 'Cléo Test', details: { from: 'member', to: 'admin' } },
      { type: 'map_right_change', by: 'Admin Test', target: 'Cléo Test', details: { from: false, to: true } },
      { type: 'password_change', by: 'Admin Test', target: 'Cléo Test' },
    ]);
    // The log never has a password.
    expect(JSON.stringify(edited)).not.toContain('geheim');
    expect(edited.map(({ address }) => address)).toEqual(Array(4).fill('127.0.0.1'));
    const change = { userIds: [id], change: { type: 'setMapRight', mapRight: true } } as const;
    const again = { ...change, userIds: [...change.userIds] };
    expect(await brieflyAdded(() => t.call(changeUsers, again, team.admin.token))).toEqual([]);
    await t.call(logIn, { user_email: 'cleo@example.org', user_password: 'geheim' });
    expect(await brieflyAdded(() => t.call(deleteUserTokens, { userId: id }, team.admin.token))).toEqual([
      { type: 'session_end', by: 'Admin Test', target: 'Cléo Test' },
    ]);
    expect(await brieflyAdded(() => t.call(deleteUser, { UserId: id }, team.admin.token))).toEqual([
      {
        type: 'user_delete',
        by: 'Admin Test',
        target: 'Cléo Test',
        details: { login: 'cleo@example.org', role: 'admin', channels: 0 },
      },
    ]);
  });

  test('[LOG1] [LOG6] a channel and its members', async () => {
    const { token } = team.admin;
    let channelId = team.nord;
    const by = 'Admin Test';
    expect(
      await brieflyAdded(async () => {
        const { body } = await t.call(createChannel, { channelName: 'Est', userList: [team.ana.id] }, token);
        channelId = body.res.id;
      }),
    ).toEqual([
      { type: 'channel_creation', by, channel: 'Est', details: { members: 1 } },
      { type: 'membership_add', by, target: 'Ana Test', channel: 'Est' },
    ]);
    const bo = { userId: team.bo.id, channelId };
    // Simultaneous calls make one membership and one entry.
    expect(await brieflyAdded(() => Promise.all([1, 2, 3].map(() => t.call(addUserToChannel, bo, token))))).toEqual([
      { type: 'membership_add', by, target: 'Bo Test', channel: 'Est' },
    ]);
    expect(await brieflyAdded(() => t.call(deleteUserFromChannel, bo, token))).toEqual([
      { type: 'membership_remove', by, target: 'Bo Test', channel: 'Est' },
    ]);
    expect(
      await brieflyAdded(() => t.call(updateChannel, { channelId, channelName: 'Ost', talkMode: 'open' }, token)),
    ).toEqual([
      {
        type: 'channel_update',
        by,
        channel: 'Ost',
        details: {
          changes: [
            { field: 'channelName', from: 'Est', to: 'Ost' },
            { field: 'talkMode', from: 'single', to: 'open' },
          ],
        },
      },
    ]);
    expect(await brieflyAdded(() => t.call(deleteChannel, { channelId }, token))).toEqual([
      { type: 'channel_delete', by, channel: 'Ost', details: { members: 1 } },
    ]);
  });

  test('[LOG6] memberships that end with their user are told by number, and so are those of a deleted channel', async () => {
    const { token } = team.admin;
    const dora = await t.signUp('Dora', token);
    for (const channelName of ['Un', 'Deux']) {
      await t.call(createChannel, { channelName, userList: [dora.id, team.ana.id] }, token);
    }
    expect(await brieflyAdded(() => t.call(deleteUser, { UserId: dora.id }, token))).toEqual([
      {
        type: 'user_delete',
        by: 'Admin Test',
        target: 'Dora Test',
        details: { login: 'dora@example.org', role: 'member', channels: 2 },
      },
    ]);
  });

  test('[LOG3] an entry keeps the names of then, whoever is renamed or deleted', async () => {
    const { token } = team.admin;
    const emil = await t.signUp('Emil', token);
    const { body } = await t.call(createChannel, { channelName: 'Quai', userList: [emil.id] }, token);
    const channelId = body.res.id;
    const entries = await added(async () => {
      await t.call(sendMessage, { channelId, message: 'Là' }, emil.token);
      await t.call(addUserToChannel, { userId: team.bo.id, channelId }, token);
    });
    const names = entries.map(brief);
    expect(names).toEqual([
      { type: 'message_send', by: 'Emil Test', channel: 'Quai' },
      { type: 'membership_add', by: 'Admin Test', target: 'Bo Test', channel: 'Quai' },
    ]);
    const kept = async () => (await log()).filter(({ id }) => entries.some((one) => one.id === id)).toReversed();
    await t.call(updateUserData, { id: emil.id, firstName: 'Émile', lastName: 'T.', pseudo: 'Mimi' }, token);
    await t.call(updateChannel, { channelId, channelName: 'Port' }, token);
    expect(await kept()).toEqual(entries);
    await t.call(deleteUser, { UserId: emil.id }, token);
    await t.call(deleteChannel, { channelId }, token);
    expect(await kept()).toEqual(entries);
  });

  test('[LOG20] the log is for administrators, who get the specification’s types unless they ask for others', async () => {
    await t.call(updateUserData, { id: team.ana.id, firstName: 'Ana', lastName: 'Test', pseudo: 'A' }, team.ana.token);
    await t.call(updateUserData, { id: team.ana.id, firstName: 'Ana', lastName: 'Test', pseudo: '' }, team.ana.token);
    const isAudit = ({ type }: { type: string }) => auditType.safeParse(type).success;
    for (const [query, expected] of [
      [{}, [false]],
      [{ scope: 'audit' }, [true]],
      [{ scope: 'all' }, [true, false]],
    ] as const) {
      const last = (await t.call(getLastActivities, { ...query, limit: 200 }, team.admin.token)).body.res;
      const page = (await t.call(getAllActivities, { ...query, limit: 200 }, team.admin.token)).body.res.activities;
      for (const list of [last, page])
        expect(new Set(list.map(isAudit)), JSON.stringify(query)).toEqual(new Set(expected));
    }
    const types = ['user_update'] as const;
    const page = (await t.call(getAllActivities, { types: [...types] }, team.admin.token)).body.res.activities;
    expect(new Set(page.map(({ type }) => type))).toEqual(new Set(types));
    // Ana's last act is an entry for auditors, so a list shows the one before.
    const { res } = (await t.call(getAllUsers, { filter: 'ana@' }, team.admin.token)).body;
    expect(res[0]?.userActivities).toMatchObject([{ type: 'login' }]);
    for (const call of [getLastActivities, getAllActivities]) {
      expect((await t.call(call, { scope: 'all' }, team.ana.token)).status).toBe(403);
    }
  });

  test('[LOG2] what fails is not put down', async () => {
    const { token } = team.admin;
    expect(
      await brieflyAdded(async () => {
        await t.call(createChannel, { channelName: 'Nord' }, token);
        await t.call(updateChannel, { channelId: team.nord, channelName: 'Sud' }, token);
        await t.call(deleteUser, { UserId: team.admin.id }, token);
        await t.call(deleteChannel, { channelId: team.nord }, team.ana.token);
        await t.call(updatePasswordUser, { id: team.out.id, password: 'x' }, team.ana.token);
      }),
    ).toEqual([]);
  });

  test('[LOG2] what changes nothing is not put down', async () => {
    const { token } = team.admin;
    const absent = await t.signUp('Absent', token);
    await t.call(logOut, { userId: absent.id }, absent.token);
    expect(
      await brieflyAdded(async () => {
        const { status } = await t.call(updateChannel, { channelId: team.nord, channelName: 'Nord' }, token);
        const photo = await t.call(uploadUserPhoto, { userId: team.admin.id, photo_url: '' }, token);
        const ended = await t.call(deleteUserTokens, { userId: absent.id }, token);
        expect([status, photo.status, ended.status]).toEqual([200, 200, 200]);
      }),
    ).toEqual([]);
    await t.call(deleteUser, { UserId: absent.id }, token);
  });

  test('[LOG1] the end of a session is one entry, however often it is asked for at once', async () => {
    const { id, token } = await t.signUp('Leaving', team.admin.token);
    expect(
      await brieflyAdded(() => Promise.all([1, 2, 3, 4].map(() => t.call(logOut, { userId: id }, token)))),
    ).toEqual([{ type: 'logout', by: 'Leaving Test' }]);
    const other = await t.signUp('Sent', team.admin.token);
    expect(
      await brieflyAdded(() =>
        Promise.all([1, 2, 3].map(() => t.call(deleteUserTokens, { userId: other.id }, team.admin.token))),
      ),
    ).toEqual([{ type: 'session_end', by: 'Admin Test', target: 'Sent Test' }]);
    for (const UserId of [id, other.id]) await t.call(deleteUser, { UserId }, team.admin.token);
  });

  test('[LOG1] a session that is ended by somebody else while its owner signs out is one entry', async () => {
    // An account may try ten sign-ins at once from an address.
    const tokens = await Promise.all(Array.from({ length: 8 }, () => t.signIn(team.out)));
    const { body } = await t.call(getUserSessions, { userId: team.out.id }, tokens[0]);
    // The newest sessions are those that were just opened.
    const opened = body.res.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(0, tokens.length);
    const entries = await brieflyAdded(() =>
      Promise.all([
        ...opened.map(({ id }) => t.call(endSession, { sessionId: id }, team.admin.token)),
        ...tokens.map((token) => t.call(logOut, {}, token)),
      ]),
    );
    expect(entries).toHaveLength(tokens.length);
  });

  test('[LOG4] a talk, with how long it was and how it ended; how long somebody stayed', async () => {
    const entries = await added(async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      await ana.send('floor_release', { seq: 2 });
      await ana.send('floor_request', { seq: 3 });
      await ana.send('leave_room', {});
      await waitUntil(async () => (await log()).filter(({ type }) => type === 'channel_talk').length === 2);
    });
    expect(entries.map(({ type }) => type).toSorted()).toEqual([
      'channel_join',
      'channel_leave',
      'channel_talk',
      'channel_talk',
    ]);
    const ends = entries.flatMap((entry) => (entry.type === 'channel_talk' ? [entry.details?.end] : []));
    expect(ends.toSorted()).toEqual(['left', 'released']);
    for (const { type, details } of entries) {
      if (type !== 'channel_join') expect(details).toMatchObject({ durationMs: expect.any(Number) });
    }
  });

  test('[LOG22] a talk that ended before a page was read is not put in under it afterwards', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    // The first write may be about to come, the second one is half a second away.
    for (const seq of [1, 3]) {
      await ana.send('floor_request', { seq });
      await ana.send('floor_release', { seq: seq + 1 });
      await t.call(sendMessage, { channelId: team.nord, message: 'Bien reçu' }, team.ana.token);
      const newest = (await log()).slice(0, 2).map(({ type }) => type);
      expect(newest.toSorted()).toEqual(['channel_talk', 'message_send']);
    }
    await ana.send('leave_room', {});
  });

  test('[LOG30] failed sign-ins: of an account by its name, of an unknown login without it, and several as one', async () => {
    const attempt = (user_email: string) => t.call(logIn, { user_email, user_password: 'falsch' });
    const entries = await added(async () => {
      for (let n = 0; n < 4; n += 1) await attempt(team.bo.email);
      await attempt('secret-typed-here@example.org');
      await attempt('another@example.org');
      await t.call(verifyPassword, { id: team.ana.id, password: 'falsch' }, team.ana.token);
    });
    expect(entries.map(brief)).toEqual([
      { type: 'sign_in_failure', by: null, target: 'Bo Test', details: { reason: 'password', count: 1 } },
      { type: 'sign_in_failure', by: null, details: { reason: 'unknown_login', count: 1 } },
      { type: 'sign_in_failure', by: 'Ana Test', target: 'Ana Test', details: { reason: 'proof', count: 1 } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/falsch|typed|another/u);
  });

  test('[LOG30] attempts that the rate limit refuses, as one', async () => {
    const entries = await added(async () => {
      for (let n = 0; n < 15; n += 1) await t.call(logIn, { user_email: team.out.email, user_password: 'falsch' });
    });
    expect(entries.map(brief)).toMatchObject([
      { type: 'sign_in_failure', by: null, details: { reason: 'password', count: 1 } },
      { type: 'sign_in_failure', by: null, target: 'Out Test', details: { reason: 'limited', count: 1 } },
    ]);
  });

  test('[LOG5] an import and an export, with their numbers; each account of an import', async () => {
    const row = {
      firstName: 'Eva',
      lastName: 'Test',
      pseudo: 'Eva',
      password: PASSWORD,
      mapRight: false,
      canal: 'Nord',
    };
    const userData = [
      { ...row, identifier: 'eva@example.org' },
      { ...row, identifier: '' },
    ];
    const [imported, created, ...rest] = await added(() => t.call(createMultipleUsers, { userData }, team.admin.token));
    expect([imported?.type, imported?.details]).toEqual([
      'user_import',
      { created: 1, existing: 0, rejected: 1, repeated: 0 },
    ]);
    expect([created?.type, created?.target?.display_name, created?.details]).toMatchObject([
      'user_creation',
      'Eva',
      { by: 'import', channels: 1 },
    ]);
    expect(rest).toEqual([]);
    const [exported] = await added(() => t.call(getListUsersToExport, {}, team.admin.token));
    expect(exported).toMatchObject({ type: 'user_export', details: { count: 5 } });
  });

  test('[LOG1] of eight sign-ins and sign-outs at once each is put down once', async () => {
    const entries = await added(async () => {
      const tokens = await Promise.all(Array.from({ length: 8 }, () => t.signIn(team.out)));
      await Promise.all(tokens.map((token) => t.call(logOut, {}, token)));
    });
    const count = (wanted: string) => entries.filter(({ type }) => type === wanted).length;
    expect([count('login'), count('logout'), entries.length]).toEqual([8, 8, 16]);
  });
});
