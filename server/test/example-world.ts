import { randomUUID } from 'node:crypto';
import { getUserSessions } from '@pressel/contract/auth';
import type { CallId } from '@pressel/contract/calls';
import { sendMessage } from '@pressel/contract/chat';
import { STAND_INS } from '@pressel/contract/examples';
import { createMultipleChannels } from '@pressel/contract/transfer';
import { PASSWORD, type Person, type TestApp } from './build-test-app.ts';
import { makeChannel } from './factories.ts';
import { makeLink, visit } from './guests.ts';
import { prove } from './proof.ts';
import type { TestSocket } from './socket-client.ts';

/** Real values for the stand-ins of examples, on a running server. */
export interface ExampleWorld {
  /** The token of the administrator, who has just given their password. */
  token: string;
  guestToken: string;
  /** The administrator's socket, which is in the room. */
  socket: TestSocket;
  /** Returns an example with real values in place of stand-ins. */
  fill<T>(example: T): Promise<T>;
  /** Ends everything that this began. */
  close(): Promise<void>;
}

/** Makes a new team for one example, so that other examples don't miss what it deletes or ends. */
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
    callId: '',
    guestLinkId: link.id,
    guestLinkToken: link.token,
    importId,
    socketId: socket.id,
    stay: joined.data.stay,
  };
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const key = Object.keys(real).find((one) => STAND_INS[one as keyof typeof STAND_INS] === value);
      return real[key as keyof typeof real] ?? value;
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)]));
  };
  /** Makes the member call the administrator, only in examples about calls: elsewhere the call would get in the way. */
  let caller: TestSocket | null = null;
  const ring = async () => {
    caller = await t.connect(member.token);
    const rings = await caller.send('call_start', { userId: me.id });
    if (!rings.ok) throw new Error(`call_start: ${rings.code}`);
    real.callId = rings.data.callId;
  };
  return {
    token,
    guestToken,
    socket,
    async fill(example) {
      if (caller === null && JSON.stringify(example)?.includes(STAND_INS.callId)) await ring();
      return fill(example) as typeof example;
    },
    async close() {
      if (caller !== null) await caller.send('call_end', { callId: real.callId as CallId });
      caller?.close();
      socket.close();
    },
  };
}
