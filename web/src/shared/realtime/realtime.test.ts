import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRealtime, type LinkState } from './realtime.ts';
import { type RawSocket, reconnectDelayMs } from './reconnector.ts';

const CHANNEL = '01890000-0000-7000-8000-000000000001';

/** A fake of the used part of Socket.IO's client. The test acts as the server of the newest socket. */
function createSocketDouble() {
  const tokens: unknown[] = [];
  let handlers = new Map<string, (value: unknown) => void>();
  let socket = { connected: false };
  /** The end of each connection. */
  const ends: ('goodbye' | 'cut')[] = [];
  let answer: () => Promise<unknown> = async () => ({ ok: true, data: {} });
  return {
    tokens,
    ends,
    open({ auth }: { auth?: unknown }) {
      const own = new Map<string, (value: unknown) => void>();
      const end = (reason: string) => {
        const was = made.connected;
        made.connected = false;
        if (was) own.get('disconnect')?.(reason);
      };
      const made = {
        connected: false,
        on: (event: string, handler: (value: unknown) => void) => own.set(event, handler),
        connect() {
          (auth as (give: (data: object) => void) => void)((data) => tokens.push(data));
        },
        disconnect() {
          if (made.connected) ends.push('goodbye');
          end('io client disconnect');
        },
        io: {
          engine: {
            close() {
              ends.push('cut');
              end('forced close');
            },
          },
        },
        timeout: () => ({ emitWithAck: () => answer() }),
      };
      handlers = own;
      socket = made;
      return made as unknown as RawSocket;
    },
    accept() {
      socket.connected = true;
      handlers.get('connect')?.(undefined);
    },
    drop(reason: string) {
      socket.connected = false;
      handlers.get('disconnect')?.(reason);
    },
    refuse: (code?: string) => handlers.get('connect_error')?.(Object.assign(new Error('no'), { data: { code } })),
    tell: (event: string, payload: unknown) => handlers.get(event)?.(payload),
    answerWith(next: () => Promise<unknown>) {
      answer = next;
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(token: () => string | undefined = () => 'token') {
  const socket = createSocketDouble();
  const renewal = { report: vi.fn<(contract?: string) => void>() };
  const realtime = createRealtime({ token, open: socket.open, reach: async () => false, random: () => 0.5, renewal });
  const links: LinkState[] = [];
  realtime.onLink((link) => links.push(link));
  return { socket, realtime, links, renewal };
}

test('[PRES30] a connection that is replaced is cut without a goodbye; a page that is left says it, and so does the sign-out', () => {
  const { socket, realtime, links } = start();
  socket.accept();
  realtime.reconnect();
  expect(socket.ends).toEqual(['cut']);
  socket.accept();
  window.dispatchEvent(new Event('pagehide'));
  expect(socket.ends).toEqual(['cut', 'goodbye']);
  expect(links.at(-1)).toBe('down');
  const opened = socket.tokens.length;
  vi.advanceTimersByTime(60_000);
  expect(socket.tokens, 'a page that is left makes no attempt').toHaveLength(opened);
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  expect(socket.tokens).toHaveLength(opened + 1);
  socket.accept();
  realtime.close();
  expect(socket.ends).toEqual(['cut', 'goodbye', 'goodbye']);
});

test('[PROC85] says which contract its page was built with, if the build wrote it there', () => {
  const { socket } = start();
  expect(socket.tokens).toEqual([{ token: 'token', contract: undefined }]);
  document.head.innerHTML = '<meta name="contract" content="c1"><meta name="build" content="b1">';
  expect(start().socket.tokens).toEqual([{ token: 'token', contract: 'c1' }]);
  document.head.innerHTML = '';
});

test('tells the state at once and each change', () => {
  const { socket, links } = start();
  socket.accept();
  socket.drop('transport close');
  expect(links).toEqual(['connecting', 'up', 'down']);
});

test.each(['transport close', 'ping timeout', 'io server disconnect'])('comes back after "%s"', (reason) => {
  const { socket, links } = start();
  socket.accept();
  socket.drop(reason);
  vi.advanceTimersByTime(300);
  expect(socket.tokens).toHaveLength(2);
  socket.accept();
  expect(links.at(-1)).toBe('up');
});

test('who listens to the link first hears before those that came earlier', () => {
  const { socket, realtime } = start();
  const heard: string[] = [];
  realtime.onLink(() => heard.push('chat'));
  realtime.onLink(() => heard.push('voice'), 'first');
  heard.length = 0;
  socket.accept();
  expect(heard).toEqual(['voice', 'chat']);
});

test('reads the token anew at each attempt', () => {
  let token = 'first';
  const { socket } = start(() => token);
  socket.refuse();
  token = 'second';
  vi.advanceTimersByTime(300);
  expect(socket.tokens).toEqual([{ token: 'first' }, { token: 'second' }]);
});

test('a session that is not accepted is final', () => {
  const { socket, links } = start();
  socket.refuse('unauthenticated');
  vi.advanceTimersByTime(60_000);
  expect(links).toEqual(['connecting', 'refused']);
  expect(socket.tokens).toHaveLength(1);
});

test('another refusal is tried again', () => {
  const { socket } = start();
  socket.refuse('unavailable');
  vi.advanceTimersByTime(300);
  expect(socket.tokens).toHaveLength(2);
});

test('a send without a link is answered at once and not kept for later', async () => {
  const { realtime } = start();
  await expect(realtime.send('leave_room', {})).resolves.toEqual({ ok: false, code: 'unavailable', params: {} });
});

test('an acknowledgement that does not come, or makes no sense, is a failure and never an exception', async () => {
  const { socket, realtime } = start();
  socket.accept();
  await expect(realtime.send('leave_room', {})).resolves.toEqual({ ok: true, data: {} });
  socket.answerWith(() => Promise.reject(new Error('timeout')));
  await expect(realtime.send('leave_room', {})).resolves.toMatchObject({ ok: false, code: 'unavailable' });
  socket.answerWith(async () => 'nonsense');
  await expect(realtime.send('leave_room', {})).resolves.toMatchObject({ ok: false, code: 'internal' });
});

test('the acknowledgement of each event is checked by its own schema, in whatever order and however often they are sent', async () => {
  const ice = { iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 60 };
  const talks = { talks: [] };
  for (const order of [
    ['ice_config', 'talks_since', 'ice_config'],
    ['talks_since', 'ice_config', 'talks_since'],
  ]) {
    const { socket, realtime } = start();
    socket.accept();
    const send = (event: string) =>
      event === 'ice_config' ? realtime.send(event, {}) : realtime.send('talks_since', { stay: 's', version: 1 });
    for (const event of order) {
      const [own, other] = event === 'ice_config' ? [ice, talks] : [talks, ice];
      socket.answerWith(async () => ({ ok: true, data: own }));
      expect(await send(event)).toEqual({ ok: true, data: own });
      socket.answerWith(async () => ({ ok: true, data: other }));
      expect(await send(event)).toMatchObject({ ok: false, code: 'internal' });
    }
  }
});

test('only payloads that the contract knows are heard', () => {
  const { socket, realtime } = start();
  const heard: unknown[] = [];
  socket.accept();
  const stop = realtime.on('user_exit', (payload) => heard.push(payload));
  socket.tell('user_exit', { id: 'abc', channelId: CHANNEL, more: 1 });
  socket.tell('user_exit', { id: 7 });
  stop();
  socket.tell('user_exit', { id: 'def', channelId: CHANNEL });
  expect(heard).toEqual([{ id: 'abc', channelId: CHANNEL }]);
});

test('a connection that looks alive is replaced only when asked to be', () => {
  const { socket, realtime, links } = start();
  socket.accept();
  realtime.retry();
  expect(links).toEqual(['connecting', 'up']);
  realtime.reconnect();
  expect(links).toEqual(['connecting', 'up', 'down']);
  expect(socket.tokens).toHaveLength(2);
  socket.accept();
  expect(links.at(-1)).toBe('up');
  realtime.close();
  realtime.reconnect();
  expect(socket.tokens).toHaveLength(2);
});

test('closing is final', () => {
  const { socket, realtime } = start();
  socket.accept();
  realtime.close();
  realtime.close();
  vi.advanceTimersByTime(60_000);
  expect(socket.tokens).toHaveLength(1);
});

test('waits longer each time, 0.3 s to 5 s, a third more or less', () => {
  const middle = [1, 2, 3, 4, 5, 6, 50].map((attempt) => reconnectDelayMs(attempt, false, () => 0.5));
  expect(middle).toEqual([300, 600, 1200, 2400, 4800, 5000, 5000]);
  expect(reconnectDelayMs(1, false, () => 0)).toBe(200);
  expect(reconnectDelayMs(9, false, () => 1)).toBe(6667);
});

test('[TALK74] who listens in a room is never put off by more than 0.65 s, a third more or less', () => {
  const middle = [1, 2, 3, 50].map((attempt) => reconnectDelayMs(attempt, true, () => 0.5));
  expect(middle).toEqual([300, 600, 650, 650]);
  expect(reconnectDelayMs(9, true, () => 1)).toBe(867);
});

test('[APP14] an event that can’t be read is told as missed, an acknowledgement likewise', async () => {
  const { socket, realtime, renewal } = start();
  const heard = vi.fn<() => void>();
  realtime.on('user_exit', heard);
  socket.accept();
  socket.tell('user_exit', { id: 'socket-1', channelId: CHANNEL });
  expect(heard).toHaveBeenCalledTimes(1);
  expect(renewal.report).not.toHaveBeenCalled();
  socket.tell('user_exit', { participant: 'socket-1' });
  expect(heard).toHaveBeenCalledTimes(1);
  expect(renewal.report).toHaveBeenCalledTimes(1);
  socket.answerWith(async () => ({ ok: 'yes' }));
  await realtime.send('leave_room', {});
  expect(renewal.report).toHaveBeenCalledTimes(2);
});

test('[APP19] a server that can’t read an event says which contract it speaks', async () => {
  const { socket, realtime, renewal } = start();
  socket.accept();
  socket.answerWith(async () => ({ ok: false, code: 'malformed', params: { issues: [], contract: 'c2' } }));
  await realtime.send('leave_room', {});
  expect(renewal.report.mock.calls).toEqual([['c2']]);
});
