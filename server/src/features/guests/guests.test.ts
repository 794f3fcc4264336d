import { getAllActivities } from '@pressel/contract/activities';
import { deleteChannel, updateChannel } from '@pressel/contract/channels';
import {
  createGuestLink,
  enterAsGuest,
  getGuestLinks,
  getInvitation,
  leaveAsGuest,
  withdrawGuestLink,
} from '@pressel/contract/guests';
import type { UserId } from '@pressel/contract/ids';
import { CALL_MAX_BYTES, GUEST_AWAY_MS, GUEST_LINKS_MAX, GUESTS_PER_LINK } from '@pressel/contract/limits';
import { deleteUser, getAllUsers, getUserById, updateUserData } from '@pressel/contract/users';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { guestLinks, guestSessions } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink, visit } from '#test/guests.ts';
import { prove } from '#test/proof.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;
let time: number;
beforeEach(async () => {
  time = Date.now();
  t = await buildTestApp({ now: () => new Date(time) });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const HOUR_MS = 3_600_000;
const links = async () => (await t.call(getGuestLinks, { channelId: team.nord }, team.admin.token)).body.res;
const invitation = async (token: string) => (await t.call(getInvitation, { token })).body.res;
const makeAdmin = async (name: string): Promise<Person> => {
  const person = await t.signUp(name, team.admin.token);
  await t.call(updateUserData, { ...asForm(person, name), role: 'admin' }, team.admin.token);
  return { ...person, token: await t.signIn(person) };
};
const asForm = ({ id }: Person, firstName: string) => ({ id, firstName, lastName: 'Test' });

describe('links', () => {
  test('[GUEST1] a link is made for one channel, and its token is told once and stored hashed', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    expect(Buffer.from(link.token, 'base64url')).toHaveLength(32);
    expect(new Date(link.expiresAt).getTime() - new Date(link.createdAt).getTime()).toBe(8 * HOUR_MS);
    const [listed] = await links();
    expect(listed).toMatchObject({
      name: 'Pompiers de Lyon',
      state: 'open',
      createdBy: 'Admin Test',
      lastUsedAt: null,
      guests: [],
    });
    expect(JSON.stringify(listed)).not.toContain(link.token);
    const rows = await t.database.db.select().from(guestLinks);
    expect(JSON.stringify(rows)).not.toContain(link.token);
    expect(await invitation(link.token)).toEqual({
      state: 'open',
      name: 'Pompiers de Lyon',
      channelName: 'Nord',
      rtcSession: 'Nord',
      expiresAt: link.expiresAt,
    });
    expect(JSON.stringify(t.logLines)).not.toContain(link.token);
  });

  test('[GUEST1] a name is one visible line, and the time is one of those offered', async () => {
    const make = (body: object) => t.post(createGuestLink.path, { channelId: team.nord, ...body }, team.admin.token);
    for (const body of [
      { name: '', hours: 8 },
      { name: '\u200b \u202e', hours: 8 },
      { name: 'x'.repeat(81), hours: 8 },
      { name: 'x'.repeat(CALL_MAX_BYTES), hours: 8 },
      { name: 'x', hours: 0 },
      { name: 'x', hours: 721 },
      { name: 'x', hours: '8' },
      { name: 'x' },
      { name: 5, hours: 8 },
    ]) {
      expect((await make(body)).status).toBeGreaterThanOrEqual(400);
      expect((await make(body)).status).toBeLessThan(500);
    }
    const made = await make({ name: ' Pompiers\u202e\n de\u200b Lyon ', hours: 1 });
    expect(made.body.res).toMatchObject({ name: 'Pompiers de Lyon' });
    expect(
      await t.call(createGuestLink, { channelId: team.ana.id as never, name: 'x', hours: 1 }, team.admin.token),
    ).toMatchObject({
      status: 404,
    });
    expect(await t.call(getGuestLinks, { channelId: team.ana.id as never }, team.admin.token)).toMatchObject({
      status: 404,
    });
    expect(await t.call(withdrawGuestLink, { linkId: team.ana.id as never }, team.admin.token)).toMatchObject({
      status: 404,
    });
  });

  test('[GUEST2] a channel has fifty open links at most, and one that ended makes room', async () => {
    const first = await makeLink(t, team.admin, team.nord, 'L0');
    for (let index = 1; index < GUEST_LINKS_MAX; index += 1) await makeLink(t, team.admin, team.nord, `L${index}`);
    const one = { channelId: team.nord, name: 'one more', hours: 1 } as const;
    expect(await t.call(createGuestLink, one, team.admin.token)).toMatchObject({
      status: 409,
      body: { code: 'guest_links_full' },
    });
    expect(await t.call(createGuestLink, { ...one, channelId: team.sud }, team.admin.token)).toMatchObject({
      status: 200,
    });
    await t.call(withdrawGuestLink, { linkId: first.id }, team.admin.token);
    expect(await t.call(createGuestLink, one, team.admin.token)).toMatchObject({ status: 200 });
    expect((await links())[0]?.state).toBe('open');
    expect((await links()).at(-1)).toMatchObject({ state: 'withdrawn', name: 'L0' });
  });

  test('[GUEST11] making and withdrawing a link are in the log, with its name, each once', async () => {
    const link = await makeLink(t, team.admin, team.nord, 'Pompiers');
    // Two entries of one millisecond that were stored apart have no order.
    time += 1;
    await t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token);
    await t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token);
    const query = { types: ['guest_link_creation', 'guest_link_withdrawal'], channelId: team.nord, limit: 2 } as const;
    const { activities } = (await t.call(getAllActivities, { ...query, types: [...query.types] }, team.admin.token))
      .body.res;
    expect(activities.map(({ type, user, channel, details }) => ({ type, user, channel, details }))).toMatchObject([
      {
        type: 'guest_link_withdrawal',
        user: { id: team.admin.id },
        channel: { name: 'Nord' },
        details: { name: 'Pompiers' },
      },
      {
        type: 'guest_link_creation',
        channel: { name: 'Nord' },
        details: { name: 'Pompiers', expiresAt: link.expiresAt },
      },
    ]);
  });

  test('[GUEST4] a link that expired, was withdrawn or never was opens nothing and says which', async () => {
    const [short, withdrawn] = [
      await makeLink(t, team.admin, team.nord, 'A', 1),
      await makeLink(t, team.admin, team.nord, 'B'),
    ];
    await t.call(withdrawGuestLink, { linkId: withdrawn.id }, team.admin.token);
    time += HOUR_MS;
    expect(await invitation(short.token)).toEqual({ state: 'expired' });
    expect(await invitation(withdrawn.token)).toEqual({ state: 'withdrawn' });
    expect(await invitation('wrong')).toEqual({ state: 'unknown' });
    for (const token of [short.token, withdrawn.token, 'wrong', team.admin.token]) {
      expect(await t.call(enterAsGuest, { token, name: 'Julie' })).toMatchObject({
        status: 410,
        body: { code: 'guest_link_over' },
      });
    }
    // The withdrawal of an expired link doesn't rewrite how it ended.
    await t.call(withdrawGuestLink, { linkId: short.id }, team.admin.token);
    expect(await invitation(short.token)).toEqual({ state: 'expired' });
    time += 7 * 24 * HOUR_MS;
    const token = await t.signIn(team.admin);
    expect((await t.call(getGuestLinks, { channelId: team.nord }, token)).body.res).toEqual([]);
  });

  test('[GUEST5] links end with the account of who made them, and with its role', async () => {
    const other = await makeAdmin('Other');
    const third = await makeAdmin('Third');
    const [demoted, deleted] = [await makeLink(t, other, team.nord, 'A'), await makeLink(t, third, team.nord, 'B')];
    const [a, b] = [await enterByLink(t, demoted, 'Nord'), await enterByLink(t, deleted, 'Nord')];
    await prove(t, [team.admin]);
    await t.call(updateUserData, { ...asForm(other, 'Other'), role: 'member' }, team.admin.token);
    expect(await a.next('room_closed')).toEqual({ channelId: team.nord, reason: 'link_ended' });
    await a.disconnected;
    expect(await invitation(demoted.token)).toEqual({ state: 'withdrawn' });
    await t.call(deleteUser, { UserId: third.id }, team.admin.token);
    expect(await b.next('room_closed')).toEqual({ channelId: team.nord, reason: 'link_ended' });
    await b.disconnected;
    expect(await invitation(deleted.token)).toEqual({ state: 'unknown' });
    // Becoming an administrator again brings no link back.
    await t.call(updateUserData, { ...asForm(other, 'Other'), role: 'admin' }, team.admin.token);
    expect(await invitation(demoted.token)).toEqual({ state: 'withdrawn' });
  });

  test('[GUEST5] a role changes together with the links, or not at all: no crash leaves them to open again', async () => {
    const other = await makeAdmin('Other');
    const link = await makeLink(t, other, team.nord);
    await prove(t, [team.admin]);
    const become = (role: 'admin' | 'member') =>
      t.call(updateUserData, { ...asForm(other, 'Other'), role }, team.admin.token);
    await t.database.db.execute(
      sql`alter table guest_links add constraint none_is_withdrawn check (withdrawn_at is null)`,
    );
    expect(await become('member')).toMatchObject({ status: 500 });
    expect((await t.call(getUserById, { userId: other.id }, team.admin.token)).body.res.role).toBe('admin');
    await t.database.db.execute(sql`alter table guest_links drop constraint none_is_withdrawn`);
    const julie = await enterByLink(t, link, 'Nord');
    expect(await become('member')).toMatchObject({ status: 200 });
    await julie.disconnected;
    expect(await t.database.db.select().from(guestSessions)).toEqual([]);
    // An earlier version could leave this: no earlier link may open for a new administrator.
    await t.database.db.update(guestLinks).set({ withdrawnAt: null });
    expect(await become('admin')).toMatchObject({ status: 200 });
    expect(await invitation(link.token)).toEqual({ state: 'withdrawn' });
  });

  test('[GUEST10] a guest whose session is gone doesn’t end the visits of others by the same link', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    const [julie, max] = [await enterByLink(t, link, 'Nord'), await enterByLink(t, link, 'Nord', 'Max')];
    const ended = await enterByLink(t, await makeLink(t, await makeAdmin('Other'), team.nord, 'B'), 'Nord', 'Eve');
    await t.database.db.delete(guestSessions).where(eq(guestSessions.id, julie.state.self.userId));
    await prove(t, [team.admin]);
    const { res: users } = (await t.call(getAllUsers, { filter: 'Other' }, team.admin.token)).body;
    await t.call(deleteUser, { UserId: users[0]?.id as UserId }, team.admin.token);
    await ended.disconnected;
    await caughtUp(max);
    expect(max.waiting('room_closed')).toEqual([]);
  });

  test('[GUEST9] sixty wrong tokens from an address, and no more are looked at', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    for (let index = 0; index < 60; index += 1) await t.call(getInvitation, { token: `wrong${index}` });
    expect(await t.call(getInvitation, { token: link.token })).toMatchObject({ status: 429 });
    expect(await t.call(enterAsGuest, { token: link.token, name: 'Julie' })).toMatchObject({ status: 429 });
  });
});

