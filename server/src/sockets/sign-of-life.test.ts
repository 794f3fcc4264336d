import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Socket } from './gateway.ts';
import { createBrowserPings, endOf } from './sign-of-life.ts';

/** A socket whose browser the test controls. */
const connect = () => {
  const wire = Object.assign(new EventEmitter(), {
    ...{ readyState: 1, pings: 0 },
    ping() {
      wire.pings += 1;
    },
  });
  const socket = { conn: { transport: { socket: wire } } } as unknown as Socket;
  return { socket, wire, pong: () => wire.emit('pong') };
};
/** An asker that records which of its calls were answered. */
const asker = (socket: Socket) => {
  const ping = createBrowserPings();
  const told: string[] = [];
  return { told, ask: (name: string) => ping(socket, () => void told.push(name)) };
};

test('[TALK33] [PRES27] two who ask one browser are both told of its answer, whichever ping it is of', () => {
  const { socket, wire, pong } = connect();
  const [floor, silence] = [asker(socket), asker(socket)];
  floor.ask('floor');
  silence.ask('silence');
  expect(wire.pings).toBe(2);
  pong();
  expect([floor.told, silence.told]).toEqual([['floor'], ['silence']]);
  pong();
  expect([floor.told, silence.told]).toEqual([['floor'], ['silence']]);
});

test('[TALK33] [PRES27] pongs that nobody asked for are not heard', () => {
  const { socket, pong } = connect();
  const { told, ask } = asker(socket);
  pong();
  ask('first');
  pong();
  pong();
  pong();
  expect(told).toEqual(['first']);
  ask('second');
  expect(told).toEqual(['first']);
  pong();
  expect(told).toEqual(['first', 'second']);
});

test('[TALK33] whoever asks often and is not answered is told once, of the last call, and leaves nothing behind', () => {
  const { socket, wire, pong } = connect();
  const { told, ask } = asker(socket);
  for (let call = 0; call < 100; call += 1) ask(`${call}`);
  pong();
  expect(told).toEqual(['99']);
  expect(wire.listenerCount('pong')).toBe(1);
});

test('[TALK33] a connection that is closing is not pinged', () => {
  const { socket, wire } = connect();
  wire.readyState = 2;
  asker(socket).ask('late');
  expect(wire.pings).toBe(0);
});

test.each([
  ['of what is written after its client closes it', true, 'write error', 'transport close'],
  ['of what can’t be written to a broken link', false, 'write error', 'transport error'],
  ['of what no client may send', true, 'Error: Invalid WebSocket frame', 'transport error'],
])('[PRES49] a link that ends because %s (close frame: %s)', (_what, isClosed, message, reason) => {
  const { socket, wire } = connect();
  // Engine.IO closes its side in any case, before it tells of the end.
  Object.assign(wire, { readyState: 2, _closeFrameReceived: isClosed });
  expect(endOf(socket, 'transport error', new Error(message))).toBe(reason);
  expect(endOf(socket, 'ping timeout', undefined)).toBe('ping timeout');
});
