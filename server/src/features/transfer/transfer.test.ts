import { getAllChannels } from '@pressel/contract/channels';
import {
  checkImport,
  createMultipleChannels,
  createMultipleUsers,
  getChannelsToExport,
  getImport,
  getListUsersToExport,
} from '@pressel/contract/transfer';
import { deleteUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, makeChannel, makeTeam, type Team } from '#test/factories.ts';

describe('exports and imports', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const exportUsers = async () => (await t.call(getListUsersToExport, {}, team.admin.token)).body.res;
  const importChannels = (...names: (string | number | null)[]) =>
    t.call(createMultipleChannels, { channelData: names.map((name) => ({ name })) }, team.admin.token);

  test('users are exported by last name with their channels by name, and without password', async () => {
    await makeChannel(t, team.admin, 'Équipe 10', [team.ana.id]);
    await makeChannel(t, team.admin, 'équipe 9', [team.ana.id]);
    await makeChannel(t, team.admin, 'a;"b"', [team.ana.id]);
    const res = await exportUsers();
    expect(res.map(({ firstName }) => firstName)).toEqual(['Admin', 'Ana', 'Bo', 'Out']);
    expect(res[1]).toEqual({
      firstName: 'Ana',
      lastName: 'Test',
      identifier: 'ana@example.org',
      pseudo: '',
      password: '',
      mapRight: false,
      canal: '"a;""b""";équipe 9;Équipe 10;Nord',
      phoneNumber: '',
      role: 'member',
    });
  });

  test('channels are exported by name, numbers by value', async () => {
    for (const name of ['b 10', 'B 9', 'émeu', '=1+1']) await makeChannel(t, team.admin, name);
    expect((await t.call(getChannelsToExport, {}, team.admin.token)).body.res.map(({ name }) => name)).toEqual([
      '=1+1',
      'B 9',
      'b 10',
      'émeu',
      'Nord',
      'Sud',
    ]);
  });

  test('an export imported where it came from finds everybody there already', async () => {
    await makeChannel(t, team.admin, 'a;"b"', [team.ana.id]);
    const { body } = await t.call(createMultipleUsers, { userData: await exportUsers() }, team.admin.token);
    expect(body.existingUsers.map(({ name }) => name).length).toBe(4);
    expect([body.createdUsers, body.rejectedUsers, body.repeatedUsers]).toEqual([[], [], []]);
    const channels = (await t.call(getChannelsToExport, {}, team.admin.token)).body.res;
    const again = await t.call(createMultipleChannels, { channelData: channels }, team.admin.token);
    expect(again.body.existingChannels.map(({ name }) => name)).toEqual(['a;"b"', 'Nord', 'Sud']);
  });

  test('[IMP6 IMP21] an export whose passwords are filled in makes the same users of an emptied server', async () => {
    await makeChannel(t, team.admin, ' a;"b" ', [team.ana.id, team.out.id]);
    const before = await exportUsers();
    for (const { id } of [team.ana, team.bo, team.out]) await t.call(deleteUser, { UserId: id }, team.admin.token);
    const userData = before.map((row) => ({ ...row, password: PASSWORD, pseudo: row.pseudo }));
    const { body } = await t.call(createMultipleUsers, { userData }, team.admin.token);
    expect(body.createdUsers.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(await exportUsers()).toEqual(before);
    await t.signIn(team.ana);
  });

  test('[IMP30] a check says what exists, as it was sent, and what is near', async () => {
    const { body } = await t.call(
      checkImport,
      {
        identifiers: [' ANA@example.org', 'nobody@example.org', 'bo@example.org', '', '__proto__'],
        channelNames: ['N ord', 'nord', 'Sud', '', 'constructor'],
      },
      team.admin.token,
    );
    expect(body).toEqual({
      success: true,
      identifiers: [' ANA@example.org', 'bo@example.org'],
      channelNames: ['N ord', 'Sud'],
      near: [{ name: 'nord', near: ['Nord'] }],
    });
    expect((await t.call(checkImport, {}, team.admin.token)).body).toMatchObject({ identifiers: [], channelNames: [] });
  });

  test('a check of ten thousand is one call, one more is malformed', async () => {
    const identifiers = Array.from({ length: 10_000 }, (_, index) => `u${index}@example.org`);
    const { body } = await t.call(checkImport, { identifiers, channelNames: identifiers }, team.admin.token);
    expect(body).toMatchObject({ success: true, identifiers: [] });
    expect((await t.call(checkImport, { identifiers: [...identifiers, 'x'] }, team.admin.token)).status).toBe(400);
  });

  test('channels are stored with their activities, and each other row is named', async () => {
    const ana = await t.connect(team.ana.token);
    const socket = await t.connect(team.admin.token);
    await caughtUp(ana, socket);
    const { status, body } = await importChannels(' Ouest ', 'N ord', 'Ou est', '', '. .', 'x'.repeat(101), 12, 'Est');
    expect([status, body]).toMatchObject([
      200,
      {
        channelsCreated: [
          { row: 1, name: 'Ouest' },
          { row: 7, name: '12' },
          { row: 8, name: 'Est' },
        ],
        existingChannels: [{ row: 2, name: 'N ord' }],
        rejectedChannels: [
          { row: 4, name: '', faults: [{ field: 'name', code: 'missing' }] },
          { row: 5, name: '. .', faults: [{ field: 'name', code: 'reserved' }] },
          { row: 6, faults: [{ field: 'name', code: 'too_long' }] },
        ],
        repeatedChannels: [{ row: 3, name: 'Ou est' }],
      },
    ]);
    await socket.next('changed', ({ what }) => what === 'channels');
    await caughtUp(ana, socket);
    expect([ana.waiting('changed'), socket.waiting('changed')]).toEqual([[], []]);
    const { body: list } = await t.call(getAllChannels, {}, team.admin.token);
    expect(list.res.find(({ name }) => name === 'Ouest')).toMatchObject({ rtcSession: 'Ouest', talkMode: 'single' });
    expect((await activityLog(t)).slice(-3).toSorted()).toEqual([
      'channel_creation Admin 12',
      'channel_creation Admin Est',
      'channel_creation Admin Ouest',
    ]);
  });

  test('channels imported twice at once are stored once', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `C ${index}`);
    const token = await t.signIn(team.admin);
    const [first, second] = await Promise.all([
      importChannels(...names),
      t.call(createMultipleChannels, { channelData: names.map((name) => ({ name })) }, token),
    ]);
    // One user may run only one import at a time, so one of the two may have been refused.
    const created = [first, second].flatMap(({ body }) => (body.success ? body.channelsCreated : []));
    expect(created.length).toBe(600);
    expect((await t.call(getChannelsToExport, {}, team.admin.token)).body.res.length).toBe(602);
  });

  test('what an import of channels came to is kept', async () => {
    const importId = uuidV7();
    await t.call(createMultipleChannels, { channelData: [{ name: 'Est' }], importId }, team.admin.token);
    const { body } = await t.call(getImport, { importId }, team.admin.token);
    expect(body.res).toMatchObject({ state: 'channels', outcome: { created: [{ row: 1, name: 'Est' }] } });
    expect((await t.post(getImport.path, { importId: uuidV7() }, team.admin.token)).status).toBe(404);
  });

  test('what an import came to is not pushed out by small ones that follow', async () => {
    const importId = uuidV7();
    await t.call(createMultipleChannels, { channelData: [{ name: 'Est' }], importId }, team.admin.token);
    for (let index = 0; index < 60; index += 1) await importChannels(`C ${index}`);
    expect((await t.call(getImport, { importId }, team.admin.token)).status).toBe(200);
  });

  test('exports do not leave a password behind', async () => {
    expect(JSON.stringify(await exportUsers())).not.toContain('argon2');
  });
});
