import { type ClientEventName, clientEvents } from '@pressel/contract/realtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, TEST_CONTRACT, type TestApp } from './build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from './factories.ts';
import type { TestSocket } from './socket-client.ts';

/** Every event of the contract that can be malformed. */
const events = (Object.keys(clientEvents) as ClientEventName[])
  .filter((event) => !clientEvents[event].payload.safeParse({}).success)
  .map((event) => ({ event }));

/** Bypasses the types, which would not let a client send such things. */
const emitAny = (socket: TestSocket, event: string, ...args: unknown[]): void => {
  (socket.raw as unknown as { emit(...all: unknown[]): void }).emit(event, ...args);
};

describe('what cannot be acknowledged', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    // Allowances refill with time: here none passes, however slow the machine is.
    t = await buildTestApp({ steadyNow: () => 1_000 });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  test.each(events)(
    'a malformed $event without an acknowledgement is answered by an error event',
    async ({ event }) => {
      const socket = await enterRoom(t, team.ana, 'Nord');
      emitAny(socket, event, { nonsense: 1 });
      expect(await socket.next('error')).toMatchObject({ success: false, code: 'malformed', event });
      emitAny(socket, event, { nonsense: 1 }, () => undefined);
      await caughtUp(socket);
      expect(socket.waiting('error'), 'who has an acknowledgement needs no event').toEqual([]);
    },
  );

  test('a refused event says why, in the words of a refused call; one that succeeds says nothing', async () => {
    const socket = await t.connect(team.ana.token);
    emitAny(socket, 'floor_request', { seq: 1 });
    expect(await socket.next('error')).toMatchObject({
      success: false,
      result: 'Join the room first.',
      code: 'not_in_room',
      params: {},
      event: 'floor_request',
    });
    const member = await enterRoom(t, team.bo, 'Nord');
    emitAny(member, 'micStateChange', { micState: true });
    emitAny(member, 'leave_room', {});
    await caughtUp(member);
    expect(member.waiting('error')).toEqual([]);
  });

  test.each(['nonsense', 'room_closed', '__proto__', 'toString', 'error', `x${'y'.repeat(500)}`])(
    'the unknown event %s is answered, with or without an acknowledgement',
    async (event) => {
      const socket = await t.connect(team.ana.token);
      emitAny(socket, event, { channelId: team.nord });
      expect(await socket.next('error')).toMatchObject({
        code: 'not_found',
        params: { what: 'event', contract: TEST_CONTRACT },
        event: event.slice(0, 64),
      });
      const { promise, resolve } = Promise.withResolvers<unknown>();
      emitAny(socket, event, {}, resolve);
      expect(await promise).toEqual({
        ok: false,
        code: 'not_found',
        params: { what: 'event', contract: TEST_CONTRACT },
      });
    },
  );

  test('who goes on is told the first few times only, and unknown events use up the same allowance', async () => {
    const socket = await enterRoom(t, team.ana, 'Nord');
    for (let count = 0; count < 700; count += 1) emitAny(socket, 'nonsense');
    const { promise, resolve } = Promise.withResolvers<unknown>();
    emitAny(socket, 'nonsense', resolve);
    expect(await promise).toMatchObject({ ok: false, code: 'too_many' });
    expect(await socket.send('floor_renew', { seq: 1 })).toMatchObject({ ok: false, code: 'too_many' });
    expect(socket.waiting('error')).toHaveLength(20);
  });

  test('without a token nothing is answered at all: the connection is refused', async () => {
    await expect(t.connect('wrong')).rejects.toMatchObject({ data: { code: 'unauthenticated' } });
  });
});
