import { createChannel } from '@pressel/contract/channels';
import { getDashboard } from '@pressel/contract/dashboard';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink } from '#test/guests.ts';
import { waitUntil } from '#test/wait-until.ts';
import { trendFrom } from './dashboard.service.ts';

/** In Paris the clocks were set back that night: the day has 25 hours. It is 23:30 there. */
const NOW = Date.parse('2026-10-25T22:30:00.000Z');

describe('the dashboard', () => {
  let t: TestApp;
  let team: Team;
  beforeAll(async () => {
    t = await buildTestApp({ now: () => new Date(NOW) });
    team = await makeTeam(t);
  });
  afterAll(() => t.close());

  const read = async (token: string, timeZone?: string) => {
    const { status, body } = await t.call(getDashboard, timeZone === undefined ? {} : { timeZone }, token);
    expect(status).toBe(200);
    return body.res;
  };

  test('[LOG60] days are those of the zone, also on the day of 25 hours and at its borders', async () => {
    const { db } = t.database;
    const made = [
      '2026-10-24T21:59:59.999Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T22:29:00.000Z',
      '2026-10-15T22:00:00.000Z',
    ];
    await db.execute(sql`update users set created_at = '2026-10-15 21:59:59.999Z'`);
    for (const [index, at] of made.entries()) {
      const id = [team.admin, team.ana, team.bo, team.out][index]?.id ?? '';
      await db.execute(sql`update users set created_at = ${at}::timestamptz where id = ${id}::uuid`);
    }
    const paris = await read(team.admin.token, 'Europe/Paris');
    if (paris.role !== 'admin') throw new Error('An administrator has the dashboard of the team');
    expect(paris.users.total).toBe(4);
    expect(paris.users.days.map(({ day, created }) => `${day} ${created}`)).toEqual([
      '2026-10-16 1',
      ...[17, 18, 19, 20, 21, 22, 23].map((day) => `2026-10-${day} 0`),
      '2026-10-24 1',
      '2026-10-25 2',
    ]);
    expect(paris.users.changePercent).toBeNull();
    expect(paris.talkToday.day).toBe('2026-10-25');
    expect((await read(team.admin.token, 'Asia/Tokyo')).talkToday.day).toBe('2026-10-26');
    // On the Azores midnight came twice that night: the day begins with the first one.
    await db.execute(sql`update users set created_at = '2026-10-25 00:30Z' where id = ${team.out.id}::uuid`);
    const azores = await read(team.admin.token, 'Atlantic/Azores');
    if (azores.role !== 'admin') throw new Error('An administrator has the dashboard of the team');
    expect(azores.users.days.slice(-2).map(({ day, created }) => `${day} ${created}`)).toEqual([
      '2026-10-24 2',
      '2026-10-25 2',
    ]);
  });

  test('[LOG61] the percentage is of those before the ten days, and there is none of nothing', () => {
    const days = [3, 0, 2].map((created, index) => ({ day: `2026-10-0${index + 1}`, age: 3 - index, created }));
    expect(trendFrom(days, 15)).toMatchObject({ total: 15, changePercent: 50 });
    expect(trendFrom(days, 15).days.map(({ total }) => total)).toEqual([13, 13, 15]);
    expect(trendFrom(days, 5).changePercent).toBeNull();
    expect(trendFrom([], 0)).toEqual({ total: 0, days: [], changePercent: null });
  });

  test('[LOG62] the channels with most members, who is where, who talks', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    await ana.send('floor_request', { seq: 1 });
    const shown = await read(team.admin.token);
    if (shown.role !== 'admin') throw new Error('An administrator has the dashboard of the team');
    expect(shown.topChannels).toMatchObject([
      { name: 'Nord', userCount: 2, connected: 1, lastActivityAt: new Date(NOW).toISOString() },
      { name: 'Sud', userCount: 1, connected: 0 },
    ]);
    expect(shown.live).toMatchObject({
      connected: 1,
      inRooms: 1,
      rooms: [{ name: 'Nord', connected: 1, users: [{ name: 'Ana Test' }], talkers: [{ name: 'Ana Test' }] }],
    });
    expect(shown.lastActivities.find(({ type }) => type === 'channel_join')).toMatchObject({
      user: { firstName: 'Ana' },
    });
    // The seven entries are of the specification's types: four people came, two channels were made, one member joined.
    expect(shown.lastActivities).toHaveLength(7);
    ana.close();
  });

  test('[LOG62] guests are told apart from users, and who is online in no room; members see those of their channels', async () => {
    const guest = await enterByLink(t, await makeLink(t, team.admin, team.nord), 'Nord');
    const [ana, bo, out] = [
      await enterRoom(t, team.ana, 'Nord'),
      await t.connect(team.bo.token),
      await t.connect(team.out.token),
    ];
    await caughtUp(bo, out);
    const liveOf = async (token: string) => (await read(token)).live;
    expect(await liveOf(team.admin.token)).toMatchObject({
      connected: 3,
      inRooms: 1,
      rooms: [
        {
          name: 'Nord',
          connected: 1,
          users: [{ name: 'Ana Test' }],
          guests: { count: 1, names: ['Julie (Pompiers de Lyon)'] },
        },
      ],
      outside: { count: 2, users: [{ name: 'Bo Test' }, { name: 'Out Test' }] },
    });
    expect((await liveOf(team.ana.token)).outside, 'Out is in none of her channels').toMatchObject({
      count: 1,
      users: [{ name: 'Bo Test' }],
    });
    // The dashboard counts a user whom one may see as elsewhere, without saying where.
    expect(await liveOf(team.out.token)).toMatchObject({
      rooms: [],
      outside: { count: 1, users: [{ name: 'Out Test' }] },
    });
    // Somebody in a room of hers without being a member of it is seen there, and so counts as online too.
    const visitor = await enterRoom(t, team.admin, 'Nord');
    expect(await liveOf(team.ana.token)).toMatchObject({ connected: 3, inRooms: 2, outside: { count: 1 } });
    visitor.close();
    await waitUntil(async () => (await liveOf(team.ana.token)).inRooms === 1);
    const lone = await t.signUp('Lone');
    expect(await liveOf(lone.token), '[DASH8] whoever looks is online, before their socket is up too').toMatchObject({
      connected: 1,
    });
    const loneSocket = await t.connect(lone.token);
    await caughtUp(loneSocket);
    expect(await liveOf(lone.token), 'in no channel, one knows of oneself').toMatchObject({
      connected: 1,
      rooms: [],
      outside: { count: 1, users: [{ name: 'Lone Test' }] },
    });
    ana.close();
    const only = async () => (await liveOf(team.admin.token)).rooms;
    await waitUntil(async () => (await only())[0]?.connected === 0);
    expect(await only()).toMatchObject([{ name: 'Nord', users: [], guests: { count: 1 } }]);
    for (const socket of [guest, bo, out, loneSocket]) socket.close();
    await waitUntil(async () => (await liveOf(team.admin.token)).connected === 0 && (await only()).length === 0);
  });

  test('[LOG63] talk time today, by the hour of the viewer in which a talk began', async () => {
    const talk = (endedAt: string, details: object) =>
      t.database.db.execute(sql`
        insert into activities (id, type, user_id, channel_id, channel_name, details, created_at)
        values (gen_random_uuid(), 'channel_talk', ${team.bo.id}::uuid, ${team.sud}::uuid, 'Sud', ${JSON.stringify(details)}::jsonb,
          ${endedAt}::timestamptz)`);
    // The first began the day before; both hours are 2 o'clock; one entry has several talks.
    await talk('2026-10-24T22:00:05Z', { durationMs: 10_000, end: 'released' });
    await talk('2026-10-25T00:30:00Z', { durationMs: 4_000, end: 'lease_expired' });
    await talk('2026-10-25T01:30:00Z', { durationMs: 6_000, end: 'left', talks: 3 });
    // Three talks within twelve seconds began before the hour: what was said fits into the time after it.
    await talk('2026-10-25T05:00:08Z', { durationMs: 6_000, end: 'left', talks: 3, spanMs: 12_000 });
    await talk('2026-10-24T22:00:06Z', { durationMs: 2_000, end: 'released', talks: 2, spanMs: 9_000 });
    const { talkToday } = await read(team.admin.token, 'Europe/Paris');
    const sud = talkToday.channels.find(({ name }) => name === 'Sud');
    expect(sud).toMatchObject({ talkMs: 16_000, transmissions: 7 });
    expect(talkToday.brokenOff, 'the one of which nothing more came').toBe(1);
    expect(sud?.hours[2]).toEqual({ talkMs: 10_000, transmissions: 4 });
    expect(sud?.hours[5], 'where the first of several began').toEqual({ talkMs: 6_000, transmissions: 3 });
    expect(sud?.hours.filter(({ transmissions }) => transmissions > 0)).toHaveLength(2);
    const azores = (await read(team.admin.token, 'Atlantic/Azores')).talkToday;
    expect(azores.channels[0]?.hours[0], 'both hours from midnight on').toEqual({ talkMs: 10_000, transmissions: 4 });
  });

  test('[LOG64] members see their own channels alone', async () => {
    await t.database.db.execute(sql`update channel_members set created_at = '2026-10-01'`);
    const own = await read(team.out.token, 'Europe/Paris');
    if (own.role !== 'member') throw new Error('A member has a dashboard of their own');
    expect(own.channels).toMatchObject([{ name: 'Sud', userCount: 1, unread: 0, missedTalks: 7 }]);
    expect(JSON.stringify(own)).not.toMatch(/Nord|Ana/u);
    const ana = await read(team.ana.token);
    expect(JSON.stringify(ana)).not.toMatch(/Sud|Out/u);
  });

  test('[LOG62] of more channels than five, the five with the most members, the largest first', async () => {
    const { admin, ana, bo, out } = team;
    const rooms = { Vide: [], Trois: [ana, bo, out], Un: [bo], Tous: [admin, ana, bo, out] };
    for (const [channelName, users] of Object.entries(rooms)) {
      const { status } = await t.call(createChannel, { channelName, userList: users.map(({ id }) => id) }, admin.token);
      expect(status).toBe(200);
    }
    const shown = await read(admin.token);
    if (shown.role !== 'admin') throw new Error('An administrator has the dashboard of the team');
    expect(shown.topChannels.map(({ name, userCount }) => `${name} ${userCount}`)).toEqual([
      'Tous 4',
      'Trois 3',
      'Nord 2',
      'Sud 1',
      'Un 1',
    ]);
  });

  test('[DASH16] members without a channel: how many, the newest five by name, and only administrators are told', async () => {
    const { admin } = team;
    const withoutChannel = async () => {
      const shown = await read(admin.token);
      if (shown.role !== 'admin') throw new Error('An administrator has the dashboard of the team');
      return shown.withoutChannel;
    };
    const before = await withoutChannel();
    const made: Person[] = [];
    for (const name of ['Un', 'Deux', 'Trois', 'Quatre', 'Cinq', 'Six']) made.push(await t.signUp(name));
    expect(await withoutChannel()).toMatchObject({
      count: before.count + 6,
      users: ['Six', 'Cinq', 'Quatre', 'Trois', 'Deux'].map((name) => ({ name: `${name} Test` })),
    });
    const [first, ...others] = made;
    await makeChannel(
      t,
      admin,
      'Chiffres',
      others.map(({ id }) => id),
    );
    expect((await withoutChannel()).users[0]).toEqual({ userId: first?.id, name: 'Un Test' });
    expect(JSON.stringify(await read(first?.token ?? ''))).not.toContain('withoutChannel');
  });

  test('a zone that is none is malformed', async () => {
    const { status, body } = await t.call(getDashboard, { timeZone: 'Nowhere/Land' }, team.admin.token);
    expect([status, body.code]).toEqual([400, 'malformed']);
  });
});
