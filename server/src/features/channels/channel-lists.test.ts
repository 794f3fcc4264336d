import { addUserToChannel, CHANNEL_COLUMNS, getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { MEMBERS_NAMED_MAX } from '@pressel/contract/limits';
import { NAMES_IN_ORDER } from '@pressel/contract/names-in-order';
import { updateUserPosition } from '@pressel/contract/positions';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities, activityHorizon } from '#src/db/schema/activities.ts';
import { channels } from '#src/db/schema/channels.ts';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { giveMapRight, PARIS } from '#test/positions.ts';

describe('the list of channels', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const list = async (payload: object, who: Person = team.admin) =>
    (await t.call(getAllChannels, payload as never, who.token)).body;
  const names = async (payload: object, who?: Person) => (await list(payload, who)).res.map(({ name }) => name);
  const members = async (payload: object, who: Person = team.admin) =>
    (await t.call(getUsersInChannel, { channelId: team.nord, ...payload } as never, who.token)).body;
  const memberNames = async (payload: object, who?: Person) =>
    (await members(payload, who)).res.map(({ firstName }) => firstName);
  const store = (rows: readonly Partial<typeof channels.$inferInsert>[]) =>
    t.database.db.insert(channels).values(
      rows.map((row, index) => ({
        id: uuidV7(),
        name: `Stored ${index}`,
        rtcSession: uuidV7(),
        createdAt: new Date('2020-01-01T00:00:00Z'),
        ...row,
      })),
    );

  test('[LIST3] those that are named come first, each part in the order asked for', async () => {
    await store([{ name: 'Est' }, { name: 'Ouest' }]);
    expect(await names({ first: [team.sud], limit: 9 })).toEqual(['Sud', 'Est', 'Nord', 'Ouest']);
    expect(await names({ first: [team.sud, team.nord], order: 'desc', start: 1, limit: 2 })).toEqual(['Nord', 'Ouest']);
    const malformed = await t.post(getAllChannels.path, { first: ['x'] }, team.admin.token);
    expect([malformed.status, malformed.body.code]).toEqual([400, 'malformed']);
  });

  describe('what happened last', () => {
    const happen = (n: number, values: Partial<typeof activities.$inferInsert>) =>
      t.database.db.insert(activities).values({
        ...{ id: uuidV7(), type: 'channel_talk', userId: team.ana.id, channelId: team.nord, channelName: 'Nord' },
        ...{ userFirstName: 'Ana', userDisplayName: 'Ana Test', createdAt: new Date(Date.now() + n * 1_000) },
        ...values,
      });
    const inChannels = async (payload: object, who?: Person) =>
      Object.fromEntries((await list(payload, who)).res.map(({ name, userActivities }) => [name, userActivities]));
    const ofMembers = async (who?: Person) =>
      Object.fromEntries(
        (await members({}, who)).res.map(({ firstName, userActivities }) => [firstName, userActivities]),
      );

    test('[LOG20] channels say it to administrators: the newest entry alone, none for auditors and none that is deleted', async () => {
      await happen(1, { type: 'message_send' });
      await happen(2, {});
      await happen(3, { type: 'membership_add', isAudit: true });
      await happen(4, { type: 'login', channelId: null, channelName: null });
      const expected = {
        Nord: [
          {
            ...{ id: expect.any(String), type: 'channel_talk', createdAt: expect.any(String) },
            ...{ channel: { name: 'Nord' }, user: { firstName: 'Ana', display_name: 'Ana Test' } },
          },
        ],
        Sud: [expect.objectContaining({ type: 'channel_creation', channel: { name: 'Sud' } })],
      };
      expect(await inChannels({})).toEqual(expected);
      expect(await inChannels({ limit: 1 })).toEqual({ Nord: expected.Nord });
      await t.database.db.insert(activityHorizon).values({ id: 1, before: new Date(Date.now() + 2_500) });
      expect(await inChannels({})).toEqual({ Nord: [], Sud: [] });
    });

    test('[LOG20] members are not told it, of their channels neither', async () => {
      await giveMapRight(t, team.admin, [team.bo]);
      for (const person of [team.ana, team.bo]) {
        for (const payload of [{}, { limit: 5 }]) {
          const { res } = await list(payload, person);
          expect(res).toHaveLength(1);
          expect(res[0]).not.toHaveProperty('userActivities');
        }
      }
    });

    test('[POS13] administrators are told what members did anywhere; the map’s readers, what those with a position did there', async () => {
      await giveMapRight(t, team.admin, [team.bo]);
      await happen(1, {});
      await happen(2, { type: 'channel_join', channelId: team.sud, channelName: 'Sud' });
      await happen(3, { type: 'user_update', isAudit: true });
      const [there, elsewhere] = [
        { type: 'channel_talk', channel: { name: 'Nord' } },
        { type: 'channel_join', channel: { name: 'Sud' } },
      ];
      expect(await ofMembers()).toMatchObject({ Ana: [elsewhere], Bo: [{ type: 'login', channel: null }] });
      expect(await ofMembers(team.bo)).toEqual({ Ana: [], Bo: [] });
      await t.call(updateUserPosition, PARIS, team.ana.token);
      expect(await ofMembers(team.bo)).toMatchObject({ Ana: [there], Bo: [] });
      expect(await ofMembers(team.ana)).toEqual({ Ana: undefined, Bo: undefined });
      expect(JSON.stringify(await members({}, team.bo))).not.toContain('Sud');
      expect(JSON.stringify(await members({}, team.ana))).not.toMatch(/userActivities|Sud/u);
    });
  });

  test('[MEM2] members in the room come first, then those who are online elsewhere, then those who are offline', async () => {
    await t.call(addUserToChannel, { userId: team.admin.id, channelId: team.nord }, team.admin.token);
    expect(await memberNames({ presentFirst: true })).toEqual(['Admin', 'Ana', 'Bo']);
    await t.connect(team.ana.token);
    await enterRoom(t, team.bo, 'Nord');
    expect(await memberNames({ presentFirst: true })).toEqual(['Bo', 'Ana', 'Admin']);
    expect(await memberNames({})).toEqual(['Admin', 'Ana', 'Bo']);
  });

  test('an empty payload lists all with their members, a page only its rows without members', async () => {
    const whole = await list({});
    expect(whole).toMatchObject({
      totalRecords: 2,
      res: [
        { name: 'Nord', userCount: 2, connected: 0, version: 1 },
        { name: 'Sud', userCount: 1, users: [{ id: team.out.id }] },
      ],
    });
    expect(whole.res[0]?.users?.map(({ id }) => id).toSorted()).toEqual([team.ana.id, team.bo.id].toSorted());
    const page = await list({ limit: 1, start: 1 });
    expect(page).toMatchObject({ totalRecords: 2, res: [{ name: 'Sud', userCount: 1 }] });
    expect(page.res[0]).not.toHaveProperty('users');
    expect(await list({ limit: 1, start: 9 })).toMatchObject({ totalRecords: 2, res: [] });
    expect(await list({ start: 9 })).toMatchObject({ totalRecords: 2, res: [] });
  });

  test('names are in the order of dictionaries, numbers by value, both ways', async () => {
    await store(['Canal 10', 'Canal 2', 'canal 3', 'Écoute', 'eau', 'Est'].map((name) => ({ name })));
    const ordered = ['Canal 2', 'canal 3', 'Canal 10', 'eau', 'Écoute', 'Est', 'Nord', 'Sud'];
    expect(await names({})).toEqual(ordered);
    expect(await names({ limit: 100, sort: 'name', order: 'desc' })).toEqual(ordered.toReversed());
  });

  test('every column orders, both ways', async () => {
    await makeChannel(t, team.admin, 'Alpha', [], 'open');
    await t.database.db
      .update(channels)
      .set({ createdAt: new Date(0) })
      .where(eq(channels.name, 'Sud'));
    const both = async (sort: string) =>
      Promise.all(['asc', 'desc'].map(async (order) => (await names({ sort, order, limit: 9 })).join(' ')));
    expect(await both('users')).toEqual(['Alpha Sud Nord', 'Nord Sud Alpha']);
    expect(await both('talkMode')).toEqual(['Alpha Nord Sud', 'Nord Sud Alpha']);
    expect(await both('createdAt')).toEqual(['Sud Nord Alpha', 'Alpha Nord Sud']);
  });

  test.each(CHANNEL_COLUMNS)('pages by %s never overlap and leave none out', async (sort) => {
    await store(Array.from({ length: 13 }, (_, index) => ({ name: ['Éa', 'Ea'][index % 2] ?? '' })));
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = [];
      for (let start = 0; start < 20; start += 4) {
        seen.push(...(await list({ sort, order, start, limit: 4 })).res.map(({ id }) => id));
      }
      expect([seen.length, new Set(seen).size]).toEqual([15, 15]);
    }
  });

  test.each([
    ['ECOUTE', ['Écoute %']],
    ['%', ['Écoute %']],
    ['_', ['A_B\\C']],
    ['\\', ['A_B\\C']],
    ['1/2', ['Nord']],
    ['/1', ['Sud']],
    ['0/', ['A_B\\C', 'Écoute %', 'Sud']],
    ['nothing', []],
  ])('filters by %s', async (filter, found) => {
    await store([
      { name: 'Écoute %', createdAt: new Date('2023-01-31T23:30:00Z') },
      { name: 'A_B\\C', createdAt: new Date('2023-07-31T23:30:00Z') },
    ]);
    await enterRoom(t, team.ana, 'Nord');
    const { res, totalRecords } = await list({ filter, limit: 9 });
    expect([res.map(({ name }) => name), totalRecords]).toEqual([found, found.length]);
  });

  test('filters by the date as it is shown', async () => {
    await store([{ name: 'Winter', createdAt: new Date('2023-01-31T23:30:00Z') }]);
    expect(await names({ filter: '01 févr. 2023 00:30', timeZone: 'Europe/Paris', language: 'fr' })).toEqual([
      'Winter',
    ]);
    expect(await names({ filter: '31 jan. 2023 23:30', timeZone: 'UTC', language: 'de' })).toEqual(['Winter']);
    const reply = await t.post(getAllChannels.path, { filter: 'x', timeZone: 'Nowhere' }, team.admin.token);
    expect(reply.status).toBe(400);
  });

  test.each([{ limit: 0 }, { limit: 1001 }, { start: -1 }, { sort: 'id' }, { order: 'up' }, { ids: ['x'] }])(
    '%j is malformed',
    async (payload) => {
      expect((await t.post(getAllChannels.path, payload, team.admin.token)).status).toBe(400);
    },
  );

  test('members page, filter and look up their own channels only', async () => {
    await makeChannel(t, team.admin, 'North again', [team.ana.id]);
    expect(await list({ limit: 1 }, team.ana)).toMatchObject({ totalRecords: 2, res: [{ name: 'Nord' }] });
    expect(await names({ limit: 5, start: 1 }, team.ana)).toEqual(['North again']);
    expect(await names({ filter: 'sud', limit: 5 }, team.ana)).toEqual([]);
    expect(await list({ ids: [team.sud, team.nord], limit: 5 }, team.ana)).toMatchObject({ totalRecords: 1 });
    expect(await names({ ids: [team.sud, team.nord], limit: 5 })).toEqual(['Nord', 'Sud']);
    expect(await names({ ids: [] })).toEqual([]);
  });

  test('members of a channel are paged by name, with totals', async () => {
    for (const [index, name] of ['Éric', 'Eric', 'Zoe 10', 'Zoe 2'].entries()) {
      const { id } = await t.signUp(`Person${index}`);
      await t.database.db.update(users).set({ firstName: name }).where(eq(users.id, id));
      await t.call(addUserToChannel, { userId: id, channelId: team.nord }, team.admin.token);
    }
    const ordered = ['Ana', 'Bo', 'Eric', 'Éric', 'Zoe 2', 'Zoe 10'];
    expect(await memberNames({})).toEqual(ordered);
    expect(await memberNames({ order: 'desc', limit: 10 })).toEqual(ordered.toReversed());
    expect(await memberNames({ start: 2, limit: 3 })).toEqual(ordered.slice(2, 5));
    expect((await members({ start: 2, limit: 3 })).totalRecords).toBe(6);
    expect(await members({ start: 50, limit: 3 })).toMatchObject({ res: [], totalRecords: 6 });
    expect(await memberNames({ filter: 'ERIC', limit: 3 })).toEqual(['Eric', 'Éric']);
  });

  test('members are found by what the row shows, not by their login', async () => {
    expect(await memberNames({ filter: 'ana test' }, team.bo)).toEqual(['Ana']);
    for (const filter of ['ana@', 'example.org', '%', '_']) expect(await memberNames({ filter }, team.bo)).toEqual([]);
  });

  test.each([
    ['soren', 'Søren'],
    ['lukasz', 'Łukasz'],
    ['dorde', 'Đorđe'],
    ['oeuvrard', 'Œuvrard'],
    ['laeti', 'Læti'],
    ['weiss', 'Weiß'],
    ['noel', 'Ｎｏëｌ'],
  ])('[MEM2] %s finds %s', async (filter, firstName) => {
    await t.database.db.update(users).set({ firstName }).where(eq(users.id, team.ana.id));
    expect(await memberNames({ filter })).toEqual([firstName]);
  });

  test('[MEM4] members are asked for one by one; the total is that of the whole list', async () => {
    const userIds = [team.bo.id, team.out.id, uuidV7() as UserId];
    const found = await members({ userIds }, team.ana);
    expect(found).toMatchObject({ totalRecords: 2, res: [{ firstName: 'Bo' }] });
    expect(found.res).toHaveLength(1);
    expect(await members({ userIds, filter: 'ana' }, team.ana)).toMatchObject({ totalRecords: 1, res: [] });
    expect(await members({ userIds: [] }, team.ana)).toMatchObject({ totalRecords: 2, res: [] });
  });

  test('[MEM4] by their ids, too, they are for members and administrators alone', async () => {
    const payload = { channelId: team.nord, userIds: [team.ana.id] };
    const refused = await t.post(getUsersInChannel.path, payload, team.out.token);
    expect([refused.status, refused.body.code, refused.body.res]).toEqual([403, 'not_a_member', undefined]);
    expect(await memberNames(payload)).toEqual(['Ana']);
    // Members of another channel get nobody, not even users of their own channel whom they name.
    const own = await t.post(getUsersInChannel.path, { ...payload, userIds: [team.out.id] }, team.out.token);
    expect([own.status, own.body.code, own.body.res]).toEqual([403, 'not_a_member', undefined]);
    const nobody = await t.post(getUsersInChannel.path, payload);
    expect([nobody.status, nobody.body.code, nobody.body.res]).toEqual([401, 'unauthenticated', undefined]);
  });

  test('[MEM4] up to fifty are asked for by their ids, and nothing that is no id', async () => {
    const ask = async (userIds: unknown) =>
      (await t.post(getUsersInChannel.path, { channelId: team.nord, userIds }, team.ana.token)).status;
    const others = Array.from({ length: MEMBERS_NAMED_MAX - 1 }, () => uuidV7());
    expect(await memberNames({ userIds: [...others, team.bo.id] }, team.ana)).toEqual(['Bo']);
    expect(await ask([...others, team.bo.id, uuidV7()])).toBe(400);
    for (const userIds of ['x', [''], ['x'], [`${team.bo.id}'`], [null], [1], {}, null, team.bo.id]) {
      expect([userIds, await ask(userIds)]).toEqual([userIds, 400]);
    }
  });

  test('[MEM2] members are in the order that the browser gives them too', async () => {
    // These ids run against the order of the names, so that they can't be its cause.
    const ids = NAMES_IN_ORDER.map(() => uuidV7() as UserId)
      .sort()
      .reverse();
    const rows = NAMES_IN_ORDER.map(([firstName, lastName, pseudo], index) => ({
      ...{ id: ids[index] as UserId, identifier: `n${index}@example.org`, passwordHash: '-', role: 'member' as const },
      ...{ firstName, lastName, pseudo },
    }));
    await t.database.db.insert(users).values(rows.toReversed());
    const channelId = await makeChannel(
      t,
      team.admin,
      'Names',
      rows.map(({ id }) => id),
    );
    const named = async (order: string) =>
      (await members({ channelId, order })).res.map(({ firstName, lastName, pseudo }) => [firstName, lastName, pseudo]);
    expect(await named('asc')).toEqual(NAMES_IN_ORDER);
    expect(await named('desc')).toEqual(NAMES_IN_ORDER.toReversed());
  });

  test('[MEM2] members of one name are in the order of their pseudos, both ways', async () => {
    for (const pseudo of ['B 10', 'b 2', 'A']) {
      const { id } = await t.signUp(`Person${pseudo.length}${pseudo[0]}`);
      await t.database.db.update(users).set({ firstName: '', lastName: '', pseudo }).where(eq(users.id, id));
      await t.call(addUserToChannel, { userId: id, channelId: team.nord }, team.admin.token);
    }
    const pseudos = async (order: string) =>
      (await members({ order })).res.flatMap(({ firstName, pseudo }) => (firstName === '' ? [pseudo] : []));
    expect(await pseudos('asc')).toEqual(['A', 'b 2', 'B 10']);
    expect(await pseudos('desc')).toEqual(['B 10', 'b 2', 'A']);
  });

  test('lists members who are in the room, not those connected elsewhere', async () => {
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    await enterRoom(t, team.bo, 'Nord');
    await enterRoom(t, team.ana, 'Sud');
    await enterRoom(t, team.admin, 'Nord');
    expect(await members({ onlyConnected: true })).toMatchObject({ totalRecords: 1, res: [{ firstName: 'Bo' }] });
  });

  test.each([getUsersInChannel])('$path knows no unknown channel and takes nothing malformed', async ({ path }) => {
    const unknown = await t.post(path, { channelId: uuidV7() as ChannelId, limit: 5 }, team.admin.token);
    expect(unknown).toMatchObject({ status: 404, body: { params: { what: 'channel' } } });
    expect((await t.post(path, { channelId: team.nord, sort: 'login' }, team.admin.token)).status).toBe(400);
    expect((await t.post(path, { channelId: team.sud, limit: 5 }, team.ana.token)).body.code).toBe('not_a_member');
  });

  test('five thousand members: listed whole, paged and filtered', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      id: uuidV7() as UserId,
      identifier: `m${index}@example.org`,
      firstName: `M${index}`,
      lastName: 'Many',
      passwordHash: '-',
      role: 'member' as const,
    }));
    for (let start = 0; start < rows.length; start += 1_000) {
      await t.database.db.insert(users).values(rows.slice(start, start + 1_000));
    }
    const crowd = await makeChannel(
      t,
      team.admin,
      'Crowd',
      rows.map(({ id }) => id),
    );
    expect((await members({ channelId: crowd })).res).toHaveLength(5_000);
    expect(await memberNames({ channelId: crowd, start: 4_990, limit: 20 })).toHaveLength(10);
    expect((await members({ channelId: crowd, filter: 'm4999', limit: 5 })).totalRecords).toBe(1);
    expect((await list({ filter: '0/5000', limit: 5 })).res).toMatchObject([{ name: 'Crowd', userCount: 5_000 }]);
  });
});
