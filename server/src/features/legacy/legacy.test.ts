import { randomUUID } from 'node:crypto';
import { TOKEN_HEADER } from '@pressel/contract/call';
import type { CallId } from '@pressel/contract/calls';
import {
  getAllMaterialTypes,
  getDeviceByMacAddress,
  getFriendList,
  getInvitationList,
  getSentInvitation,
  getUserCallEvents,
  getUserEndCallEvents,
} from '@pressel/contract/legacy';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { devices, invitations, materialTypes } from '#src/db/schema/legacy.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

/** Ana calls Bo, who takes the call and hangs up. */
async function talk(): Promise<CallId> {
  const [ana, bo] = [await t.connect(team.ana.token), await t.connect(team.bo.token)];
  await caughtUp(ana, bo);
  const started = await ana.send('call_start', { userId: team.bo.id });
  if (!started.ok) throw new Error(started.code);
  const { callId } = started.data;
  expect(await bo.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
  expect(await bo.send('call_end', { callId })).toEqual({ ok: true, data: {} });
  return callId;
}

const person = (name: string, id: string) => ({ id, display_name: `${name} Test` });

test('[RING11] each call is there under its path, with and without a slash at its end, and is empty for a new team', async () => {
  const { id, token } = team.ana;
  const callId = await talk();
  for (const [method, path, payload] of [
    ['POST', '/user/api/getSentInvitation', { aUserId: id }],
    ['POST', '/user/api/getUserEndCallEventsByCallId', { callId }],
    ['POST', '/user/api/getUserCallEvents', { userId: id }],
    ['POST', '/user/api/getmyfriendlists', { idUser: id }],
    ['POST', '/user/api/getinvitationlists', { idUser: id }],
    ['GET', '/device/getAllMaterialTypes', undefined],
    ['POST', '/device/getDeviceByMacAddress', { macAddress: '00:11:22:33:44:55' }],
  ] as const) {
    for (const url of [path, `${path}/`]) {
      const response = await t.app.inject({
        method,
        url,
        headers: { [TOKEN_HEADER]: token },
        ...(payload === undefined ? {} : { payload }),
      });
      expect([url, response.statusCode, response.json().success]).toEqual([url, 200, true]);
    }
  }
  const { id: outId, token: outToken } = team.out;
  expect((await t.call(getUserCallEvents, { userId: outId }, outToken)).body.res).toEqual([]);
  expect((await t.call(getFriendList, { idUser: outId }, outToken)).body.res).toEqual([]);
  expect((await t.call(getSentInvitation, { aUserId: outId }, outToken)).body.res).toEqual([]);
  expect((await t.call(getInvitationList, { idUser: outId }, outToken)).body.res).toEqual([]);
  expect((await t.call(getAllMaterialTypes, undefined, outToken)).body.res).toEqual([]);
});

describe('[RING10] the events of a call', () => {
  test('are told to the two of it, newest first, and its end by its id', async () => {
    const callId = await talk();
    const parties = { caller: person('Ana', team.ana.id), callee: person('Bo', team.bo.id), callId };
    const end = { ...parties, type: 'end', reason: 'hung_up', rejection: null };
    const open = { reason: null, rejection: null };
    for (const { id, token } of [team.ana, team.bo]) {
      const { body } = await t.call(getUserCallEvents, { userId: id }, token);
      expect(body.res).toMatchObject([
        end,
        { ...parties, type: 'accept', ...open },
        { ...parties, type: 'ring', ...open },
      ]);
      expect((await t.call(getUserEndCallEvents, { callId }, token)).body.res).toMatchObject([end]);
    }
  });

  test('are nobody else’s, not even an administrator’s', async () => {
    const callId = await talk();
    for (const { token } of [team.admin, team.out]) {
      expect((await t.call(getUserEndCallEvents, { callId }, token)).body.code).toBe('not_found');
    }
    expect((await t.call(getUserCallEvents, { userId: team.admin.id }, team.admin.token)).body.res).toEqual([]);
    const unknown = randomUUID() as CallId;
    expect((await t.call(getUserEndCallEvents, { callId: unknown }, team.ana.token)).body.code).toBe('not_found');
  });
});

test('[RING10] who calls and who takes the call become contacts of each other', async () => {
  await talk();
  const friendsOf = async ({ id, token }: { id: typeof team.ana.id; token: string }) =>
    (await t.call(getFriendList, { idUser: id }, token)).body.res;
  expect(await friendsOf(team.ana)).toMatchObject([{ id: team.bo.id, firstName: 'Bo', display_name: 'Bo Test' }]);
  expect(await friendsOf(team.bo)).toMatchObject([{ id: team.ana.id }]);
  expect(await friendsOf(team.admin)).toEqual([]);
});

test('[RING11] nobody reads what is somebody else’s, not even an administrator', async () => {
  const { id } = team.ana;
  for (const { token } of [team.bo, team.admin]) {
    const refused = [
      await t.call(getSentInvitation, { aUserId: id }, token),
      await t.call(getInvitationList, { idUser: id }, token),
      await t.call(getFriendList, { idUser: id }, token),
      await t.call(getUserCallEvents, { userId: id }, token),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [403, 'forbidden']));
  }
});

