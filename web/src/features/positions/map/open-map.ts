import { addresses } from 'virtual:world-map/ground';
import { addProtocol, Map as MapLibreMap, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { BUNDLED_DRAWN_ZOOM, BUNDLED_MAX_ZOOM, bundledStyle, createTownLayer, GROUND } from './bundled-style.ts';
import { createGroundTiles, readPack } from './ground-tiles.ts';
import styles from './map.module.css';
import { createMapScale } from './map-scale.ts';
import { boundsOf, type MapOptions, type MapView, type Scheme } from './map-view.ts';
import { createMarkerLayer } from './marker-layer.ts';
import { besideCard, type Camera, isBehindCard, isInPicture, worldPoint, worldSize } from './mercator.ts';
import type { Person } from './position-index.ts';
import { attributionsOf, drawnZoom, speakLanguage } from './style-parts.ts';
import { createStyleWatch, isBlank } from './style-watch.ts';
import { createTrailLayers } from './trail-layers.ts';

setWorkerUrl(workerUrl);

/** The zoom at `MAP_CENTER` while there is nobody to see (spec §9). */
const FIRST_ZOOM = 13;
/** The same of the bundled map: coasts, borders and cities instead of one name (POS29). */
const NOBODY_ZOOM = 6;
/** The nearest zoom for a person, where the style can draw that (spec §9). */
const PERSON_ZOOM = 25;
const PADDING_PX = 64;
const MOVE_MS = 600;
/** The nearest zoom for several people: what matters is where they are from each other. */
const PEOPLE_ZOOM = 16;

/** Opens a map in a container. @throws Error where the browser has no WebGL */
export function openMap(options: MapOptions): MapView {
  const { container, styleUrl, language } = options;
  let scheme = options.scheme;
  let isBundled = styleUrl === null;
  /** True until there was somebody to see, or the user moved the map. */
  let isFirstView = true;
  /** The person shown beside their card, and the zoom, until somebody moves the map otherwise. */
  let kept: { userId: string; zoom: number } | null = null;
  const map = new MapLibreMap({
    container,
    style: styleUrl ?? bundledStyle(scheme, language),
    center: options.center,
    zoom: isBundled ? NOBODY_ZOOM : FIRST_ZOOM,
    maxZoom: isBundled ? BUNDLED_MAX_ZOOM : PERSON_ZOOM,
    attributionControl: false,
    cooperativeGestures: true,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    locale: localeOf(options),
    fadeDuration: prefersStillness() ? 0 : 200,
    // Other people's styles are theirs to check.
    validateStyle: false,
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();

  const overlay = document.createElement('div');
  overlay.className = styles.overlay ?? '';
  map.getCanvasContainer().append(overlay);

  const markers = createMarkerLayer({
    root: overlay,
    camera: () => cameraOf(map),
    people: options.people,
    words: options.words,
    now: options.now,
    onChoose: (userId) => options.onChoose(userId),
    onCluster: (members) => openCluster(members),
  });
  const trail = createTrailLayers(map);
  const ground = createGroundTiles(addresses, readPack);
  addProtocol(GROUND, async ({ url }) => {
    const [z = 0, x = 0, y = 0] = url.slice(`${GROUND}://`.length).split('/').map(Number);
    return { data: await ground.tile({ z, x, y }) };
  });
  const towns = createTownLayer(map, () => isBundled);
  const scale = createMapScale(() => cameraOf(map));

  function openCluster(members: readonly Person[]): void {
    const bounds = boundsOf(members);
    if (bounds === null) return;
    kept = null;
    // At a nearer zoom the bundled map is empty, and a list tells them apart better (POS24).
    const nearest = isBundled ? PEOPLE_ZOOM : PERSON_ZOOM;
    const width = spreadOf(members) * worldSize(nearest);
    if (width < 48) options.onCrowd(members.map(({ userId }) => userId));
    else map.fitBounds(bounds, { padding: PADDING_PX, maxZoom: nearest, duration: duration() });
  }
  /** As near to a person as the style shows something, and no farther than the map is already. */
  const personZoom = (): number =>
    Math.max(map.getZoom(), Math.min(PERSON_ZOOM, isBundled ? BUNDLED_DRAWN_ZOOM : drawnZoom(map.getStyle())));
  function goTo(person: Person, zoom: number): void {
    kept = { userId: person.userId, zoom };
    map.easeTo({
      center: [person.lng, person.lat],
      zoom,
      offset: besideCard(cameraOf(map)),
      duration: duration(),
    });
  }
  /** Called when the map has another size, because a phone was turned or a border was dragged (POS23). */
  function keepBeside(): void {
    const person = kept === null ? undefined : options.people().get(kept.userId);
    const camera = cameraOf(map);
    if (kept === null || person === undefined || camera.width === 0 || camera.height === 0) return;
    if (!isInPicture(person, camera) || isBehindCard(person, camera)) goTo(person, kept.zoom);
  }
  const duration = (): number => (prefersStillness() ? 0 : MOVE_MS);

  function fallBack(): void {
    isBundled = true;
    map.setMaxZoom(BUNDLED_MAX_ZOOM);
    map.setStyle(bundledStyle(scheme, language), { diff: false });
    map.setZoom(isFirstView ? NOBODY_ZOOM : Math.min(map.getZoom(), BUNDLED_DRAWN_ZOOM));
  }
  const watch =
    styleUrl === null
      ? null
      : createStyleWatch({
          sources: () => map.getStyle().sources,
          isSettled: (sourceId) => map.isSourceLoaded(sourceId),
          onGivenUp: fallBack,
        });
  let isTold = false;
  function tellStyle(): void {
    if (isTold) return;
    isTold = true;
    options.onStyle({
      source: isBundled ? 'bundled' : 'configured',
      isFallback: isBundled && styleUrl !== null,
      attributions: attributionsOf(map.getStyle()),
    });
  }
  map.on('style.load', () => {
    if (!isBundled) speakLanguage(map, language);
    towns.restore();
    trail.restore();
    watch?.came();
    isTold = false;
    if (!isBundled) tellStyle();
  });
  // Until its land is there, the bundled map shows only sea, wherever the user looks.
  map.on('sourcedata', ({ sourceId }) => {
    if (isBundled && sourceId === GROUND && map.isSourceLoaded(GROUND)) tellStyle();
  });
  // The map doesn't wait for land that never comes.
  map.on('idle', () => {
    if (isBundled) tellStyle();
  });
  // The error comes with its source, where it has one; MapLibre's types don't say so.
  map.on('error', (event: object) => watch?.failed('sourceId' in event ? String(event.sourceId) : undefined));
  map.on('sourcedataloading', ({ tile, sourceId }) => {
    if (tile !== undefined) watch?.asked(sourceId);
  });
  map.on('sourcedata', ({ tile, sourceId, source }) => {
    if (tile !== undefined && !isBlank(source?.type, tile)) watch?.drew(sourceId);
  });
  map.on('idle', () => watch?.settled());
  map.on('webglcontextlost', () => options.onGround(true));
  map.on('webglcontextrestored', () => options.onGround(false));
  map.on('movestart', () => {
    overlay.dataset.moving = 'true';
  });
  map.on('moveend', () => {
    delete overlay.dataset.moving;
    markers.draw();
    towns.draw();
    // A map without some of its ground is still useful: the next move requests the ground again.
    if (isBundled && ground.wasMissing()) map.refreshTiles(GROUND);
  });
  map.on('move', markers.draw);
  map.on('move', scale.update);
  map.on('resize', () => {
    markers.draw();
    showPeople();
    keepBeside();
  });
  map.on('click', () => options.onChoose(null));
  markers.draw();

  map.on('movestart', ({ originalEvent }) => {
    if (originalEvent === undefined) return;
    isFirstView = false;
    kept = null;
  });
  /** Runs once, and not if the user moved the map: the map opens on the people (POS29). */
  function showPeople(): void {
    const { width, height } = cameraOf(map);
    if (!isFirstView || options.people().size === 0 || width === 0 || height === 0) return;
    isFirstView = false;
    frame(options.people().values(), map.isStyleLoaded() ? duration() : 0);
  }
  function frame(people: Iterable<Person>, ms: number): void {
    const bounds = boundsOf(people);
    if (bounds === null) return;
    map.fitBounds(bounds, {
      padding: PADDING_PX,
      maxZoom: isBundled ? BUNDLED_DRAWN_ZOOM : PEOPLE_ZOOM,
      duration: ms,
    });
  }
  function showAll(): void {
    isFirstView = false;
    kept = null;
    frame(options.people().values(), duration());
  }
  showPeople();

  let isClosed = false;
  return {
    changed(change) {
      markers.changed(change);
      showPeople();
    },
    choose(userId) {
      markers.choose(userId);
      const person = userId === null ? undefined : options.people().get(userId);
      trail.showAccuracy(person ?? null);
      if (person === undefined) kept = null;
      // If the map moves to this person already, it must not keep the present, farther zoom.
      else if (kept?.userId !== person.userId) {
        kept = { userId: person.userId, zoom: map.getZoom() };
        if (isBehindCard(person, cameraOf(map))) goTo(person, kept.zoom);
      }
      if (userId === null) trail.showTrail(null);
    },
    panTo(userId) {
      const person = options.people().get(userId);
      if (person === undefined) return false;
      isFirstView = false;
      goTo(person, personZoom());
      return true;
    },
    showAll,
    zoomBy(steps) {
      isFirstView = false;
      kept = null;
      map.easeTo({ zoom: map.getZoom() + steps, duration: duration() / 2 });
    },
    showTrail: trail.showTrail,
    setScheme(next: Scheme) {
      if (next === scheme) return;
      scheme = next;
      if (isBundled) map.setStyle(bundledStyle(scheme, language), { diff: false });
    },
    scale,
    close() {
      if (isClosed) return;
      isClosed = true;
      watch?.close();
      markers.close();
      towns.close();
      map.remove();
    },
  };
}

function cameraOf(map: MapLibreMap): Camera {
  const { lng, lat } = map.getCenter();
  const { clientWidth, clientHeight } = map.getContainer();
  return { center: worldPoint(lng, lat), zoom: map.getZoom(), width: clientWidth, height: clientHeight };
}

/** Returns how far apart people are, as a part of the world's width. */
function spreadOf(people: readonly Person[]): number {
  const [xs, ys] = [people.map(({ x }) => x), people.map(({ y }) => y)];
  return Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
}

const prefersStillness = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

const localeOf = ({ texts }: MapOptions): Record<string, string> => ({
  'Map.Title': texts.title,
  'CooperativeGesturesHandler.WindowsHelpText': texts.cooperative.windows,
  'CooperativeGesturesHandler.MacHelpText': texts.cooperative.mac,
  'CooperativeGesturesHandler.MobileHelpText': texts.cooperative.touch,
});
