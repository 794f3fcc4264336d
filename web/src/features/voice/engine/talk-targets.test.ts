import { expect, test } from 'vitest';
import { createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { createTalkTargets } from './talk-holds.ts';

const open = () => {
  const [one, two, three] = [createFakeRoomSession(), createFakeRoomSession(), createFakeRoomSession()];
  const targets = createTalkTargets();
  targets.setRooms([one.room, two.room]);
  return { one, two, three, targets };
};
const hold = Symbol('key');

test('[TALK145] a press and its release go to all rooms that are selected, and to no other', () => {
  const { one, two, three, targets } = open();
  targets.press(hold);
  targets.release(hold);
  for (const { calls } of [one, two]) expect(calls).toEqual(['press', 'release']);
  expect(three.calls).toEqual([]);
});

test('[TALK145] a press that is held ends in the rooms in which it began, whatever is selected by then', () => {
  const { one, two, three, targets } = open();
  targets.press(hold);
  targets.setRooms([three.room]);
  targets.release(hold);
  expect([one.calls, two.calls, three.calls]).toEqual([['press', 'release'], ['press', 'release'], []]);
});

test('[TALK145] what ends a talk whoever holds it ends it in all rooms', () => {
  for (const end of ['stop', 'release', 'letGo', 'close'] as const) {
    const { one, two, targets } = open();
    targets.press(hold);
    targets.setRooms([]);
    targets[end]();
    const call = { stop: 'stop', close: 'stop', release: 'release', letGo: 'let go' }[end];
    expect([one.calls, two.calls]).toEqual([
      ['press', call],
      ['press', call],
    ]);
  }
});

test('[TALK145] it shows what is furthest: on the air before asking before waiting', () => {
  const { one, two, targets } = open();
  let told = 0;
  targets.subscribe(() => {
    told += 1;
  });
  expect(targets.getSnapshot().talk).toEqual({ state: 'idle' });
  one.show(roomSnapshot({ talk: { state: 'queued', since: 0, position: 1, size: 1 } }));
  expect(targets.getSnapshot().talk.state).toBe('queued');
  two.show(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 30_000 } }));
  expect(targets.getSnapshot().talk.state).toBe('talking');
  expect(told).toBe(2);
  targets.close();
  expect([one.watchers(), two.watchers()]).toEqual([0, 0]);
});