test('[RING11] invitations are listed for who sent and who got them', async () => {
  const row = { fromId: team.ana.id, toId: team.bo.id, createdAt: new Date(), state: 'pending' as const };
  await t.database.db.insert(invitations).values({ ...row, id: uuidV7() });
  const told = [{ from: person('Ana', team.ana.id), to: person('Bo', team.bo.id), state: 'pending' }];
  const sent = async ({ id, token }: typeof team.ana) =>
    (await t.call(getSentInvitation, { aUserId: id }, token)).body.res;
  const got = async ({ id, token }: typeof team.ana) =>
    (await t.call(getInvitationList, { idUser: id }, token)).body.res;
  expect(await sent(team.ana)).toMatchObject(told);
  expect(await got(team.ana)).toEqual([]);
  expect(await sent(team.bo)).toEqual([]);
  expect(await got(team.bo)).toMatchObject(told);
});

describe('[RING11] devices', () => {
  const byMac = async (macAddress: string, token: string) =>
    (await t.call(getDeviceByMacAddress, { macAddress }, token)).body.res;
  beforeEach(async () => {
    const [type] = await t.database.db.insert(materialTypes).values({ id: uuidV7(), name: 'Radio' }).returning();
    await t.database.db.insert(devices).values({
      id: uuidV7(),
      displayName: 'Radio 7',
      macAddress: 'aa:bb:cc:00:11:22',
      typeId: type?.id ?? null,
      manufacturer: 'Acme',
      productRef: 'R-7',
      ownerId: team.ana.id,
      createdAt: new Date(),
    });
  });

  test('are found by their address, however it is written, by their owner and by administrators', async () => {
    const told = {
      display_name: 'Radio 7',
      macAddress: 'aa:bb:cc:00:11:22',
      type: { name: 'Radio' },
      productRef: 'R-7',
    };
    expect(await byMac('AA-BB-CC-00-11-22', team.ana.token)).toMatchObject(told);
    expect(await byMac('aabbcc001122', team.admin.token)).toMatchObject(told);
    expect(await byMac('aa:bb:cc:00:11:22', team.bo.token)).toBeNull();
    expect(await byMac('00:00:00:00:00:00', team.admin.token)).toBeNull();
  });

  test('have types, and an address is one', async () => {
    const { body } = await t.call(getAllMaterialTypes, undefined, team.bo.token);
    expect(body.res).toMatchObject([{ name: 'Radio' }]);
    for (const macAddress of ['', 'x', 'aa:bb:cc', 'gg:bb:cc:00:11:22']) {
      expect((await t.call(getDeviceByMacAddress, { macAddress }, team.bo.token)).body.code).toBe('malformed');
    }
  });
});
