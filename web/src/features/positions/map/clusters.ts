import type { WorldPoint } from './mercator.ts';

/** Markers nearer to each other than this are drawn as one, px. */
const RADIUS_PX = 44;
/** A marker nearer than this to one that is drawn alone is hidden by it, px. */
const COVERED_PX = 32;
/** The offsets where it is drawn instead: the first free one. */
const ASIDE_PX = [0, 180, 60, 240, 120, 300].map((degrees) => {
  const angle = (degrees * Math.PI) / 180;
  return { x: Math.round(RADIUS_PX * Math.cos(angle)), y: Math.round(RADIUS_PX * Math.sin(angle)) };
});
const IN_PLACE = { x: 0, y: 0 };

/** Somebody on the map, as input for clustering. */
export interface Clusterable extends WorldPoint {
  readonly userId: string;
  /** Always drawn by themselves: people who talk, and the chosen one. */
  readonly isAlone: boolean;
}

/** A marker or cluster that is drawn at one place. `key` stays the same while its first member does. */
export interface Cluster<P extends Clusterable> extends WorldPoint {
  readonly key: string;
  readonly members: readonly P[];
  /** The offset from its place, px, if it is drawn beside somebody who would cover it. */
  readonly aside: Readonly<{ x: number; y: number }>;
}

/**
 * Clusters people whose markers would cover each other, at a size of the world (px). People come in a fixed order, and
 * the first of a cluster is its key. So the same people give the same clusters.
 */
export function clusterPeople<P extends Clusterable>(people: Iterable<P>, size: number): Cluster<P>[] {
  const radius = RADIUS_PX / size;
  const cells = new Map<string, P[]>();
  const clusters: Cluster<P>[] = [];
  const crowd: P[] = [];
  for (const person of people) {
    if (person.isAlone) clusters.push(clusterOf([person]));
    else {
      crowd.push(person);
      const cell = cellOf(person, radius);
      const there = cells.get(cell);
      if (there === undefined) cells.set(cell, [person]);
      else there.push(person);
    }
  }
  const taken = new Set<string>();
  for (const person of crowd) {
    if (taken.has(person.userId)) continue;
    const near = neighbours(person, cells, radius).filter(({ userId }) => !taken.has(userId));
    for (const { userId } of near) taken.add(userId);
    clusters.push(clusterOf([person, ...near.filter((one) => one !== person)]));
  }
  return besideThoseAlone(clusters, size);
}

/** People who talk or were chosen are never part of a cluster. A marker that they would cover makes room (POS24). */
function besideThoseAlone<P extends Clusterable>(clusters: readonly Cluster<P>[], size: number): Cluster<P>[] {
  const taken: WorldPoint[] = [];
  const placeOf = ({ x, y }: WorldPoint, aside: WorldPoint) => ({ x: x * size + aside.x, y: y * size + aside.y });
  const isFree = ({ x, y }: WorldPoint) => taken.every((one) => Math.hypot(one.x - x, one.y - y) >= COVERED_PX);
  return clusters.map((cluster) => {
    const aside = [IN_PLACE, ...ASIDE_PX].find((one) => isFree(placeOf(cluster, one))) ?? IN_PLACE;
    if (aside !== IN_PLACE || cluster.members[0]?.isAlone) taken.push(placeOf(cluster, aside));
    return { ...cluster, aside };
  });
}

const column = (value: number, radius: number): number => Math.floor(value / radius);
const cellOf = ({ x, y }: WorldPoint, radius: number): string => `${column(x, radius)} ${column(y, radius)}`;

function neighbours<P extends Clusterable>(
  { x, y }: WorldPoint,
  cells: ReadonlyMap<string, readonly P[]>,
  radius: number,
): P[] {
  const found: P[] = [];
  for (let across = -1; across <= 1; across += 1) {
    for (let down = -1; down <= 1; down += 1) {
      for (const other of cells.get(`${column(x, radius) + across} ${column(y, radius) + down}`) ?? []) {
        if (Math.hypot(other.x - x, other.y - y) < radius) found.push(other);
      }
    }
  }
  return found;
}

function clusterOf<P extends Clusterable>(members: readonly P[]): Cluster<P> {
  const sum = members.reduce((total, one) => ({ x: total.x + one.x, y: total.y + one.y }), { x: 0, y: 0 });
  return {
    key: members[0]?.userId ?? '',
    members,
    aside: IN_PLACE,
    x: sum.x / members.length,
    y: sum.y / members.length,
  };
}
