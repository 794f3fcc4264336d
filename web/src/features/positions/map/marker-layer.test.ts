import type { UserId } from '@pressel/contract/ids';
import { POSITION_STALE_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleId } from '#test/samples.ts';
import { createMarkerLayer } from './marker-layer.ts';
import { type Camera, worldPoint } from './mercator.ts';
import type { Person } from './position-index.ts';

const [ANA, BO] = [sampleId(1) as UserId, sampleId(2) as UserId];
const PARIS = worldPoint(2.35, 48.85);
const BREST = worldPoint(-4.49, 48.39);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const person = (userId: UserId, name: string, change: Partial<Person> = {}): Person => ({
  ...{ userId, name, label: name.slice(0, 3).toUpperCase(), lng: 2.35, lat: 48.85, ...PARIS, accuracy: null },
  ...{ recordedAt: new Date(0).toISOString(), seenAt: 0, activity: undefined, isInRoom: true, isTalking: false },
  ...change,
});

/** Shows markers over a picture of Paris, with a clock that begins at 0. */
function show(...shown: Person[]) {
  vi.setSystemTime(0);
  const root = document.createElement('div');
  const people = new Map(shown.map((one) => [one.userId as string, one]));
  const camera: Camera = { center: PARIS, zoom: 13, width: 800, height: 600 };
  const chosen: string[] = [];
  const crowds: string[][] = [];
  const layer = createMarkerLayer({
    root,
    camera: () => camera,
    people: () => people,
    words: {
      one: ({ name }, ageMs) => `${name}, ${ageMs} ms`,
      many: (count, here) => `${count}, ${here} ici`,
      age: (ageMs) => `${Math.floor(ageMs / 60_000)} min`,
    },
    now: () => Date.now(),
    onChoose: (userId) => chosen.push(userId),
    onCluster: (members) => crowds.push(members.map(({ name }) => name)),
  });
  layer.draw();
  const markers = () => [...root.querySelectorAll('button')];
  return {
    layer,
    root,
    chosen,
    crowds,
    markers,
    marker(userId: UserId): HTMLButtonElement {
      const found = markers().find(({ dataset }) => dataset.marker === userId);
      if (found === undefined) throw new Error('no marker of theirs');
      return found;
    },
    change(userId: UserId, change: Partial<Person>) {
      const known = people.get(userId);
      if (known !== undefined) people.set(userId, { ...known, ...change });
      layer.changed(new Set([userId]));
    },
    leave(userId: UserId) {
      people.delete(userId);
      layer.changed(null);
    },
  };
}

test('[POS20] [POS21] a marker has a label and a name, and differs by who is here', () => {
  const { marker } = show(person(ANA, 'Ana'), person(BO, 'Bo', { isInRoom: false, x: PARIS.x + 0.00005 }));
  expect(marker(ANA).firstElementChild).toHaveTextContent('ANA');
  expect(marker(ANA)).toHaveAccessibleName('Ana, 0 ms');
  expect(marker(ANA)).toHaveAttribute('data-here', 'true');
  expect(marker(BO)).toHaveAttribute('data-here', 'false');
});

test('[POS21] who talks has the ring while they talk', () => {
  const { marker, change } = show(person(ANA, 'Ana'));
  expect(marker(ANA)).toHaveAttribute('data-talking', 'false');
  change(ANA, { isTalking: true });
  expect(marker(ANA)).toHaveAttribute('data-talking', 'true');
  change(ANA, { isTalking: false });
  expect(marker(ANA)).toHaveAttribute('data-talking', 'false');
});

test('[POS22] a position gets stale by itself, and says how old it is until there is a newer one', () => {
  const { marker, change } = show(person(ANA, 'Ana'));
  vi.advanceTimersByTime(POSITION_STALE_MS);
  expect(marker(ANA)).toHaveAttribute('data-stale', 'false');
  expect(marker(ANA).lastElementChild).toBeEmptyDOMElement();
  vi.advanceTimersByTime(60_000);
  expect(marker(ANA)).toHaveAttribute('data-stale', 'true');
  expect(marker(ANA).lastElementChild).toHaveTextContent('11 min');
  change(ANA, { seenAt: Date.now() });
  expect(marker(ANA)).toHaveAttribute('data-stale', 'false');
  expect(marker(ANA).lastElementChild).toBeEmptyDOMElement();
});

test('[POS24] markers that would cover each other are one with a count, which who talks leaves at once', () => {
  const { markers, marker, crowds, chosen, change } = show(
    person(ANA, 'Ana', { seenAt: -2 * POSITION_STALE_MS }),
    person(BO, 'Bo', { isInRoom: false }),
  );
  const [cluster] = markers();
  expect(markers()).toHaveLength(1);
  expect(cluster).toHaveAttribute('data-marker', 'cluster');
  expect(cluster).toHaveAccessibleName('2, 1 ici');
  expect(cluster?.firstElementChild).toHaveTextContent('2');
  expect(cluster).toHaveAttribute('data-here', 'true');
  expect(cluster).toHaveAttribute('data-stale', 'false');
  cluster?.click();
  expect(crowds).toEqual([['Ana', 'Bo']]);

  change(BO, { isTalking: true });
  expect(markers()).toHaveLength(2);
  expect(marker(BO)).toHaveAttribute('data-talking', 'true');
  marker(BO).click();
  expect(chosen).toEqual([BO]);
});

test('[POS24] who is chosen is drawn by themselves, and marked', () => {
  const { markers, marker, layer } = show(person(ANA, 'Ana'), person(BO, 'Bo'));
  layer.choose(BO);
  expect(marker(BO)).toHaveAttribute('data-chosen', 'true');
  expect(marker(ANA)).toHaveAttribute('data-chosen', 'false');
  layer.choose(null);
  expect(markers()).toHaveLength(1);
});

test('[POS5] a marker moves with its person, and goes when it is out of the picture or nobody’s', () => {
  const { marker, markers, change, leave } = show(person(ANA, 'Ana'), person(BO, 'Bo', { x: PARIS.x + 0.00005 }));
  const before = marker(ANA);
  expect(before.style.transform).toBe('translate(400px, 300px)');
  change(ANA, { y: PARIS.y - 0.00001 });
  expect(marker(ANA)).toBe(before);
  expect(before.style.transform).not.toBe('translate(400px, 300px)');
  change(ANA, BREST);
  // Other markers than those drawn are gathered at most twice a second (POS26).
  vi.advanceTimersByTime(500);
  expect(markers()).toEqual([marker(BO)]);
  leave(BO);
  expect(markers()).toEqual([]);
});

test('a layer that is closed draws nothing more', () => {
  const { layer, markers } = show(person(ANA, 'Ana'));
  layer.close();
  vi.advanceTimersByTime(60_000);
  expect(markers()).toEqual([]);
});
