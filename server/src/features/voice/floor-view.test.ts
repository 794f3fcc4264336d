import { FLOOR_LEASE_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { floorReply, floorSnapshot as snapshotSchema } from '@pressel/contract/voice';
import { describe, expect, it } from 'vitest';
import { CHANNEL, floorAt, granted, id, userOf } from '#test/floor-harness.ts';
import { applyFloor, type FloorInput } from './floor.ts';
import { inChannel } from './floor-answers.ts';
import { type FloorState, floorSnapshot, nextDeadline, talkerChanges } from './floor-state.ts';

describe('open mode', () => {
  it('[TALK21] grants everybody, each with an own lease and timer', () => {
    const floor = floorAt('open');
    expect(floor.press('ann')).toEqual(granted(1));
    floor.wait(1_000);
    expect(floor.press('boss', 1, { priority: 1, queue: false })).toEqual(granted(1));
    expect(floor.talkers()).toEqual(['ann', 'boss']);
    floor.tickAfter(FLOOR_LEASE_MS - 1_000);
    expect(floor.told()).toEqual({ ann: [{ type: 'revoked', seq: 1, reason: 'lease_expired' }] });
    expect(floor.talkers()).toEqual(['boss']);
  });

  it('[TALK22] keeps the first talker when the mode changes to single', () => {
    const floor = floorAt('open');
    floor.press('ann');
    floor.press('boss', 1, { priority: 1 });
    floor.press('cleo', 8);
    floor.mode('single');
    expect(floor.told()).toEqual({
      boss: [{ type: 'revoked', seq: 1, reason: 'mode_changed' }],
      cleo: [{ type: 'revoked', seq: 8, reason: 'mode_changed' }],
    });
    expect(floor.talkers()).toEqual(['ann']);
  });

  it('[TALK23] grants all who wait when the mode changes to open', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo']) floor.press(name);
    floor.mode('open');
    expect(floor.told()).toEqual({ bob: [granted(1)], cleo: [granted(1)] });
    expect([floor.talkers(), floor.waiting()]).toEqual([['ann', 'bob', 'cleo'], []]);
    expect(floor.mode('open')).toMatchObject({ changed: false, replies: [] });
  });

  it('[TALK29] keeps the mode of the newest version of the channel, in whatever order they are told', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob']) floor.press(name);
    floor.mode('open', 7);
    expect(floor.mode('single', 6)).toMatchObject({ changed: false, replies: [] });
    expect(floor.mode('single', 7)).toMatchObject({ changed: false, replies: [] });
    expect(floor.talkers()).toEqual(['ann', 'bob']);
    floor.mode('open', 9);
    floor.mode('single', 8);
    expect(floor.state().mode).toBe('open');
    floor.mode('single', 10);
    expect(floor.talkers()).toEqual(['ann']);
  });

  it('[TALK30] shows a new name of who talks, and tells it with the next answer of who waits', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo']) floor.press(name);
    expect(floor.rename('ann', 'Anne')).toMatchObject({ changed: true, replies: [] });
    expect(floorSnapshot(floor.state(), CHANNEL, floor.now()).talkers).toMatchObject([{ id: 'ann', name: 'Anne' }]);
    expect(floor.press('dan', 1, { queue: false })).toMatchObject({ reason: 'taken', talkerName: 'Anne' });
    expect(floor.rename('bob', 'Robert')).toMatchObject({ changed: false });
    floor.release('ann', 2);
    expect(floorSnapshot(floor.state(), CHANNEL, floor.now()).talkers).toMatchObject([{ id: 'bob', name: 'Robert' }]);
    const { state } = floor.rename('bob', 'Robert');
    expect(floor.rename('stranger', 'Nobody').state).toBe(state);
  });
});

describe('what the others see', () => {
  it('[TALK24] raises the version by one with each change that shows, and with nothing else', () => {
    const floor = floorAt('single');
    const versions = [
      () => floor.press('ann'),
      () => floor.press('bob'),
      () => floor.renew('ann', 1),
      () => floor.press('ann', 3),
      () => floor.release('stranger', 1),
      () => floor.tickAfter(10),
      () => floor.press('cleo', 1, { queue: false }),
      () => floor.release('ann', 4),
      () => floor.mode('open'),
    ].map((act) => {
      act();
      return floor.state().version;
    });
    expect(versions).toEqual([1, 2, 2, 2, 2, 2, 2, 3, 4]);
  });

  it('[TALK24] shows talkers with spans of time, and the queue, in the shape of the contract', () => {
    const floor = floorAt('single');
    floor.press('ann');
    floor.press('bob');
    const snapshot = floorSnapshot(floor.state(), CHANNEL, floor.now() + 1_500);
    expect(snapshotSchema().parse(snapshot)).toEqual({
      channelId: CHANNEL,
      version: 2,
      mode: 'single',
      talkers: [{ id: 'ann', userId: userOf('ann'), name: 'ANN', talkingMs: 1_500, remainingMs: TALK_MAX_MS - 1_500 }],
      queue: ['bob'],
    });
    expect(floorSnapshot(floor.state(), CHANNEL, 0).talkers[0]).toMatchObject({
      talkingMs: 0,
      remainingMs: TALK_MAX_MS,
    });
  });

  it('[TALK24] names who got and who lost the floor', () => {
    const floor = floorAt('single');
    floor.press('ann');
    const before = floor.state();
    floor.press('boss', 1, { priority: 1 });
    const changes = talkerChanges(before, floor.state()).map(({ talker, talking }) => [talker.id, talking]);
    expect(changes).toEqual([
      ['ann', false],
      ['boss', true],
    ]);
    expect(talkerChanges(before, before)).toEqual([]);
  });

  it('[TALK26] continues from its JSON copy', () => {
    const floor = floorAt('single');
    for (const name of ['ann', 'bob', 'cleo']) floor.press(name);
    const stored: FloorState = JSON.parse(JSON.stringify(floor.state()));
    const input: FloorInput = { type: 'release', id: id('ann'), seq: 2 };
    expect(applyFloor(stored, input, floor.now())).toEqual(applyFloor(floor.state(), input, floor.now()));
  });

  it('[TALK26] tells when the next tick is due, and that an idle floor needs none', () => {
    const floor = floorAt('single');
    expect(nextDeadline(floor.state())).toBeNull();
    const start = floor.now();
    floor.press('ann');
    expect(nextDeadline(floor.state())).toBe(start + FLOOR_LEASE_MS);
    floor.wait(500);
    floor.press('bob');
    floor.renew('ann', 1);
    expect(nextDeadline(floor.state())).toBe(start + 500 + FLOOR_LEASE_MS);
    floor.release('ann', 2);
    floor.release('bob', 2);
    expect(nextDeadline(floor.state())).toBeNull();
  });

  it('[TALK19] speaks the words of the contract', () => {
    const floor = floorAt('single');
    const steps = [
      () => floor.press('ann'),
      () => floor.press('bob'),
      () => floor.press('cleo', 1, { queue: false }),
      () => floor.press('boss', 1, { priority: 1 }),
      () => floor.release('boss', 2),
    ];
    for (const act of steps) {
      act();
      for (const reply of Object.values(floor.told()).flat()) {
        const addressed = inChannel(reply, CHANNEL);
        expect(floorReply().parse(addressed)).toEqual(addressed);
      }
    }
  });
});
