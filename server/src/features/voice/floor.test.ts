import { FLOOR_BUSY_MS, FLOOR_LEASE_MS, FLOOR_QUEUE_MAX, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { describe, expect, it } from 'vitest';
import { floorAt, granted, id, queued, userOf } from '#test/floor-harness.ts';
import { nextDeadline, nextSeq } from './floor-state.ts';

describe('requests in single mode', () => {
  it('[TALK1] grants a request on an idle floor', () => {
    const floor = floorAt('single');
    expect(floor.press('ann')).toEqual(granted(1));
    expect(floor.talkers()).toEqual(['ann']);
  });

  it('[TALK2] lets an administrator pre-empt a member, who is told by whom and does not wait', () => {
    const floor = floorAt('single');
    floor.press('ann', 7);
    floor.press('bob');
    expect(floor.press('boss', 1, { priority: 1 })).toEqual(granted(1));
    expect(floor.told()).toEqual({
      ann: [{ type: 'revoked', seq: 7, reason: 'preempted', byName: 'BOSS' }],
      boss: [granted(1)],
    });
    expect(floor.talkers()).toEqual(['boss']);
    expect(floor.waiting()).toEqual(['bob']);
  });

  it('[TALK3] queues a request of equal or lower priority, with position and size', () => {
    const floor = floorAt('single');
    floor.press('boss', 1, { priority: 1 });
    expect(floor.press('chief', 4, { priority: 1 })).toEqual(queued(4, 1, 1));
    expect(floor.press('ann', 2)).toEqual(queued(2, 2, 2));
    expect(floor.talkers()).toEqual(['boss']);
  });

  it('[TALK3] denies with the name of the talker who does not want to wait', () => {
    const floor = floorAt('single');
    floor.press('ann');
    expect(floor.press('bob', 3, { queue: false })).toEqual({
      type: 'denied',
      seq: 3,
      reason: 'taken',
      talkerName: 'ANN',
    });
    expect(floor.waiting()).toEqual([]);
  });

  it('[TALK28] gives a user one claim at most, on whichever screen', () => {
    const floor = floorAt('single');
    const same = { userId: userOf('ann') };
    const elsewhere = { type: 'denied', seq: 1, reason: 'elsewhere', talkerName: 'ANN' };
    floor.press('ann');
    expect(floor.press('ann on a tablet', 1, same)).toEqual(elsewhere);
    expect(floor.press('ann on a tablet', 2, { ...same, priority: 1 })).toEqual({ ...elsewhere, seq: 2 });
    floor.press('bob');
    expect(floor.press('bob on a phone', 1, { userId: userOf('bob') })).toEqual(elsewhere);
    expect([floor.talkers(), floor.waiting()]).toEqual([['ann'], ['bob']]);
    floor.release('ann', 2);
    expect(floor.press('ann on a tablet', 3, same)).toEqual(queued(3, 1, 1));
  });

  it('[TALK4] orders the queue by priority, then by arrival', () => {
    const floor = floorAt('single');
    floor.press('boss', 1, { priority: 1 });
    floor.press('ann');
    floor.press('chief', 1, { priority: 1 });
    floor.press('bob');
    floor.press('director', 1, { priority: 1 });
    expect(floor.waiting()).toEqual(['chief', 'director', 'ann', 'bob']);
  });

  it('[TALK5] grants the first of the queue when the talker releases', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob', 5);
    floor.press('cleo', 9);
    floor.release('ann', 2);
    expect(floor.told()).toEqual({
      ann: [{ type: 'released', seq: 2 }],
      bob: [granted(5)],
      cleo: [queued(9, 1, 1)],
    });
  });

  it('[TALK6] tells those whose position changed, and only those', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo', 'dan']) floor.press(name);
    floor.release('cleo', 2);
    expect(floor.told()).toEqual({ cleo: [{ type: 'released', seq: 2 }], dan: [queued(1, 2, 2)] });
  });

  it('[TALK6] tells those who are pushed back by a higher priority', () => {
    const floor = floorAt('single');
    floor.press('boss', 1, { priority: 1 });
    floor.press('ann');
    floor.press('chief', 1, { priority: 1 });
    expect(floor.told()).toEqual({ chief: [queued(1, 1, 2)], ann: [queued(1, 2, 2)] });
  });

  it('[TALK7] denies whoever finds the queue full, and keeps those who wait', () => {
    const floor = floorAt('single');
    floor.press('boss', 1, { priority: 1 });
    for (let i = 0; i < FLOOR_QUEUE_MAX; i++) floor.press(`p${i}`);
    const denied = { type: 'denied', seq: 1, reason: 'queue_full', talkerName: 'BOSS' };
    expect(floor.press('late')).toEqual(denied);
    expect(floor.press('chief', 1, { priority: 1 })).toEqual(denied);
    expect(floor.waiting()).toHaveLength(FLOOR_QUEUE_MAX);
    expect(floor.press('p3', 2)).toEqual(queued(2, 4, FLOOR_QUEUE_MAX));
  });
});

