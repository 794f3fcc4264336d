import { expect, test } from 'vitest';
import { createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { bindMicEvents } from './mic-events.ts';

test('the window’s micOn and micOff press and release, and each change of the microphone is reported', () => {
  const fake = createFakeRoomSession();
  const target = new EventTarget();
  const reports: boolean[] = [];
  const stop = bindMicEvents(target, fake.room, (isOn) => void reports.push(isOn));
  target.dispatchEvent(new Event('micOn'));
  fake.show(roomSnapshot({ talk: { state: 'asking', since: 0, open: true, late: false } }));
  fake.show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 9 } }));
  target.dispatchEvent(new Event('micOff'));
  fake.show(roomSnapshot({ talk: { state: 'ending', since: 1 } }));
  expect(reports).toEqual([true]);
  fake.show(roomSnapshot());
  expect(reports).toEqual([true, false]);
  fake.show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 9 } }));
  fake.show(roomSnapshot({ talk: { state: 'revoked', reason: 'time_limit', byName: undefined } }));
  expect(reports, 'also one with another cause').toEqual([true, false, true, false]);
  expect(fake.calls).toEqual(['press', 'release']);

  stop();
  target.dispatchEvent(new Event('micOn'));
  fake.show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 9 } }));
  expect(fake.calls).toHaveLength(2);
  expect(reports).toHaveLength(4);
  expect(fake.watchers()).toBe(0);
});
