import type { UserId } from '@pressel/contract/ids';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { createCallsService } from '#src/features/calls/calls.service.ts';
import { createMapAudience } from '#src/features/positions/map-audience.ts';
import { createFakeSocket } from './fake-sockets.ts';

const ANA = { id: 'session', userId: 'ana' as UserId, role: 'member' } as Session;
const log = pino({ enabled: false });

/** A socket that is taken in, and whose client may have gone by then. */
function takenIn(isGone: boolean) {
  const socket = createFakeSocket(ANA, vi.fn(), vi.fn());
  if (isGone) socket.drop('transport close');
  socket.asSocket.data.registered = Promise.resolve();
  return socket.asSocket;
}

test.each([
  [true, 0],
  [false, 2],
])('[PRES47] no calls are read for a client that is gone (%s) when its turn comes', async (isGone, statements) => {
  const select = vi.fn(() => {
    throw new Error('There is no database');
  });
  const relay = { on: vi.fn(), follow: vi.fn(), publish: vi.fn(), send: vi.fn() };
  const calls = createCallsService({
    ...{
      db: { select, selectDistinctOn: select, execute: select },
      log,
      shared: { relay },
      processId: 'p',
      record: vi.fn(),
    },
    ...{
      limit: vi.fn(),
      now: () => new Date(0),
      steadyNow: () => 0,
      sockets: { on: vi.fn(), to: vi.fn(), local: { to: vi.fn() } },
    },
  } as never);
  calls.welcome(takenIn(isGone));
  await vi.waitFor(() => expect(select).toHaveBeenCalledTimes(statements));
  await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
  expect(select).toHaveBeenCalledTimes(statements);
});

test.each([
  [true, 0],
  [false, 1],
])('[PRES47] nor is the right to the map, if it is gone (%s)', async (isGone, statements) => {
  const readMapRight = vi.fn(async () => false);
  createMapAudience({ sockets: {} as never, readMapRight, log }).meet(takenIn(isGone));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(readMapRight).toHaveBeenCalledTimes(statements);
});
