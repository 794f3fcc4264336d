import { enterNatively } from '@pressel/e2e/harness/native-peer';
import type { connectNatively } from '@pressel/e2e/harness/native-socket';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A connection whose answers the test gives, event by event. */
function scriptedConnection() {
  const listeners = new Map<string, (payload: unknown) => void>();
  const asked = new Map<string, PromiseWithResolvers<unknown>>();
  const emitted: string[] = [];
  const socket = {
    on: (event: string, listener: (payload: unknown) => void) => listeners.set(event, listener),
    emit: (event: string) => emitted.push(event),
    close: () => undefined,
    io: { engine: { close: () => undefined } },
  };
  const connection = {
    socket,
    ask(event: string) {
      if (event === 'join_room')
        return Promise.resolve({ self: { id: 'me' }, floor: { version: 1 }, participants: [] });
      if (event !== 'floor_request') return Promise.resolve({});
      const answer = Promise.withResolvers<unknown>();
      asked.set(event, answer);
      return answer.promise;
    },
  };
  return {
    connect: (async () => connection) as unknown as typeof connectNatively,
    /** Answers the request for the floor. */
    answer: (reply: unknown) => asked.get('floor_request')?.resolve(reply),
    fail: (error: Error) => asked.get('floor_request')?.reject(error),
    say: (event: string, payload: unknown) => listeners.get(event)?.(payload),
    emitted,
  };
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
  vi.useRealTimers();
});
/** Node reports an unhandled rejection after the microtasks. */
const reported = () => new Promise((resolve) => setImmediate(resolve));

const enter = async () => {
  const server = scriptedConnection();
  const saying = new Set<unknown>();
  const pacer = {
    add(beat: unknown) {
      saying.add(beat);
      return () => void saying.delete(beat);
    },
    close: () => undefined,
  };
  const place = { origin: 'http://127.0.0.1:1', token: 'token', room: 'Nord', voice: [Buffer.of(1)] };
  const peer = await enterNatively({ ...place, pacer, connect: server.connect });
  return { ...server, peer, saying };
};

test('a press whose request fails is refused once, and leaves nothing behind when the peer goes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { peer, fail, emitted } = await enter();
  const refused = expect(peer.press()).rejects.toThrow('operation has timed out');
  fail(new Error('operation has timed out'));
  await refused;
  peer.vanish();
  await reported();
  expect(unhandled).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(emitted).not.toContain('floor_renew');
});

test('a floor that is revoked before the request is answered refuses the press', async () => {
  const { peer, say, answer, saying } = await enter();
  const refused = expect(peer.press()).rejects.toThrow('revoked: left');
  say('floor_reply', { type: 'revoked', reason: 'left', seq: 1 });
  await reported();
  answer({ type: 'granted' });
  await refused;
  expect(unhandled).toEqual([]);
  expect(saying.size).toBe(0);
});

test('a grant that comes after the release starts no voice', async () => {
  const { peer, answer, saying } = await enter();
  const refused = expect(peer.press()).rejects.toThrow('released');
  await peer.release();
  answer({ type: 'granted' });
  await refused;
  await reported();
  expect(saying.size).toBe(0);
});
