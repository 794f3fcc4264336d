import { type Cluster, clusterPeople } from './clusters.ts';
import styles from './map.module.css';
import type { MarkerWords } from './map-view.ts';
import { isStale } from './marker-rules.ts';
import { type Camera, screenPoint, worldSize } from './mercator.ts';
import type { Person, PositionIndexChange } from './position-index.ts';

/** Markers are gathered anew at most this often while people move, ms. */
const GATHER_MS = 500;
/** Ages on markers are counted in minutes. */
const AGE_MS = 15_000;
/** Markers a little outside are kept, so that nothing pops up at the edge, px. */
const MARGIN_PX = 60;

type Clustered = Cluster<Drawn>;
interface Drawn extends Person {
  readonly isAlone: boolean;
}

export interface MarkerLayerDeps {
  /** The markers' container, over the canvas. */
  root: HTMLElement;
  camera: () => Camera;
  people: () => ReadonlyMap<string, Person>;
  words: MarkerWords;
  now: () => number;
  onChoose: (userId: string) => void;
  onCluster: (members: readonly Person[]) => void;
}

/**
 * Draws people as buttons over the map: as few as there is room for, so that thousands cost no more than what can be
 * seen. The browser's compositor moves a marker; the map itself is never redrawn for it.
 */
export function createMarkerLayer(deps: MarkerLayerDeps) {
  const { root, words } = deps;
  const elements = new Map<string, HTMLButtonElement>();
  /** The shown state of each element: most redraws change nothing, and making sentences is expensive. */
  const shown = new WeakMap<HTMLButtonElement, string>();
  let clusters: Clustered[] = [];
  /** By user: the index of those who are drawn by themselves. */
  let ones = new Map<string, number>();
  let gatheredAt = Number.NEGATIVE_INFINITY;
  let gatheredFor = Number.NaN;
  let isGatherDue = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let chosen: string | null = null;
  const ages = setInterval(() => draw(), AGE_MS);

  const drawnOf = (person: Person): Drawn => ({ ...person, isAlone: person.isTalking || person.userId === chosen });

  function gather(zoom: number): void {
    const drawn = [...deps.people().values()].map(drawnOf);
    clusters = clusterPeople(drawn, worldSize(zoom));
    ones = new Map(
      clusters.flatMap(({ members }, index) => (members.length === 1 ? [[members[0]?.userId ?? '', index]] : [])),
    );
    gatheredAt = deps.now();
    gatheredFor = zoom;
    isGatherDue = false;
  }

  /** Gathers if the zoom asks for it or people moved, the latter not too often. Then places the visible markers. */
  function draw(): void {
    const camera = deps.camera();
    const zoom = Math.floor(camera.zoom);
    if (zoom !== gatheredFor) gather(zoom);
    else if (isGatherDue) {
      const wait = waitMs();
      if (wait <= 0) gather(zoom);
      else timer ??= setTimeout(later, wait);
    }
    place(camera);
  }
  const waitMs = (): number => gatheredAt + GATHER_MS - deps.now();
  const later = (): void => {
    timer = undefined;
    draw();
  };

  function place(camera: Camera): void {
    const seen = new Set<string>();
    for (const cluster of clusters) {
      const { x, y } = drawnAt(cluster, camera);
      if (!isSeen(x, y, camera)) continue;
      seen.add(cluster.key);
      const known = elements.get(cluster.key);
      const element = known ?? createElement(cluster.key);
      moveTo(element, x, y);
      show(element, cluster);
      if (known === undefined) root.append(element);
    }
    for (const [key, element] of elements) {
      if (seen.has(key)) continue;
      elements.delete(key);
      element.remove();
    }
  }

  /** Redraws a marker that is drawn already. */
  function redraw(cluster: Clustered): void {
    const element = elements.get(cluster.key);
    if (element === undefined) return;
    const { x, y } = drawnAt(cluster, deps.camera());
    moveTo(element, x, y);
    show(element, cluster);
  }

  function createElement(key: string): HTMLButtonElement {
    const element = document.createElement('button');
    element.type = 'button';
    element.className = styles.marker ?? '';
    element.append(document.createElement('span'), document.createElement('small'));
    element.addEventListener('click', (event) => {
      event.stopPropagation();
      const cluster = clusters.find((one) => one.key === key);
      const [first] = cluster?.members ?? [];
      if (cluster === undefined || first === undefined) return;
      if (cluster.members.length === 1) deps.onChoose(first.userId);
      else deps.onCluster(cluster.members);
    });
    elements.set(key, element);
    return element;
  }

  function show(element: HTMLButtonElement, { members }: Clustered): void {
    const [person] = members;
    if (person === undefined) return;
    const isOne = members.length === 1;
    const ageMs = deps.now() - person.seenAt;
    let here = 0;
    for (const { isInRoom } of members) if (isInRoom) here += 1;
    const isOld = isOne && isStale(ageMs);
    const age = isOld ? words.age(ageMs) : '';
    const look = isOne
      ? [person.userId, person.name, here, person.isTalking, age, person.userId === chosen].join('|')
      : `${members.length}|${here}`;
    if (shown.get(element) === look) return;
    shown.set(element, look);
    const [shape, note] = [element.firstElementChild, element.lastElementChild];
    setText(shape, isOne ? person.label : String(members.length));
    setText(note, age);
    setData(element, 'marker', isOne ? person.userId : 'cluster');
    setData(element, 'here', here > 0 ? 'true' : 'false');
    setData(element, 'talking', isOne && person.isTalking ? 'true' : 'false');
    setData(element, 'stale', isOld ? 'true' : 'false');
    setData(element, 'chosen', isOne && person.userId === chosen ? 'true' : 'false');
    const name = isOne ? words.one(person, ageMs) : words.many(members.length, here);
    if (element.getAttribute('aria-label') !== name) element.setAttribute('aria-label', name);
  }

  return {
    draw,
    /** Called after people moved, came or went. */
    changed(change: PositionIndexChange): void {
      isGatherDue = true;
      if (change === null) gatheredAt = Number.NEGATIVE_INFINITY;
      for (const userId of change ?? []) {
        const index = ones.get(userId);
        const person = deps.people().get(userId);
        // A person who talks is taken out of a cluster at once.
        if (index === undefined) gatheredAt = person?.isTalking ? Number.NEGATIVE_INFINITY : gatheredAt;
        else if (person !== undefined) {
          const { x, y } = person;
          const { key, aside } = clusters[index] ?? { key: userId, aside: { x: 0, y: 0 } };
          const cluster = { key, aside, x, y, members: [drawnOf(person)] };
          clusters[index] = cluster;
          redraw(cluster);
        }
      }
      if (change === null || waitMs() <= 0) draw();
      else timer ??= setTimeout(later, waitMs());
    },
    choose(userId: string | null): void {
      chosen = userId;
      isGatherDue = true;
      gatheredAt = Number.NEGATIVE_INFINITY;
      draw();
    },
    focus: (userId: string): void => elements.get(userId)?.focus(),
    close(): void {
      clearTimeout(timer);
      clearInterval(ages);
      for (const element of elements.values()) element.remove();
      elements.clear();
    },
  };
}

function drawnAt({ aside, ...place }: Clustered, camera: Camera): { x: number; y: number } {
  const { x, y } = screenPoint(place, camera);
  return { x: x + aside.x, y: y + aside.y };
}

const isSeen = (x: number, y: number, { width, height }: Camera): boolean =>
  x > -MARGIN_PX && y > -MARGIN_PX && x < width + MARGIN_PX && y < height + MARGIN_PX;

function moveTo(element: HTMLElement, x: number, y: number): void {
  const transform = `translate(${Math.round(x * 10) / 10}px, ${Math.round(y * 10) / 10}px)`;
  if (element.style.transform !== transform) element.style.transform = transform;
}

/** Skips equal texts, because writing one costs the browser as much as a new one. */
function setText(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function setData(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}
