import { addUserToChannel } from '@pressel/contract/channels';
import type { UserId } from '@pressel/contract/ids';
import { getAllUsers, getUserById, getUserIds, USER_COLUMNS } from '@pressel/contract/users';
import { inArray } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';

type Payload = Parameters<typeof getAllUsers.body.parse>[0] & object;

describe('the list of users', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const list = async (payload: Payload) => (await t.call(getAllUsers, payload as never, team.admin.token)).body;
  const names = async (payload: Payload) => (await list(payload)).res.map(({ firstName }) => firstName);
  /** Inserts users directly, because hashing so many passwords would take long. */
  const store = (rows: readonly Partial<typeof users.$inferInsert>[]) =>
    t.database.db.insert(users).values(
      rows.map((row, index) => ({
        id: uuidV7(),
        identifier: `u${index}@stored.example`,
        firstName: `First ${index}`,
        lastName: 'Stored',
        passwordHash: '-',
        role: 'member' as const,
        createdAt: new Date('2020-01-01T00:00:00Z'),
        ...row,
      })),
    );

  test('an empty payload lists everybody with their channels, a page only its rows without channels', async () => {
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    const whole = await list({});
    expect(whole.totalRecords).toBe(4);
    expect(whole.res.map(({ firstName, channels }) => [firstName, channels?.map(({ name }) => name)])).toEqual([
      ['Admin', []],
      ['Ana', ['Nord', 'Sud']],
      ['Bo', ['Nord']],
      ['Out', ['Sud']],
    ]);
    const page = await list({ limit: 2, start: 1 });
    expect(page.totalRecords).toBe(4);
    expect(page.res.map(({ firstName }) => firstName)).toEqual(['Ana', 'Bo']);
    expect(page.res.every(({ channels }) => channels === undefined)).toBe(true);
    expect(JSON.stringify([whole, page])).not.toMatch(/argon2|searchText/u);
  });

  test.each(USER_COLUMNS)('pages by %s never overlap and leave nobody out', async (sort) => {
    await store(Array.from({ length: 23 }, (_, index) => ({ firstName: ['Zoé', 'Zoe', 'zoe'][index % 3] ?? '' })));
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = [];
      for (let start = 0; start < 30; start += 5) {
        const { res, totalRecords } = await list({ sort, order, start, limit: 5 });
        expect(totalRecords).toBe(27);
        seen.push(...res.map(({ id }) => id));
      }
      expect([seen.length, new Set(seen).size]).toEqual([27, 27]);
    }
  });

  test('[LIST8] ids restrict the list, filtered or not; those of nobody find nothing', async () => {
    const ids = [team.bo.id, team.ana.id, uuidV7() as UserId];
    expect(await names({ ids })).toEqual(['Ana', 'Bo']);
    expect(await names({ ids, filter: 'bo', limit: 5 })).toEqual(['Bo']);
    expect(await list({ ids: [], limit: 5 })).toMatchObject({ res: [], totalRecords: 0 });
  });

  test('a page past the end is empty and still tells how many there are', async () => {
    expect(await list({ start: 100, limit: 5 })).toMatchObject({ res: [], totalRecords: 4 });
    expect(await list({ start: 100 })).toMatchObject({ res: [], totalRecords: 4 });
  });

  test('names are in the order of dictionaries, numbers by value, both ways', async () => {
    await store(['Zoé 10', 'Zoé 2', 'eric', 'Éric', 'Emma', 'œuf', 'ouf', 'Ąb'].map((firstName) => ({ firstName })));
    const ordered = ['Ąb', 'Emma', 'eric', 'Éric', 'œuf', 'ouf', 'Zoé 2', 'Zoé 10'];
    for (const limit of [undefined, 100]) {
      const query = { filter: 'stored', sort: 'firstName' as const, ...(limit === undefined ? {} : { limit }) };
      expect(await names({ ...query, order: 'asc' })).toEqual(ordered);
      expect(await names({ ...query, order: 'desc' })).toEqual(ordered.toReversed());
    }
  });

  test('every column orders, both ways', async () => {
    const day = (n: number) => new Date(Date.UTC(2021, 0, n));
    await store([
      {
        firstName: 'A',
        lastName: 'Stored c',
        identifier: 'b@x.example',
        pseudo: 'p2',
        mapRight: true,
        createdAt: day(2),
      },
      {
        firstName: 'B',
        lastName: 'Stored a',
        identifier: 'C@x.example',
        pseudo: 'p10',
        mapRight: false,
        createdAt: day(3),
      },
      {
        firstName: 'C',
        lastName: 'stored b',
        identifier: 'a@x.example',
        pseudo: '',
        mapRight: true,
        createdAt: day(1),
      },
    ]);
    const expected = {
      firstName: 'ABC',
      lastName: 'BCA',
      login: 'CAB',
      pseudo: 'CAB',
      mapRight: 'BCA',
      createdAt: 'CAB',
    };
    for (const [sort, letters] of Object.entries(expected)) {
      const query = { filter: 'stored', sort: sort as keyof typeof expected, limit: 100 };
      expect([sort, (await names({ ...query, order: 'asc' })).join('')]).toEqual([sort, letters]);
      // Rows with equal values stay sorted by name.
      const reversed = sort === 'mapRight' ? 'CAB' : letters.split('').toReversed().join('');
      expect([sort, (await names({ ...query, order: 'desc' })).join('')]).toEqual([sort, reversed]);
    }
  });

  test('the latest activity is shown and ordered by; who did nothing comes last both ways', async () => {
    await store([{ firstName: 'Idle' }, { firstName: 'Old' }, { firstName: 'New' }]);
    const rows = await t.database.db
      .select()
      .from(users)
      .where(inArray(users.firstName, ['Old', 'New']));
    const at = (day: number) => new Date(Date.UTC(2022, 5, day));
    const entry = (firstName: string, type: string, day: number, channelName: string | null = null) => {
      const userId = rows.find((row) => row.firstName === firstName)?.id ?? '';
      const who = { userId, userFirstName: firstName, userDisplayName: firstName };
      return { id: uuidV7(), type, ...who, channelName, createdAt: at(day) };
    };
    await t.database.db
      .insert(activities)
      .values([
        entry('New', 'login', 1),
        entry('New', 'channel_talk', 9, 'Nord'),
        entry('New', 'logout', 3),
        entry('Old', 'login', 5),
      ]);
    const query = { filter: 'stored', sort: 'lastActivity' as const, limit: 10 };
    expect(await names({ ...query, order: 'asc' })).toEqual(['Old', 'New', 'Idle']);
    expect(await names({ ...query, order: 'desc' })).toEqual(['New', 'Old', 'Idle']);
    expect(await names({ ...query, order: 'desc', start: 1, limit: 1 })).toEqual(['Old']);
    const { res } = await list({ filter: 'stored', sort: 'firstName' });
    expect(res.map(({ userActivities }) => userActivities)).toMatchObject([
      [],
      [{ type: 'channel_talk', createdAt: at(9).toISOString(), channel: { name: 'Nord' } }],
      [{ type: 'login', channel: null }],
    ]);
  });

  test.each([
    ['case', 'ANGELIQUE', 1],
    ['accents, typed or not', 'angélique', 1],
    ['a part of a word', 'gél', 1],
    ['first and last name together', 'angélique œuvre', 1],
    ['ligatures', 'OEUVRE', 1],
    ['the login', 'STRASSE@', 1],
    ['the pseudo', 'écho 7', 1],
    ['white space around it', '  écho  ', 1],
    ['per cent, which is no wildcard', '%', 1],
    ['an underscore, which is no wildcard', '_', 1],
    ['a backslash, which escapes nothing', '\\', 1],
    ['a quote', "o'", 1],
    ['a pattern of those', '%_', 0],
    ['nothing that is there', 'xyzzy', 0],
  ])('filters by %s: %s finds %i', async (_what, filter, count) => {
    await store([
      { firstName: 'Angélique', lastName: 'Œuvre', identifier: 'straße@a.example', pseudo: 'Écho 7' },
      { firstName: '100 %', lastName: 'A', identifier: 'b1@a.example' },
      { firstName: 'B_C', lastName: 'A', identifier: 'b2@a.example' },
      { firstName: 'D\\E', lastName: "O'Neil", identifier: 'b3@a.example' },
    ]);
    const { res, totalRecords } = await list({ filter, limit: 10 });
    expect([res.length, totalRecords]).toEqual([count, count]);
    expect((await list({ filter })).res).toHaveLength(count);
  });

  test.each([
    ['fr', 'Europe/Paris', ['01 févr. 2023 00:30', '01 FEVR', 'févr. 2023']],
    ['en', 'Europe/Paris', ['01 Feb 2023 00:30', 'feb 2023']],
    ['de', 'Europe/Paris', ['01 Feb. 2023 00:30']],
    ['fr', 'America/New_York', ['31 janv. 2023 18:30', 'JANV. 2023']],
    ['en', 'Asia/Kolkata', ['01 Feb 2023 05:00']],
    ['de', 'UTC', ['31 Jan. 2023 23:30']],
  ] as const)('filters by the date as it is shown in %s in %s', async (language, timeZone, filters) => {
    await store([
      { firstName: 'Winter', createdAt: new Date('2023-01-31T23:30:00Z') },
      { firstName: 'Summer', createdAt: new Date('2023-07-15T12:00:00Z') },
    ]);
    for (const filter of filters) {
      expect([filter, await names({ filter, language, timeZone, limit: 5 })]).toEqual([filter, ['Winter']]);
    }
    expect(await names({ filter: '2023', language, timeZone, limit: 5 })).toEqual(['Summer', 'Winter']);
  });

  test('every month of every language is found as it is shown', async () => {
    await store(
      Array.from({ length: 12 }, (_, month) => ({
        firstName: `M${month + 1}`,
        createdAt: new Date(Date.UTC(2019, month, 7, 12, 5)),
      })),
    );
    for (const language of ['fr', 'en', 'de'] as const) {
      for (let month = 0; month < 12; month += 1) {
        const parts = new Intl.DateTimeFormat(language, {
          day: '2-digit',
          month: 'short',
          year: 'numeric',
          timeZone: 'UTC',
        }).formatToParts(Date.UTC(2019, month, 7));
        const filter = `07 ${parts.find(({ type }) => type === 'month')?.value} 2019 12:05`;
        expect([filter, await names({ filter, language, timeZone: 'UTC', limit: 5 })]).toEqual([
          filter,
          [`M${month + 1}`],
        ]);
      }
    }
  });

  test('filters by the word for the access to the map, in the language', async () => {
    await store([{ firstName: 'Seer', mapRight: true, lastName: 'Xx' }]);
    const found = async (filter: string, language: 'fr' | 'en' | 'de') => names({ filter, language, limit: 9 });
    expect(await found('oui', 'fr')).toEqual(['Seer']);
    expect(await found('YES', 'en')).toEqual(['Seer']);
    expect(await found('ja', 'de')).toEqual(['Seer']);
    expect(await found('oui', 'en')).toEqual([]);
    expect(await found('nein', 'de')).toHaveLength(4);
  });

  test('[LIST5] filters by the phone, however its digits are written', async () => {
    await store([{ firstName: 'Called', phoneNumber: '+33 6 12-34-56.78' }]);
    for (const filter of ['+33 6 12', '06 12 34', '0612345678', '345 678', '(0)6.12']) {
      expect([filter, await names({ filter, limit: 9 })]).toEqual([filter, ['Called']]);
    }
    expect(await names({ filter: '0699', limit: 9 })).toEqual([]);
  });

  test('[LIST5] filters by the state whose word the reader means, and sorts by it', async () => {
    await t.connect(team.bo.token);
    expect(await names({ filter: 'ligne', states: ['online'], limit: 9 })).toEqual(['Bo']);
    expect(await names({ filter: 'ligne', states: ['offline'], limit: 9 })).toEqual(['Admin', 'Ana', 'Out']);
    expect(await names({ filter: 'ligne', states: ['online', 'offline'], limit: 9 })).toHaveLength(4);
    expect(await names({ filter: 'ligne', limit: 9 })).toEqual([]);
    expect(await names({ sort: 'state', limit: 9 })).toEqual(['Bo', 'Admin', 'Ana', 'Out']);
    expect(await names({ sort: 'state', order: 'desc', limit: 9 })).toEqual(['Admin', 'Ana', 'Out', 'Bo']);
    const { body } = await t.call(getUserIds, { filter: 'ligne', states: ['online'] }, team.admin.token);
    expect(body.res).toEqual([team.bo.id]);
  });

  test('[LIST5] filters by the last activity as the row says it: words, channel and moment; not by earlier ones', async () => {
    await store([{ firstName: 'Idle' }, { firstName: 'Talker' }, { firstName: 'Reader' }]);
    const rows = await t.database.db
      .select()
      .from(users)
      .where(inArray(users.firstName, ['Talker', 'Reader']));
    const entry = (firstName: string, type: string, day: number, channelName: string | null) => {
      const userId = rows.find((row) => row.firstName === firstName)?.id ?? '';
      const who = { userId, userFirstName: firstName, userDisplayName: firstName };
      const channelId = channelName === null ? null : uuidV7();
      const createdAt = new Date(Date.UTC(2022, 5, day, 12));
      return { id: uuidV7(), type, ...who, channelId, channelName, createdAt };
    };
    await t.database.db
      .insert(activities)
      .values([
        entry('Talker', 'channel_talk', 9, 'Sud'),
        entry('Reader', 'channel_talk', 3, 'Sud'),
        entry('Reader', 'logout', 20, null),
      ]);
    const found = (filter: string, activityTypes?: string[]) =>
      names({ filter, language: 'fr', timeZone: 'UTC', limit: 9, ...(activityTypes && { activityTypes }) } as never);
    expect(await found('parole', ['channel_talk'])).toEqual(['Talker']);
    expect(await found('parole')).toEqual([]);
    expect(await found('session', ['logout', 'none'])).toEqual(['Idle', 'Reader']);
    // The maker of the channel did nothing since.
    expect(await found('SÛD', [])).toEqual(['Talker', 'Admin']);
    expect(await found('09 juin 2022', [])).toEqual(['Talker']);
    expect(await found('03 juin 2022', [])).toEqual([]);
    expect(await found('idle', [])).toEqual(['Idle']);
  });

  test.each(['Nowhere/City', '+02:00', 'x', ''])('the time zone %j is malformed', async (timeZone) => {
    const reply = await t.post(getAllUsers.path, { filter: '2023', timeZone }, team.admin.token);
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'malformed', params: { issues: [{ path: 'timeZone' }] } },
    });
  });

  test.each([
    { limit: 0 },
    { limit: 1001 },
    { start: -1 },
    { sort: 'password' },
    { order: 'up' },
    { memberOf: 'x' },
    { states: ['away'] },
    { activityTypes: ['x'] },
  ])('%j is malformed', async (payload) => {
    expect((await t.post(getAllUsers.path, payload, team.admin.token)).status).toBe(400);
  });

  test('members of a channel are marked, or listed alone', async () => {
    const marked = await list({ memberOf: team.nord, limit: 10 });
    expect(marked.res.map(({ firstName, isMember }) => [firstName, isMember])).toEqual([
      ['Admin', false],
      ['Ana', true],
      ['Bo', true],
      ['Out', false],
    ]);
    const alone = await list({ memberOf: team.nord, onlyMembers: true, limit: 1, start: 1 });
    expect([alone.totalRecords, alone.res.map(({ firstName }) => firstName)]).toEqual([2, ['Bo']]);
    expect((await list({ limit: 1 })).res[0]).not.toHaveProperty('isMember');
    expect((await list({ memberOf: uuidV7() as never, onlyMembers: true, limit: 1 })).res).toEqual([]);
  });

  test('[LIST3] members of a channel come before the others, each part in the order asked for', async () => {
    expect(await names({ memberOf: team.sud, membersFirst: true, limit: 9 })).toEqual(['Out', 'Admin', 'Ana', 'Bo']);
    expect(
      await names({ memberOf: team.nord, membersFirst: true, order: 'desc', sort: 'firstName', limit: 9 }),
    ).toEqual(['Bo', 'Ana', 'Out', 'Admin']);
  });

  test('getUserIds gives the ids that a filter finds, of all pages', async () => {
    await store(Array.from({ length: 60 }, () => ({})));
    const { body } = await t.call(getUserIds, { filter: 'STORED' }, team.admin.token);
    const { res } = await list({ filter: 'stored' });
    expect(body.res.toSorted()).toEqual(res.map(({ id }) => id).toSorted());
    expect((await t.call(getUserIds, {}, team.admin.token)).body.res).toHaveLength(64);
  });

  test('rows show live sockets, and the answer how many are in a room', async () => {
    await enterRoom(t, team.ana, 'Nord');
    await enterRoom(t, team.ana, 'Nord');
    await t.connect(team.bo.token);
    const { res, connected } = await list({ limit: 2, start: 1 });
    expect(connected).toBe(1);
    expect(res.map(({ user_sockets }) => user_sockets.length)).toEqual([2, 1]);
  });

  test('getUserById tells channels by name and the latest activity, to administrators and the user', async () => {
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    for (const { token } of [team.admin, team.ana]) {
      const { body } = await t.call(getUserById, { userId: team.ana.id }, token);
      expect(body.res).toMatchObject({
        version: 1,
        channels: [
          { id: team.nord, name: 'Nord' },
          { id: team.sud, name: 'Sud' },
        ],
        userActivities: [{ type: 'login', channel: null }],
      });
    }
    const reply = await t.post(getUserById.path, { userId: uuidV7() as UserId }, team.admin.token);
    expect(reply).toMatchObject({ status: 404, body: { params: { what: 'user' } } });
  });
});