describe('how a claim ends', () => {
  it('[TALK8] revokes at the stop-talking timer and grants the next', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.wait(TALK_MAX_MS - 1);
    floor.renew('ann', 1);
    floor.press('bob');
    expect(floor.apply({ type: 'tick' }).replies).toEqual([]);
    floor.tickAfter(1);
    expect(floor.told()).toEqual({ ann: [{ type: 'revoked', seq: 1, reason: 'time_limit' }], bob: [granted(1)] });
  });

  it('[TALK9] a key still down has no claim after a loss; a new press goes to the end of the queue', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('boss', 1, { priority: 1 });
    expect(floor.renew('ann', 1).state).toBe(floor.state());
    expect(floor.press('ann', 1)).toEqual({ type: 'denied', seq: 1, reason: 'stale' });
    floor.press('bob');
    expect(floor.press('ann', 3)).toEqual(queued(3, 2, 2));
  });

  it('[TALK10] keeps talker and waiting ones for as long as they renew', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob');
    for (let i = 0; i < 5; i++) {
      expect(floor.tickAfter(FLOOR_LEASE_MS - 1).replies).toEqual([]);
      floor.renew('ann', 1);
      floor.renew('bob', 1);
    }
    expect([floor.talkers(), floor.waiting()]).toEqual([['ann'], ['bob']]);
  });

  it('[TALK10] does not count a grant from the queue as a renewal', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob');
    floor.wait(FLOOR_LEASE_MS - 1);
    floor.release('ann', 2);
    expect(floor.talkers()).toEqual(['bob']);
    floor.tickAfter(1);
    expect(floor.told()).toEqual({ bob: [{ type: 'revoked', seq: 1, reason: 'lease_expired' }] });
  });

  it('[TALK11] frees the floor of a dead talker in under 3 s and passes it on', () => {
    expect(FLOOR_LEASE_MS + FLOOR_TICK_MS).toBeLessThan(3_000);
    const floor = floorAt('single');
    floor.press('ann');
    floor.wait(1_000);
    floor.press('bob');
    expect(floor.tickAfter(FLOOR_LEASE_MS - 1_001).replies).toEqual([]);
    floor.tickAfter(1);
    expect(floor.told()).toEqual({ ann: [{ type: 'revoked', seq: 1, reason: 'lease_expired' }], bob: [granted(1)] });
  });

  it('[TALK11] never passes the floor to one who is dead too', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo']) floor.press(name);
    floor.wait(1_000);
    floor.renew('cleo', 1);
    floor.tickAfter(FLOOR_LEASE_MS - 1_000);
    const expired = { type: 'revoked', seq: 1, reason: 'lease_expired' };
    expect(floor.told()).toEqual({ ann: [expired], bob: [expired], cleo: [granted(1)] });
  });

  it('[TALK33] a page that is too busy to renew keeps its claim while its browser lives, but not for long', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob']) floor.press(name);
    const lived = FLOOR_BUSY_MS - FLOOR_LEASE_MS + 500;
    for (let waited = 0; waited < lived; waited += 500) {
      floor.tickAfter(500);
      for (const name of ['ann', 'bob']) floor.alive(name, 1);
    }
    expect([floor.talkers(), floor.waiting()]).toEqual([['ann'], ['bob']]);
    floor.renew('bob', 1);
    floor.tickAfter(FLOOR_BUSY_MS - Math.ceil(lived / 500) * 500);
    expect(floor.told()).toEqual({ ann: [{ type: 'revoked', seq: 1, reason: 'lease_expired' }], bob: [granted(1)] });
    expect(floor.alive('ann', 1).state, 'a lost claim stays lost').toBe(floor.state());
  });

  it('[TALK33] a sign of life never shortens a lease, and counts for the claim of its number only', () => {
    const floor = floorAt('single');
    floor.press('ann', 2);
    const before = floor.state();
    expect(floor.alive('ann', 2).state).toBe(before);
    floor.wait(FLOOR_LEASE_MS - 1);
    expect(floor.alive('ann', 1).state).toBe(before);
    floor.tickAfter(1);
    expect(floor.talkers()).toEqual([]);
  });

  it('[TALK12] frees the floor, or the cursor, of who leaves at once', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo', 'dan']) floor.press(name);
    floor.leave('bob');
    expect(floor.waiting()).toEqual(['cleo', 'dan']);
    floor.leave('ann');
    expect(floor.told()).toEqual({
      ann: [{ type: 'revoked', seq: 1, reason: 'left' }],
      cleo: [granted(1)],
      dan: [queued(1, 1, 1)],
    });
  });

  it('[TALK13] answers a release in every case', () => {
    const floor = floorAt('single');
    expect(floor.release('ann', 1)).toEqual({ type: 'released', seq: 1 });
    floor.press('bob');
    floor.press('ann', 2);
    expect(floor.release('ann', 3)).toEqual({ type: 'released', seq: 3 });
    expect([floor.talkers(), floor.waiting()]).toEqual([['bob'], []]);
  });
});

