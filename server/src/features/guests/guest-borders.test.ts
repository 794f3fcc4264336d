import { randomUUID } from 'node:crypto';
import { isValidToken } from '@pressel/contract/auth';
import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { Message } from '@pressel/contract/chat';
import { enterAsGuest } from '@pressel/contract/guests';
import type { ParticipantId } from '@pressel/contract/ids';
import { type ClientEventName, clientEvents, type ServerEventName, serverEvents } from '@pressel/contract/realtime';
import { getAllUsers, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createSessions } from '#src/accounts/sessions.ts';
import { activities } from '#src/db/schema/activities.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink, visit } from '#test/guests.ts';
import { giveMapRight, PARIS } from '#test/positions.ts';
import { breakLink, joinResumable } from '#test/resuming.ts';
import { postForm } from '#test/upload.ts';

const FORBIDDEN = { ok: false, code: 'forbidden' };
const eventNames = Object.keys(clientEvents) as ClientEventName[];
const isForGuests = (event: ClientEventName) => clientEvents[event].forGuests === true;

/** Derived from the contract: a new event is closed to guests, and covered here, before anybody thinks of guests. */
describe('[GUEST6] what guests may send', () => {
  let t: TestApp;
  let team: Team;
  let guestToken: string;
  beforeAll(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
    guestToken = await visit(t, await makeLink(t, team.admin, team.nord));
  });
  afterAll(() => t.close());

  test('is this and nothing else: think twice before this list grows', () => {
    expect(eventNames.filter(isForGuests).toSorted()).toEqual([
      'answer',
      'beat',
      'candidate',
      'floor_release',
      'floor_renew',
      'floor_request',
      'ice_config',
      'join_room',
      'leave_room',
      'offer',
      'talks_since',
      'video_state',
    ]);
  });

  test.each(eventNames.filter((event) => !isForGuests(event)))(
    '%s is refused, in and outside the room',
    async (event) => {
      const socket = await t.connect(guestToken);
      const send = () => socket.raw.timeout(5_000).emitWithAck(event, ...([{}] as never));
      expect(await send()).toMatchObject(FORBIDDEN);
      await join(socket, 'Nord');
      expect(await send()).toMatchObject(FORBIDDEN);
      socket.raw.emit(event, ...([{}] as never));
      expect(await socket.next('error')).toMatchObject({ code: 'forbidden', event });
      await caughtUp(socket);
      expect(socket.waiting('error')).toEqual([]);
      socket.close();
      await socket.disconnected;
    },
  );

  test('an unknown event is unknown to guests too', async () => {
    const socket = await t.connect(guestToken);
    expect(await socket.raw.timeout(5_000).emitWithAck('x' as never, ...([{}] as never))).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a guest', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const come = async () => enterByLink(t, await makeLink(t, team.admin, team.nord), 'Nord');

  test('[GUEST11] is in the log with an address as everybody else is: without the IPv6 form of an IPv4 one', async () => {
    const { token } = await makeLink(t, team.admin, team.nord);
    const { body } = await t.call(enterAsGuest, { token, name: 'Julie' });
    const found = await createSessions(t.database.db, () => new Date()).authenticateGuest(
      body.res.guestToken,
      '::ffff:192.0.2.7',
    );
    expect(found?.address).toBe('192.0.2.7');
  });

  test('[GUEST11] enters the log from the whole address, not from the part that limits go by', async () => {
    const { token } = await makeLink(t, team.admin, team.nord);
    for (const remoteAddress of ['2001:db8:1:2:3:4:5:6', '::ffff:192.0.2.7']) {
      const payload = { token, name: 'Julie' };
      await t.app.inject({ method: 'POST', url: enterAsGuest.path, payload, remoteAddress });
    }
    const joins = await t.database.db.select().from(activities).where(eq(activities.type, 'guest_join'));
    expect(joins.map(({ address }) => address).toSorted()).toEqual(['192.0.2.7', '2001:db8:1:2:3:4:5:6']);
  });

  test('[GUEST6] has a token that is none to accounts', async () => {
    const token = await visit(t, await makeLink(t, team.admin, team.nord));
    expect((await t.call(isValidToken, { token })).body).toEqual({ success: false });
  });

  test('[GUEST6] enters no other room, and learns not whether there is one', async () => {
    const julie = await come();
    const refused = { ok: false, code: 'not_a_member', params: {} };
    expect(await julie.send('join_room', { room: 'Sud' })).toEqual(refused);
    expect(await julie.send('join_room', { room: 'Nowhere' })).toEqual(refused);
    expect(await julie.send('join_room', { room: 'Nord', channelId: team.sud })).toEqual(refused);
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(ana.state.participants).toMatchObject([{ id: julie.id }]);
    expect(await julie.send('join_room', { room: 'Sud', channelId: team.nord })).toMatchObject({ ok: true });
  });

  test('[GUEST6] reaches nobody outside the room by signals', async () => {
    const julie = await come();
    const out = await enterRoom(t, team.out, 'Sud');
    const offer = { sdp: { type: 'offer' as const, sdp: 'v=0' }, offerReceiveID: out.id as ParticipantId };
    await julie.send('offer', offer);
    await caughtUp(out);
    expect(out.waiting('getOffer')).toEqual([]);
  });

  test('[GUEST6] gets no ICE credentials before being in the room', async () => {
    const socket = await t.connect(await visit(t, await makeLink(t, team.admin, team.nord)));
    expect(await socket.send('ice_config', {})).toMatchObject({ ok: false, code: 'not_in_room' });
  });

  alone('each process counts its own sockets (decision 058)').test('[GUEST9] has four sockets at most', async () => {
    const token = await visit(t, await makeLink(t, team.admin, team.nord));
    for (let index = 0; index < 4; index += 1) await t.connect(token);
    await expect(t.connect(token)).rejects.toMatchObject({ data: { code: 'too_many' } });
  });

  test('[GUEST7] hears of the room alone: no message, image, position, list or account', async () => {
    await giveMapRight(t, team.admin, [team.bo]);
    const julie = await come();
    const heard: [ServerEventName, unknown][] = [];
    julie.raw.onAny((event: ServerEventName, payload: unknown) => heard.push([event, payload]));
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await ana.send('message', { message: 'Entre nous', clientId: randomUUID() });
    await ana.send('typing', {});
    await ana.send('position_update', PARIS);
    await ana.send('floor_request', { seq: 1 });
    const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#40a060' } })
      .jpeg()
      .toBuffer();
    const parts = [
      ['channelId', team.nord],
      ['textMsg', ''],
      ['clientId', randomUUID()],
      ['image', image, 'photo.jpg'],
    ] as const;
    const { status, body } = await postForm(t.origin, parts, team.ana.token);
    expect(status).toBe(200);
    await t.call(
      updateUserData,
      { id: team.ana.id, firstName: 'Anne', lastName: 'Test', phone_number: '0123456789' },
      team.ana.token,
    );
    await makeChannel(t, team.admin, 'Ouest', [team.ana.id]);
    await bo.next('participant_changed');
    await t.call(getAllUsers, {}, team.admin.token);
    bo.close();
    await julie.next('user_exit');
    await caughtUp(julie, ana);
    const names = new Set(heard.map(([event]) => event));
    expect([...names].filter((event) => serverEvents[event].forGuests !== true)).toEqual([]);
    expect(names).toContain('user joined');
    expect(names).toContain('floor_changed');
    const text = JSON.stringify([heard, julie.state]);
    for (const secret of [team.ana.email, team.bo.email, '0123456789', 'Entre nous'])
      expect(text).not.toContain(secret);

    // An address without its signature opens nothing to anybody.
    const { file } = (body as unknown as { res: Message }).res ?? (body as unknown as { message: Message }).message;
    const path = (file as { path: string }).path.split('?')[0] ?? '';
    for (const token of [julie.token, undefined]) {
      const answer = await t.app.inject({
        url: path,
        ...(token === undefined ? {} : { headers: { 'x-access-token': token } }),
      });
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.statusCode).toBeLessThan(500);
    }
  });

  test('[GUEST7] is told no photo of anybody, and no name behind a pseudo, by none of the events that could tell it', async () => {
    const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#40a060' } })
      .png()
      .toBuffer();
    const photo_url = `data:image/png;base64,${image.toString('base64')}`;
    const setPhoto = (who: Person) => t.call(uploadUserPhoto, { userId: who.id, photo_url }, who.token);
    await setPhoto(team.ana);
    await setPhoto(team.bo);
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(ana.state.self.photo_url).toMatch(/^\/files\/photos\//u);
    const julie = await t.connect(await visit(t, await makeLink(t, team.admin, team.nord)));
    const heard: [ServerEventName, unknown][] = [];
    julie.raw.onAny((event: ServerEventName, payload: unknown) => heard.push([event, payload]));
    const state = await join(julie, 'Nord');
    const bo = await t.connect(team.bo.token);
    await bo.send('join_room', { room: 'Nord', video: 'off' });
    await bo.send('video_state', { video: 'camera' });
    await setPhoto(team.ana);
    await t.call(updateUserData, { id: team.ana.id, firstName: 'Anne', lastName: 'Test' }, team.ana.token);
    // Members are still told of both.
    expect(await ana.next('user joined', ({ id }) => id === bo.id)).toHaveProperty('photo_url');
    expect(await ana.next('participant_changed', ({ video }) => video === 'camera')).toHaveProperty('photo_url');
    expect(await ana.next('participant_changed', ({ name }) => name === 'Anne Test')).toHaveProperty('photo_url');
    await julie.next('participant_changed', ({ name }) => name === 'Anne Test');
    const pseudo = { id: team.ana.id, firstName: 'Anne', lastName: 'Test', pseudo: 'Nanou' };
    await t.call(updateUserData, pseudo, team.ana.token);
    expect(await ana.next('participant_changed', ({ name }) => name === 'Nanou')).toHaveProperty('fullName');
    await julie.next('participant_changed', ({ name }) => name === 'Nanou');
    const told = new Set(heard.map(([event]) => event));
    const mayTell = (Object.keys(serverEvents) as ServerEventName[]).filter(
      (event) =>
        serverEvents[event].forGuests === true &&
        JSON.stringify(z.toJSONSchema(serverEvents[event].payload, { io: 'input', unrepresentable: 'any' })).includes(
          'photo',
        ),
    );
    expect(mayTell.toSorted()).toEqual(['all_users', 'participant_changed', 'user joined', 'usersInThisRoom']);
    for (const event of mayTell) expect(told).toContain(event);
    expect(state.participants).toMatchObject([{ id: ana.id }]);
    expect(JSON.stringify([heard, state])).not.toMatch(/photo|\/files\/|fullName/u);
  });

  test('[GUEST8] [PRES25] is in no list of users and in no count', async () => {
    const seer = await t.connect(team.admin.token);
    await caughtUp(seer);
    const link = await makeLink(t, team.admin, team.nord);
    expect(await seer.next('changed')).toEqual({ what: 'guests', channelId: team.nord });
    const julie = await enterByLink(t, link, 'Nord');
    await caughtUp(julie, seer);
    const rows = await t.database.db.select().from(userSockets).where(eq(userSockets.socketId, julie.id));
    expect(rows).toMatchObject([{ guestId: julie.state.self.userId, userId: null, channelId: team.nord }]);
    expect(await seer.next('changed')).toEqual({ what: 'guests', channelId: team.nord });
    const told = [
      ...seer.waiting('onUserStatusChanged').flatMap(({ users }) => users.map(({ userId }) => userId)),
      ...seer.waiting('userConnected').flatMap(({ userIds }) => userIds),
    ];
    expect(new Set(told)).toEqual(new Set([team.admin.id]));
    const { res } = (await t.call(getAllUsers, {}, team.admin.token)).body;
    expect(res.flatMap(({ user_sockets }) => user_sockets.map(({ socket_id }) => socket_id))).not.toContain(julie.id);
    expect((await t.call(getAllUsers, {}, team.admin.token)).body.connected).toBe(0);
    const channels = (await t.call(getAllChannels, {}, team.ana.token)).body.res;
    expect(channels).toMatchObject([{ connected: 0, userCount: 2 }]);
    const here = await t.call(getUsersInChannel, { channelId: team.nord, onlyConnected: true }, team.admin.token);
    expect(here.body.res).toEqual([]);
    const ana = await enterRoom(t, team.ana, 'Nord');
    await caughtUp(ana, seer);
    const news = await seer.next('onUserStatusChanged', ({ rooms }) => rooms.length > 0);
    expect(news).toMatchObject({ connected: 1, rooms: [{ channelId: team.nord, connected: 1 }] });
    expect(news.users.map(({ userId }) => userId)).not.toContain(julie.state.self.userId);
  });

  test('[GUEST8] [PRES30] who comes back is not seen twice', async () => {
    const token = await visit(t, await makeLink(t, team.admin, team.nord));
    const julie = await joinResumable(await t.connect(token), team.nord);
    const ana = await enterRoom(t, team.ana, 'Nord');
    breakLink(julie);
    expect(await ana.next('participant_changed')).toMatchObject({ id: julie.id, silent: true });
    await joinResumable(await t.connect(token), team.nord, julie.token);
    expect(await ana.next('participant_changed')).toMatchObject({ id: julie.id, channelId: team.nord });
    expect((await enterRoom(t, team.bo, 'Nord')).state.participants).toHaveLength(2);
  });
});
