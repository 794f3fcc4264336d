import type { EventInput } from '@pressel/contract/realtime';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LinkState, Realtime } from '#src/shared/realtime/realtime.ts';
import { createPositionSharing, type Geolocation } from './position-sharing.ts';

const START = Date.UTC(2026, 10, 22, 10);
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

type Answer = Awaited<ReturnType<Realtime['send']>>;
const DONE: Answer = { ok: true, data: {} };
const AWAY: Answer = { ok: false, code: 'unavailable', params: {} };

function open(hasDevice = true) {
  const watches = new Map<number, [PositionCallback, PositionErrorCallback]>();
  let asked = 0;
  let next = 1;
  const geolocation: Geolocation = {
    watchPosition(found, failed) {
      watches.set(next, [found, failed ?? (() => undefined)]);
      return next++;
    },
    clearWatch: (watch) => void watches.delete(watch),
    getCurrentPosition: () => {
      asked += 1;
    },
  };
  const sent: EventInput<'position_update'>[] = [];
  const links = new Set<(link: LinkState) => void>();
  const answers: Answer[] = [];
  const sharing = createPositionSharing({
    geolocation: hasDevice ? geolocation : undefined,
    realtime: {
      send: async (_event, payload) => {
        sent.push(payload as EventInput<'position_update'>);
        return (answers.shift() ?? DONE) as never;
      },
      onLink(handler) {
        links.add(handler);
        handler('up');
        return () => void links.delete(handler);
      },
    },
  });
  const coords = { latitude: 48, longitude: 2, accuracy: 9 } as GeolocationCoordinates;
  return {
    sharing,
    sent,
    answers,
    watches,
    asked: () => asked,
    lats: () => sent.map(({ lat }) => lat),
    async find(latitude = 48, timestamp = Date.now()) {
      for (const [found] of watches.values())
        found({ coords: { ...coords, latitude }, timestamp } as GeolocationPosition);
      await vi.advanceTimersByTimeAsync(0);
    },
    fail(code: 1 | 2 | 3) {
      for (const [, failed] of watches.values()) failed({ code, PERMISSION_DENIED: 1 } as GeolocationPositionError);
    },
    link(state: LinkState) {
      for (const handler of links) handler(state);
    },
  };
}

test('[POS30] nothing is asked of the device until somebody starts it, nor after they stopped', async () => {
  const { sharing, watches, sent, find } = open();
  expect(sharing.getSnapshot()).toEqual({ state: 'off' });
  expect(watches.size).toBe(0);
  sharing.start();
  expect(sharing.getSnapshot()).toEqual({ state: 'searching' });
  await find();
  expect(sharing.getSnapshot()).toEqual({ state: 'on', isPending: false });
  expect(sent).toEqual([{ lat: 48, lng: 2, accuracy: 9, ageMs: 0 }]);
  sharing.stop();
  expect(watches.size).toBe(0);
  expect(sharing.getSnapshot()).toEqual({ state: 'off' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(sent).toHaveLength(1);
});

test('[POS31] a device that reports all the time sends its newest position every two seconds', async () => {
  const { sharing, lats, find } = open();
  sharing.start();
  for (let lat = 1; lat <= 25; lat += 1) {
    await find(lat);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(lats()).toEqual([1, 10, 20]);
});

test('[POS31] a device that stands still is asked now and then', async () => {
  const { sharing, asked } = open();
  sharing.start();
  await vi.advanceTimersByTimeAsync(250_000);
  expect(asked()).toBe(2);
});

test('[POS32] what did not reach the server is sent when the link is back, with its age; only the newest', async () => {
  const { sharing, sent, answers, find, link } = open();
  sharing.start();
  link('down');
  await find(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await find(2);
  expect(sent).toEqual([]);
  expect(sharing.getSnapshot()).toEqual({ state: 'on', isPending: true });
  await vi.advanceTimersByTimeAsync(5_000);
  answers.push(AWAY);
  link('up');
  await vi.advanceTimersByTimeAsync(0);
  expect(sharing.getSnapshot()).toEqual({ state: 'on', isPending: true });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sharing.getSnapshot()).toEqual({ state: 'on', isPending: false });
  expect(sent.map(({ lat, ageMs }) => [lat, ageMs])).toEqual([
    [2, 5_000],
    [2, 7_000],
  ]);
  link('down');
  link('up');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toHaveLength(2);
});

test('a server that asks to wait is waited for', async () => {
  const { sharing, sent, answers, find } = open();
  answers.push({ ok: false, code: 'too_many', params: { retryAfterSeconds: 7 } });
  sharing.start();
  await find();
  await vi.advanceTimersByTimeAsync(6_900);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent).toHaveLength(2);
});

test('[POS33] why it does not work is said: refused by the browser, not found, no device, refused by the server', async () => {
  const denied = open();
  denied.sharing.start();
  denied.fail(1);
  expect(denied.sharing.getSnapshot()).toEqual({ state: 'failed', reason: 'denied' });
  expect(denied.watches.size).toBe(0);

  const lost = open();
  lost.sharing.start();
  lost.fail(2);
  expect(lost.sharing.getSnapshot()).toEqual({ state: 'failed', reason: 'unavailable' });
  await lost.find();
  expect(lost.sharing.getSnapshot()).toEqual({ state: 'on', isPending: false });

  const deaf = open(false);
  deaf.sharing.start();
  expect(deaf.sharing.getSnapshot()).toEqual({ state: 'failed', reason: 'unsupported' });

  const refused = open();
  refused.answers.push({ ok: false, code: 'malformed', params: {} });
  refused.sharing.start();
  await refused.find();
  expect(refused.sharing.getSnapshot()).toEqual({ state: 'failed', reason: 'refused' });
  expect(refused.watches.size).toBe(0);
});

test('an answer that comes after the end changes nothing', async () => {
  const { sharing, find } = open();
  sharing.start();
  const finding = find();
  sharing.stop();
  await finding;
  expect(sharing.getSnapshot()).toEqual({ state: 'off' });
});