const orders = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));

describe('numbers', () => {
  it('[TALK14] keeps a number for who is in the room and forgets it with the leave', () => {
    const floor = floorAt('single');
    floor.press('ann', 5);
    expect(nextSeq(floor.state(), id('ann'))).toBe(6);
    floor.leave('ann');
    expect(floor.state().lastSeq).toEqual({});
    expect(nextSeq(floor.state(), id('ann'))).toBe(1);
    expect(floor.leave('ann').state).toBe(floor.state());
  });

  it('[TALK14] accepts ids such as constructor', () => {
    const floor = floorAt('single');
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(nextSeq(floor.state(), id(name))).toBe(1);
      floor.press(name, 4);
      expect(nextSeq(JSON.parse(JSON.stringify(floor.state())), id(name))).toBe(5);
      floor.leave(name);
    }
    expect(floor.state().lastSeq).toEqual({});
  });

  it('[TALK15] denies a stale request and answers a stale release, changing nothing', () => {
    const floor = floorAt('single');
    floor.press('ann', 5);
    const before = floor.state();
    expect(floor.press('ann', 5)).toEqual({ type: 'denied', seq: 5, reason: 'stale' });
    expect(floor.press('ann', 4)).toEqual({ type: 'denied', seq: 4, reason: 'stale' });
    expect(floor.release('ann', 5)).toEqual({ type: 'released', seq: 5 });
    expect(floor.release('ann', 0)).toEqual({ type: 'released', seq: 0 });
    expect(floor.state()).toBe(before);
  });

  it.each([
    ['press last', ['request', 'release', 'request'] as const, true],
    ['release last', ['request', 'release', 'request', 'release'] as const, false],
  ])('[TALK15] lets the last one win in every order of arrival: %s', (_, kinds, talks) => {
    const inputs = kinds.map((kind, index) => ({ kind, seq: index + 1 }));
    for (const order of orders(inputs)) {
      const floor = floorAt('single');
      for (const { kind, seq } of order) kind === 'request' ? floor.press('ann', seq) : floor.release('ann', seq);
      expect(floor.talkers(), JSON.stringify(order)).toEqual(talks ? ['ann'] : []);
    }
  });

  it('[TALK16] ends a claim by a release with any higher number', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob');
    floor.release('bob', 90);
    expect(floor.waiting()).toEqual([]);
    floor.release('ann', 12);
    expect(floor.talkers()).toEqual([]);
  });

  it('[TALK17] keeps the talker who asks again, with a new lease and the old timer', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob');
    floor.wait(2_000);
    expect(floor.press('ann', 3)).toEqual({ ...granted(3), talkMs: TALK_MAX_MS - 2_000 });
    expect(floor.release('ann', 2)).toEqual({ type: 'released', seq: 2 });
    floor.renew('bob', 1);
    expect(floor.tickAfter(FLOOR_LEASE_MS - 1).replies).toEqual([]);
    expect([floor.talkers(), floor.waiting()]).toEqual([['ann'], ['bob']]);
  });

  it('[TALK17] keeps the place of a participant that asks again while waiting, unless it will not wait', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo']) floor.press(name);
    expect(floor.press('bob', 3)).toEqual(queued(3, 1, 2));
    expect(floor.told()).toEqual({ bob: [queued(3, 1, 2)] });
    expect(floor.press('bob', 5, { queue: false })).toMatchObject({ type: 'denied', reason: 'taken' });
    expect(floor.told().cleo).toEqual([queued(1, 1, 1)]);
    expect(floor.waiting()).toEqual(['cleo']);
  });

  it("[TALK18] renews by the claim's own number only", () => {
    const floor = floorAt('single');
    floor.press('ann', 5);
    floor.wait(1_000);
    const before = floor.state();
    for (const seq of [4, 6]) expect(floor.renew('ann', seq).state).toBe(before);
    expect(floor.renew('stranger', 5).state).toBe(before);
    expect(floor.renew('ann', 5).replies).toEqual([]);
    expect(nextDeadline(floor.state())).toBe(floor.now() + FLOOR_LEASE_MS);
  });

  it('[TALK20] numbers later replies with the number of the request', () => {
    const floor = floorAt('single');
    floor.press('ann', 11);
    floor.press('bob', 22);
    floor.press('cleo', 33);
    floor.leave('ann');
    expect(floor.told()).toMatchObject({ ann: [{ seq: 11 }], bob: [{ seq: 22 }], cleo: [{ seq: 33 }] });
  });
});
