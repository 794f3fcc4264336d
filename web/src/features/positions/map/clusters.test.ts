import { expect, test } from 'vitest';
import { type Clusterable, clusterPeople } from './clusters.ts';
import { worldPoint, worldSize } from './mercator.ts';

const person = (userId: string, lng: number, lat: number, isAlone = false): Clusterable => ({
  userId,
  isAlone,
  ...worldPoint(lng, lat),
});
const keys = (people: readonly Clusterable[], zoom: number) =>
  clusterPeople(people, worldSize(zoom)).map(({ members }) => members.map(({ userId }) => userId).join('+'));

const PARIS = person('paris', 2.35, 48.85);
const VERSAILLES = person('versailles', 2.13, 48.8);
const TOKYO = person('tokyo', 139.7, 35.7);

test('[POS24] whom a marker would cover is drawn with the other, until the zoom takes them apart', () => {
  expect(keys([PARIS, VERSAILLES, TOKYO], 4)).toEqual(['paris+versailles', 'tokyo']);
  expect(keys([PARIS, VERSAILLES, TOKYO], 12)).toEqual(['paris', 'versailles', 'tokyo']);
});

test('a cluster is in the middle of its members', () => {
  const [cluster] = clusterPeople([PARIS, VERSAILLES], worldSize(4));
  expect(cluster?.x).toBeCloseTo((PARIS.x + VERSAILLES.x) / 2, 9);
});

test('[POS24] who talks or was chosen is always drawn alone', () => {
  expect(keys([PARIS, { ...VERSAILLES, isAlone: true }, person('c', 2.36, 48.86)], 4)).toEqual([
    'versailles',
    'paris+c',
  ]);
});

test('[POS24] whom somebody alone would cover is drawn beside them, each at a place of their own', () => {
  const there = ['talks', 'chosen', 'a', 'b'].map((userId) =>
    person(userId, 2.35, 48.85, userId !== 'a' && userId !== 'b'),
  );
  const size = worldSize(13);
  const clusters = clusterPeople(there, size);
  expect(clusters.map(({ members }) => members.length)).toEqual([1, 1, 2]);
  expect(clusters[0]?.aside).toEqual({ x: 0, y: 0 });
  const places = clusters.map(({ x, y, aside }) => [x * size + aside.x, y * size + aside.y] as const);
  for (const [index, [x, y]] of places.entries()) {
    for (const [otherX, otherY] of places.slice(index + 1))
      expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(30);
  }
  // Others stay where they are.
  expect(clusterPeople([PARIS, VERSAILLES], size).map(({ aside }) => aside)).toEqual([
    { x: 0, y: 0 },
    { x: 0, y: 0 },
  ]);
});

test('the same people give the same clusters, each person in one', () => {
  const crowd = Array.from({ length: 5_000 }, (_, index) =>
    person(String(index), ((index * 7_919) % 36_000) / 100 - 180, ((index * 104_729) % 16_000) / 100 - 80),
  );
  for (const zoom of [0, 2, 5, 9]) {
    const clusters = clusterPeople(crowd, worldSize(zoom));
    const members = clusters.flatMap((one) => one.members.map(({ userId }) => userId));
    expect(members).toHaveLength(crowd.length);
    expect(new Set(members).size).toBe(crowd.length);
    expect(clusterPeople(crowd, worldSize(zoom))).toEqual(clusters);
  }
  expect(clusterPeople(crowd, worldSize(0)).length).toBeLessThan(150);
});
