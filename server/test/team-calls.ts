import type { CallId } from '@pressel/contract/calls';
import { expect } from 'vitest';
import type { Person, TestApp } from './build-test-app.ts';
import { caughtUp, type Team } from './factories.ts';
import type { TestSocket } from './socket-client.ts';

export const connect = async (t: TestApp, { token }: Person): Promise<TestSocket> => {
  const socket = await t.connect(token);
  await caughtUp(socket);
  return socket;
};

/** Ana calls Bo. */
export async function ring(ana: TestSocket, bo: TestSocket, team: Team): Promise<CallId> {
  const ack = await ana.send('call_start', { userId: team.bo.id });
  if (!ack.ok) throw new Error(ack.code);
  await bo.next('call_ring');
  return ack.data.callId;
}

/** Ana calls Bo, who takes the call. */
export async function callBetween(ana: TestSocket, bo: TestSocket, team: Team): Promise<CallId> {
  const callId = await ring(ana, bo, team);
  expect(await bo.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
  await ana.next('call_accepted');
  return callId;
}

/** Ends a socket's connection without a goodbye, as a lost network does. */
export async function lose(socket: TestSocket): Promise<void> {
  socket.raw.io.engine.close();
  await socket.disconnected;
}
