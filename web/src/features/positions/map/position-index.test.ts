import type { UserId } from '@pressel/contract/ids';
import type { LocationNews, MemberPosition } from '@pressel/contract/positions';
import { expect, test } from 'vitest';
import { sampleId } from '#test/samples.ts';
import { createPositionIndex, type PositionIndexChange } from './position-index.ts';

const id = (n: number) => sampleId(n) as UserId;
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds)).toISOString();
const news = (n: number, seconds: number, lat = 48): LocationNews => ({
  ...{ userId: id(n), lat, lng: 2, accuracy: null, recordedAt: at(seconds), ageMs: 0 },
});
const row = (n: number, seconds: number, lat = 48): MemberPosition => ({
  ...news(n, seconds, lat),
  ...{ display_name: `Membre ${n}`, pseudo: '', userActivities: [] },
});

function open() {
  let frame: (() => void) | undefined;
  const changes: PositionIndexChange[] = [];
  const positions = createPositionIndex({
    now: () => 1_000_000,
    onFrame(act) {
      expect(frame).toBeUndefined();
      frame = act;
    },
  });
  positions.subscribe((change) => changes.push(change));
  return {
    positions,
    changes,
    draw() {
      frame?.();
      frame = undefined;
    },
    lat: (n: number) => positions.people().get(id(n))?.lat,
  };
}

test('[POS26] however many moves come between two pictures, they are told once', () => {
  const { positions, changes, draw } = open();
  positions.replace([row(1, 0), row(2, 0)]);
  draw();
  for (let second = 1; second < 100; second += 1) positions.move(news(1 + (second % 2), second));
  expect(changes).toEqual([null]);
  draw();
  expect(changes).toEqual([null, new Set([id(2), id(1)])]);
  draw();
  expect(changes).toHaveLength(2);
});

test('[POS4] of two positions the later one counts, in whichever order they come', () => {
  const { positions, lat } = open();
  positions.replace([row(1, 10, 50)]);
  expect(positions.move(news(1, 5, 10))).toBe(true);
  expect(lat(1)).toBe(50);
  positions.move(news(1, 20, 51));
  positions.replace([row(1, 10, 50)]);
  expect(lat(1)).toBe(51);
  positions.add([row(1, 30, 52)]);
  expect(lat(1)).toBe(52);
});

test('whoever is not known is said to be so', () => {
  const { positions } = open();
  expect(positions.move(news(1, 1))).toBe(false);
  expect(positions.people().size).toBe(0);
});

test('a person who did not move is the very same one', () => {
  const { positions } = open();
  positions.replace([row(1, 0), row(2, 0)]);
  const before = positions.people().get(id(1));
  positions.move(news(2, 1));
  expect(positions.people().get(id(1))).toBe(before);
});

test('[POS21] who is here and who talks comes from the room; two devices of one user talk when one does', () => {
  const { positions, changes, draw } = open();
  positions.setParticipants([{ userId: id(1), name: '', isTalking: false }]);
  positions.replace([row(1, 0), row(2, 0)]);
  draw();
  const seen = () => [...positions.people().values()].map(({ isInRoom, isTalking }) => [isInRoom, isTalking]);
  expect(seen()).toEqual([
    [true, false],
    [false, false],
  ]);
  positions.setParticipants([
    { userId: id(2), name: '', isTalking: true },
    { userId: id(2), name: '', isTalking: false },
  ]);
  draw();
  expect(seen()).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(changes.at(-1)).toEqual(new Set([id(1), id(2)]));
});

test('its age when it was sent dates a position by this page’s own clock', () => {
  const { positions } = open();
  positions.replace([{ ...row(1, 0), ageMs: 400_000 }]);
  expect(positions.people().get(id(1))?.seenAt).toBe(600_000);
});
