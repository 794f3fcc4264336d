import { createChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { EventAnswer } from '@pressel/contract/realtime';
import { asc, eq } from 'drizzle-orm';
import { activities } from '#src/db/schema/activities.ts';
import type { Person, TestApp } from './build-test-app.ts';
import { prove } from './proof.ts';
import { settledAt, type TestSocket } from './socket-client.ts';

export interface Team {
  admin: Person;
  /** Member of Nord. */
  ana: Person;
  /** Member of Nord. */
  bo: Person;
  /** Member of Sud only. */
  out: Person;
  nord: ChannelId;
  sud: ChannelId;
}

/** Four people and two channels. Signed up by hand, in this order; each has just given their password (AUTH1). */
export async function makeTeam(t: TestApp): Promise<Team> {
  const admin = await t.signUp('Admin');
  const ana = await t.signUp('Ana');
  const bo = await t.signUp('Bo');
  const out = await t.signUp('Out');
  await prove(t, [admin, ana, bo, out]);
  const nord = await makeChannel(t, admin, 'Nord', [ana.id, bo.id]);
  const sud = await makeChannel(t, admin, 'Sud', [out.id]);
  return { admin, ana, bo, out, nord, sud };
}

export async function makeChannel(
  t: TestApp,
  admin: Person,
  channelName: string,
  userList: readonly UserId[] = [],
  talkMode: 'single' | 'open' = 'single',
): Promise<ChannelId> {
  const { body } = await t.call(createChannel, { channelName, userList: [...userList], talkMode }, admin.token);
  return body.res.id;
}

/** Connects and enters a room. @throws Error when refused */
export async function enterRoom(
  t: TestApp,
  person: Person,
  room: string,
): Promise<TestSocket & { state: EventAnswer<'join_room'> }> {
  const socket = await t.connect(person.token);
  return { ...socket, state: await join(socket, room) };
}

/** @throws Error when refused */
export async function join(socket: TestSocket, room: string): Promise<EventAnswer<'join_room'>> {
  const ack = await socket.send('join_room', { room });
  if (!ack.ok) throw new Error(`join_room: ${ack.code}`);
  return ack.data;
}

/**
 * Resolves when everything that the server has sent to these sockets has arrived. The sockets also receive news from then
 * on: the server answers nothing before it has registered the socket.
 */
export async function caughtUp(...sockets: TestSocket[]): Promise<void> {
  for (const origin of new Set(sockets.map((socket) => socket.origin))) await settledAt.get(origin)?.();
  await Promise.all(sockets.map((socket) => socket.send('ice_config', {})));
}

/** The activity log's entries of the specification's types, oldest first, as `type user channel`. */
export async function activityLog(t: TestApp): Promise<string[]> {
  const rows = await t.database.db
    .select()
    .from(activities)
    .where(eq(activities.isAudit, false))
    .orderBy(asc(activities.createdAt), asc(activities.id));
  return rows.map(({ type, userFirstName, channelName }) => `${type} ${userFirstName} ${channelName ?? '-'}`);
}
