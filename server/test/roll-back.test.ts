import { globSync, readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import type { Call } from '@pressel/contract/call';
import type { CallId } from '@pressel/contract/calls';
import { getAllChannels, getUsersInChannel, updateChannel } from '@pressel/contract/channels';
import { sendMessage } from '@pressel/contract/chat';
import { getUserCallEvents } from '@pressel/contract/legacy';
import { getAllUsers, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invitations } from '#src/db/schema/legacy.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from './build-test-app.ts';
import { contractCalls } from './contract-calls.ts';
import { caughtUp, join, makeTeam, type Team } from './factories.ts';
import { makeLink } from './guests.ts';
import { giveMapRight, PARIS } from './positions.ts';
import { prove } from './proof.ts';
import type { TestSocket } from './socket-client.ts';

/** A newer version ran on this database and was rolled back: each column of known words has a value that is unknown here. */
describe('[LIST13] after a roll-back', () => {
  let t: TestApp;
  let team: Team;
  let callId: CallId;
  let messageId: string;
  let inRoom: TestSocket;

  const query = async (statement: string) => (await t.database.db.execute(sql.raw(statement))).rows;

  beforeAll(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
    const { admin, ana, bo, nord } = team;
    await giveMapRight(t, admin, [ana, bo]);
    await makeLink(t, admin, nord);
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await t.call(
      uploadUserPhoto,
      { userId: ana.id, photo_url: `data:image/png;base64,${png.toString('base64')}` },
      ana.token,
    );
    messageId = (await t.call(sendMessage, { channelId: nord, message: 'Bien reçu' }, ana.token)).body.message.id;
    const [caller, callee] = [await t.connect(ana.token), await t.connect(bo.token)];
    await caughtUp(caller, callee);
    const started = await caller.send('call_start', { userId: bo.id });
    if (!started.ok) throw new Error(started.code);
    callId = started.data.callId;
    await callee.send('call_reject', { callId, rejection: 'call_back' });
    await caller.send('position_update', PARIS);
    inRoom = callee;
    await join(inRoom, 'Nord');
    await t.database.db
      .insert(invitations)
      .values({ id: uuidV7(), fromId: ana.id, toId: bo.id, createdAt: new Date() });

    await query(`update users set role = 'dispatcher' where id = '${ana.id}'`);
    await query(`update user_photos set type = 'image/avif'`);
    await query(`update channels set talk_mode = 'relay' where id = '${nord}'`);
    await query(`update user_sockets set video = 'hologram' where socket_id = '${inRoom.id}'`);
    await query(`update calls set reason = 'transferred', rejection = 'later'`);
    await query(`update call_events set type = 'hold' where type = 'ring'`);
    await query(`update invitations set state = 'withdrawn'`);
    await query(`update sessions set browser = 'Ladybird', system = 'Haiku' where user_id = '${ana.id}'`);
    for (const isAudit of [false, true]) {
      await query(`insert into activities (id, type, is_audit, user_id, channel_id, channel_name, details, created_at)
        values (gen_random_uuid(), 'wave', ${isAudit}, '${ana.id}', '${nord}', 'Nord', '{"height": "3 m"}', now() + interval '1 hour')`);
    }
    await query(`update activities set details = '{"end": "abducted"}' where type = 'call_missed'`);
  });
  afterAll(() => t.close());

  /** The body that somebody sends with each call that reads. */
  const bodiesOf = ({ id }: Person): Record<string, object | undefined> => {
    const { admin, ana, nord: channelId } = team;
    return {
      ...{
        getAllActivities: { scope: 'all' },
        getLastActivities: { scope: 'all' },
        getPasswordProof: {},
        getCalls: {},
      },
      ...{ getServerInfo: undefined, getUserSessions: { userId: id }, getMissedCalls: {}, getAllChannels: {} },
      ...{ getChannelIds: {}, getUsersInChannel: { channelId }, getChannelMessages: { channelId } },
      ...{ getMessageReaders: { msgId: messageId }, getUnreadCounts: {}, searchMessages: { channelId, text: 'reçu' } },
      ...{ getDashboard: {}, getGuestLinks: { channelId }, getInvitation: { token: 'none' } },
      ...{ getAllMaterialTypes: undefined, getDeviceByMacAddress: { macAddress: '02:00:5e:10:00:07' } },
      ...{ getFriendList: { idUser: id }, getInvitationList: { idUser: id }, getSentInvitation: { aUserId: id } },
      ...{ getUserCallEvents: { userId: id }, getUserEndCallEvents: { callId } },
      ...{ getChannelPositions: { channelId }, getMapSettings: { channelId } },
      ...{ getUserTrail: { channelId, userId: ana.id }, lookUpPosition: { channelId, userId: ana.id } },
      ...{ getChannelsToExport: {}, getImport: { importId: admin.id }, getListUsersToExport: {}, listImports: {} },
      ...{ getAllUsers: {}, getUserById: { userId: id }, getUserIds: { filter: 'a' } },
    };
  };
  /** There is no such import, and the other call belongs to two other users. */
  const NOT_FOUND = { getImport: ['Admin'], getUserEndCallEvents: ['Admin'] } as Record<string, string[] | undefined>;
  const isRead = ([name]: readonly [string, Call]) => /^(?:get|list|lookUp|search)/u.test(name);

  test.each(Object.entries(contractCalls).filter(isRead))(
    '%s answers administrators and members as before',
    async (name, call) => {
      for (const [who, person] of Object.entries({ Admin: team.admin, Ana: team.ana, Bo: team.bo })) {
        const given = bodiesOf(person);
        expect(Object.keys(given), 'Say here what this call is sent').toContain(name);
        const { status, body } = await t.call(call, given[name] as never, person.token);
        const isForbidden = call.access === 'admin' && who !== 'Admin';
        const expected = isForbidden ? 403 : NOT_FOUND[name]?.includes(who) === true ? 404 : 200;
        expect(status, `${name} to ${who}: ${JSON.stringify(body)}`).toBe(expected);
      }
    },
  );

  test('an unknown word is read as the nearest one that gives no rights', async () => {
    const { res } = (await t.call(getAllUsers, {}, team.admin.token)).body;
    const ana = res.find(({ id }) => id === team.ana.id);
    expect(ana).toMatchObject({ role: 'member', userActivities: [{ type: 'position_update' }] });
    const [nord] = (await t.call(getAllChannels, {}, team.admin.token)).body.res;
    expect(nord).toMatchObject({ talkMode: 'single', userActivities: [] });
    const members = (await t.call(getUsersInChannel, { channelId: team.nord }, team.ana.token)).body.res;
    expect(members.map(({ role }) => role)).toEqual(['member', 'member']);
    const events = (await t.call(getUserCallEvents, { userId: team.bo.id }, team.bo.token)).body.res;
    expect(events).toMatchObject([{ type: 'end', reason: 'lost', rejection: null }]);
    expect((await t.call(getAllUsers, {}, team.ana.token)).status).toBe(403);
    const photo = await t.app.inject({ url: String(ana?.photo_url) });
    expect([photo.statusCode, photo.headers['content-type']]).toEqual([200, 'image/webp']);
  });

  test('rooms, chat and calls go on', async () => {
    const ana = await t.connect(team.ana.token);
    const state = await join(ana, 'Nord');
    expect(state.self).toMatchObject({ role: 'member' });
    expect(state.channel.talkMode).toBe('single');
    expect(state.participants).toMatchObject([{ id: inRoom.id, video: 'off' }]);
    expect(await ana.send('message', { message: 'Ici' })).toMatchObject({ ok: true });
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    expect(await ana.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: true });
  });

  test('what isn’t changed stays as it is stored, for when the newer version is back', async () => {
    const { admin, ana, nord } = team;
    await prove(t, [admin]);
    const edit = { id: ana.id, firstName: 'Anna', lastName: 'Test' };
    expect((await t.call(updateUserData, edit, admin.token)).status).toBe(200);
    expect((await t.call(updateChannel, { channelId: nord, channelName: 'Nord 2' }, admin.token)).status).toBe(200);
    const stored = await query(
      `select role, talk_mode from users, channels where users.id = '${ana.id}' and channels.id = '${nord}'`,
    );
    expect(stored).toEqual([{ role: 'dispatcher', talk_mode: 'relay' }]);
  });
});

test('columns of known words are made by oneOf; those that no reply has say so here', () => {
  const folder = path(import.meta.dirname, '../src/db/schema');
  const found = globSync('*.ts', { cwd: folder }).flatMap((file) =>
    [...readFileSync(path(folder, file), 'utf8').matchAll(/text\('(\w+)', \{ enum/gu)].map(
      ([, name]) => `${file} ${name}`,
    ),
  );
  // The log's counts and the erasures are the server's own. `listCallEvents` leaves out events that it doesn't know.
  const own = ['kind', 'span', 'kind'].map((name) => `activities.ts ${name}`);
  expect(found.toSorted()).toEqual([...own, 'calls.ts type', 'server.ts kind'].toSorted());
});