describe('guests', () => {
  test('[GUEST8] a guest is shown with both names, to all and in every list of participants', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const link = await makeLink(t, team.admin, team.nord);
    const julie = await enterByLink(t, link, 'Nord');
    const shown = {
      id: julie.id,
      name: 'Julie (Pompiers de Lyon)',
      role: 'member',
      guest: { name: 'Julie', link: 'Pompiers de Lyon' },
    };
    expect(julie.state.self).toMatchObject(shown);
    expect(await ana.next('user joined')).toMatchObject(shown);
    expect((await enterRoom(t, team.bo, 'Nord')).state.participants).toContainEqual(expect.objectContaining(shown));
    expect(julie.state.participants).toEqual([ana.state.self]);
    expect(Object.keys(ana.state.self).toSorted()).toEqual(['id', 'name', 'role', 'userId']);
  });

  test('[GUEST8] talks, waits and is named like a member', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const julie = await enterByLink(t, await makeLink(t, team.admin, team.nord), 'Nord');
    expect(await julie.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    expect(await ana.next('floor_changed')).toMatchObject({ talkers: [{ name: 'Julie (Pompiers de Lyon)' }] });
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ data: { type: 'queued' } });
    await julie.send('floor_release', { seq: 2 });
    expect(await julie.next('floor_changed', ({ talkers }) => talkers[0]?.id === ana.id)).toMatchObject({
      talkers: [{ name: 'Ana Test' }],
      queue: [],
    });
  });

  test('[GUEST9] ten at a time; one who left, or is away for two minutes, makes room', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    const tokens = [];
    for (let index = 0; index < GUESTS_PER_LINK; index += 1) tokens.push(await visit(t, link, `G${index}`));
    const full = { status: 409, body: { code: 'guest_link_full' } };
    expect(await t.call(enterAsGuest, { token: link.token, name: 'One more' })).toMatchObject(full);
    await t.call(leaveAsGuest, {}, tokens[0]);
    await visit(t, link, 'One more');
    expect(await t.call(enterAsGuest, { token: link.token, name: 'Another' })).toMatchObject(full);
    time += GUEST_AWAY_MS;
    await expect(t.connect(tokens[1] ?? '')).rejects.toMatchObject({ data: { code: 'unauthenticated' } });
    await visit(t, link, 'Another');
    expect(await t.database.db.select().from(guestSessions)).toHaveLength(1);
  });

  test('[GUEST9] of twenty who come at once ten get in', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    const come = () => t.call(enterAsGuest, { token: link.token, name: 'Julie' });
    const answers = await Promise.all(Array.from({ length: 20 }, come));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(GUESTS_PER_LINK);
  });

  test('[GUEST9] names of guests are one visible line, and nothing huge is read', async () => {
    const { token } = await makeLink(t, team.admin, team.nord);
    for (const name of ['', '\u200b', 'x'.repeat(61), 7, 'x'.repeat(CALL_MAX_BYTES), undefined]) {
      const { status } = await t.post(enterAsGuest.path, { token, name });
      expect([400, 413]).toContain(status);
    }
    expect((await t.post(getInvitation.path, { token: 'x'.repeat(257) })).status).toBe(400);
  });

  test('[GUEST10] who is in by a link that is withdrawn is out at once, the floor and the table too', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const link = await makeLink(t, team.admin, team.nord);
    const julie = await enterByLink(t, link, 'Nord');
    const other = await enterByLink(t, await makeLink(t, team.admin, team.nord, 'Samu'), 'Nord', 'Max');
    await julie.send('floor_request', { seq: 1 });
    await t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token);
    expect(await julie.next('room_closed')).toEqual({ channelId: team.nord, reason: 'link_ended' });
    await julie.disconnected;
    expect(await ana.next('user_exit')).toEqual({ id: julie.id, channelId: team.nord });
    expect(await ana.next('floor_changed', ({ talkers }) => talkers.length === 0)).toMatchObject({ queue: [] });
    await expect(t.connect(julie.token)).rejects.toMatchObject({ data: { code: 'unauthenticated' } });
    const rows = await t.database.db.select().from(userSockets);
    expect(rows.map(({ socketId }) => socketId)).not.toContain(julie.id);
    expect(other.waiting('room_closed')).toEqual([]);
    expect(await other.send('beat', { version: 0 })).toMatchObject({ ok: true });
  });

  test('[GUEST10] so is who is in when the time is up', async () => {
    const julie = await enterByLink(t, await makeLink(t, team.admin, team.nord, 'A', 1), 'Nord');
    time += HOUR_MS;
    expect(await julie.next('room_closed')).toEqual({ channelId: team.nord, reason: 'link_ended' });
    await julie.disconnected;
  });

  test('[GUEST10] who connects while the link is withdrawn does not get in', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    const julie = await t.connect(await visit(t, link));
    const [joined] = await Promise.all([
      julie.send('join_room', { room: 'Nord' }).catch(() => ({ ok: false })),
      t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token),
    ]);
    await julie.disconnected;
    const ana = await enterRoom(t, team.ana, 'Nord');
    if (joined.ok) await caughtUp(ana);
    expect(ana.state.participants).toEqual([]);
  });

  test('[GUEST9] leaving ends the visit: the token opens nothing any more, the link does', async () => {
    const link = await makeLink(t, team.admin, team.nord);
    const julie = await enterByLink(t, link, 'Nord');
    expect(await t.call(leaveAsGuest, {}, julie.token)).toMatchObject({ status: 200 });
    await julie.disconnected;
    expect(await t.call(leaveAsGuest, {}, julie.token)).toMatchObject({ status: 401 });
    expect(await t.call(leaveAsGuest, {}, team.ana.token)).toMatchObject({ status: 401 });
    await enterByLink(t, link, 'Nord');
  });

  test('[GUEST13] the list says who is in and when the link was used, and administrators are told to read it', async () => {
    const admin = await t.connect(team.admin.token);
    const ana = await t.connect(team.ana.token);
    await caughtUp(admin, ana);
    const link = await makeLink(t, team.admin, team.nord);
    const news = { what: 'guests', channelId: team.nord };
    expect(await admin.next('changed')).toEqual(news);
    const julie = await enterByLink(t, link, 'Nord');
    expect(await admin.next('changed')).toEqual(news);
    expect(await links()).toMatchObject([{ lastUsedAt: new Date(time).toISOString(), guests: [{ name: 'Julie' }] }]);
    await julie.send('leave_room', {});
    expect(await admin.next('changed')).toEqual(news);
    expect(await links()).toMatchObject([{ guests: [] }]);
    expect(ana.waiting('changed')).toEqual([]);
  });

  test('[GUEST11] coming, talking and going are in the activity log under both names', async () => {
    const julie = await enterByLink(t, await makeLink(t, team.admin, team.nord), 'Nord');
    await julie.send('floor_request', { seq: 1 });
    await julie.send('leave_room', {});
    const of = async (type: string) => (await activityLog(t)).includes(`${type} Julie Nord`);
    // Talks are stored in batches.
    await waitUntil(() => of('channel_talk'));
    expect(await of('channel_join')).toBe(true);
    expect(await of('channel_leave')).toBe(true);
    const rows = await t.database.db.select().from(activities).where(eq(activities.userFirstName, 'Julie'));
    expect(rows.filter(({ type }) => type === 'guest_join')).toHaveLength(1);
    expect(new Set(rows.map(({ userDisplayName }) => userDisplayName))).toEqual(new Set(['Julie (Pompiers de Lyon)']));
    expect(new Set(rows.map(({ userId }) => userId))).toEqual(new Set([julie.state.self.userId]));
  });

  test('[GUEST10] the channel is deleted or renamed under a guest', async () => {
    const channelId = await makeChannel(t, team.admin, 'Ouest');
    const link = await makeLink(t, team.admin, channelId);
    const julie = await enterByLink(t, link, 'Ouest');
    const outside = await t.connect(await visit(t, link, 'Max'));
    await t.call(updateChannel, { channelId, channelName: 'Est' }, team.admin.token);
    expect(await julie.next('room_changed')).toMatchObject({ name: 'Est' });
    expect(await invitation(link.token)).toMatchObject({ rtcSession: 'Est' });
    await t.call(deleteChannel, { channelId }, team.admin.token);
    expect(await julie.next('room_closed')).toMatchObject({ reason: 'deleted' });
    await Promise.all([julie.disconnected, outside.disconnected]);
    expect(await invitation(link.token)).toEqual({ state: 'unknown' });
  });
});
