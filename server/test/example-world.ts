import { randomUUID } from 'node:crypto';
import { getUserSessions } from '@pressel/contract/auth';
import { sendMessage } from '@pressel/contract/chat';
import { STAND_INS } from '@pressel/contract/examples';
import { createMultipleChannels } from '@pressel/contract/transfer';
import { PASSWORD, type Person, type TestApp } from './build-test-app.ts';
import { makeChannel } from './factories.ts';
import { makeLink, visit } from './guests.ts';
import { prove } from './proof.ts';
import type { TestSocket } from './socket-client.ts';

/** What the stand-ins of examples stand for, on a server that runs. */
export interface ExampleWorld {
  /** Of the administrator, who has just given their password. */
  token: string;
  guestToken: string;
  /** The administrator's, in the room. */
  socket: TestSocket;
  /** An example with real values in the stand-ins' places. */
  fill<T>(example: T): T;
}

/** A team of its own for one example: whatever that deletes or ends, the next one has another. */
export async function makeExampleWorld(t: TestApp, admin: Person, number: number): Promise<ExampleWorld> {
  const token = await t.signIn(admin);
  const me = { ...admin, token };
  await prove(t, [me]);
  const member = await t.signUp(`Nadia${number}`, token);
  const name = `Nord${number}`;
  const channelId = await makeChannel(t, me, name, [member.id]);
  const message = await t.call(sendMessage, { channelId, message: 'Un camion.' }, member.token);
  const link = await makeLink(t, me, channelId);
  const guestToken = await visit(t, link);
  const sessions = await t.call(getUserSessions, { userId: member.id }, token);
  const importId = randomUUID();
  await t.call(createMultipleChannels, { channelData: [{ name: `Import ${number}` }], importId }, token);
  const socket = await t.connect(token);
  const joined = await socket.send('join_room', { room: name, video: 'off' });
  if (!joined.ok) throw new Error(`join_room: ${joined.code}`);

  const real: Record<keyof typeof STAND_INS, string> = {
    adminId: me.id,
    adminLogin: me.email,
    userId: member.id,
    login: member.email,
    password: PASSWORD,
    token,
    sessionId: sessions.body.res[0]?.id ?? '',
    channelId,
    channelName: name,
    room: name,
    messageId: message.body.message.id,
    clientId: randomUUID(),
    guestLinkId: link.id,
    guestLinkToken: link.token,
    importId,
    socketId: socket.id,
    stay: joined.data.stay,
  };
  const values = new Map(Object.entries(STAND_INS).map(([key, value]) => [value, real[key as keyof typeof real]]));
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return values.get(value as never) ?? value;
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)]));
  };
  return { token, guestToken, socket, fill: (example) => fill(example) as typeof example };
}
