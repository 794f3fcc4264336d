import { address as labelsDe } from 'virtual:world-map/labels-de';
import { address as labelsEn } from 'virtual:world-map/labels-en';
import { address as labelsFr } from 'virtual:world-map/labels-fr';
import { cells } from 'virtual:world-map/towns';
import latinExt from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?url';
import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import vietnamese from '@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2?url';
import type {
  ExpressionSpecification,
  GeoJSONSource,
  Map as MapLibreMap,
  StyleSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import type { Language } from '#src/shared/languages.ts';
import { GROUND_MAX_ZOOM } from './ground-tiles.ts';
import type { Scheme } from './map-view.ts';
import { cellsInView, createTownLoader, readTowns, townsOf } from './town-cells.ts';

const LABELS: Record<Language, string> = { fr: labelsFr, en: labelsEn, de: labelsDe };

/** The source of all that is drawn of the ground, and the scheme of its tiles' addresses (ground-tiles.ts). */
export const GROUND = 'ground';
/** The source of towns, which are loaded when they come into view, and their picture. */
const TOWNS = 'towns';
const TOWN_DOT = 'town';

/** Calm greys: colours are for people. */
const PALETTES = {
  light: {
    ...{ sea: '#d3dde6', land: '#f5f6f4', coast: '#9fb0be', border: '#a3aeb8' },
    ...{ urban: '#e6e7e3', river: '#b4c6d5', region: '#d2d7da' },
    ...{ text: '#3d4852', dim: '#5d6974', town: '#62717f' },
  },
  dark: {
    ...{ sea: '#0a0f14', land: '#1c2228', coast: '#46535f', border: '#4d5963' },
    ...{ urban: '#282f36', river: '#2b4152', region: '#2d353c' },
    ...{ text: '#b4bec8', dim: '#8d99a5', town: '#86919c' },
  },
} as const satisfies Record<Scheme, Record<string, string>>;

/** A nearer zoom shows nothing more that tells two places apart. */
export const BUNDLED_MAX_ZOOM = 18;
/** The nearest zoom when moving to a person: towns are still in sight. */
export const BUNDLED_DRAWN_ZOOM = 11;

/** MapLibre fetches in a worker, which knows no page to start from. */
const absolute = (address: string): string => new URL(address, window.location.href).href;
const FONT = ['Inter'];

const groundOf = (layer: string) => ({ source: GROUND, 'source-layer': layer });
/** A stop of the zoom, with the widths there of rivers of the greatest and of the least rank. */
const riverWidths = (zoom: number, px: number): [number, ExpressionSpecification] => [
  zoom,
  ['interpolate', ['linear'], ['get', 'rank'], 0, px * 1.5, 9, px * 0.6],
];

/** The map that comes with the app: it loads nothing from elsewhere. */
export function bundledStyle(scheme: Scheme, language: Language): StyleSpecification {
  const palette = PALETTES[scheme];
  const geojson = (address: string) => ({ type: 'geojson' as const, data: absolute(address) });
  const labels: NonNullable<SymbolLayerSpecification['layout']> = {
    'text-field': ['get', 'name'],
    'text-font': FONT,
    'symbol-sort-key': ['get', 'rank'],
  };
  const halo = { 'text-halo-color': palette.land, 'text-halo-width': 1.4 };
  return {
    version: 8,
    'font-faces': {
      Inter: [
        { url: absolute(latin), 'unicode-range': ['U+0000-00FF', 'U+0131', 'U+0152-0153', 'U+2000-206F'] },
        { url: absolute(latinExt), 'unicode-range': ['U+0100-02BA', 'U+1E00-1E9F', 'U+1EF2-1EFF'] },
        { url: absolute(vietnamese), 'unicode-range': ['U+1EA0-1EF1'] },
      ],
    },
    sources: {
      [GROUND]: {
        type: 'vector',
        tiles: [`${GROUND}://{z}/{x}/{y}`],
        maxzoom: GROUND_MAX_ZOOM,
        attribution: 'Natural Earth',
      },
      labels: { ...geojson(LABELS[language]), attribution: 'GeoNames' },
      [TOWNS]: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
      { id: 'land', type: 'fill', ...groundOf('land'), paint: { 'fill-color': palette.land } },
      { id: 'urban', type: 'fill', ...groundOf('urban'), paint: { 'fill-color': palette.urban } },
      { id: 'lakes', type: 'fill', ...groundOf('lakes'), paint: { 'fill-color': palette.sea } },
      {
        id: 'rivers',
        type: 'line',
        ...groundOf('rivers'),
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: {
          'line-color': palette.river,
          // Rivers of a smaller rank are wider.
          'line-width': ['interpolate', ['linear'], ['zoom'], ...riverWidths(4, 0.6), ...riverWidths(11, 2.4)],
        },
      },
      {
        id: 'coast',
        type: 'line',
        ...groundOf('land'),
        paint: { 'line-color': palette.coast, 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.5, 8, 1.4] },
      },
      {
        id: 'regions',
        type: 'line',
        ...groundOf('regions'),
        paint: {
          'line-color': palette.region,
          'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.5, 8, 1.2],
        },
      },
      {
        id: 'borders',
        type: 'line',
        ...groundOf('borders'),
        paint: {
          'line-color': palette.border,
          'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.5, 8, 1.6],
          'line-dasharray': [4, 2],
        },
      },
      // Below the cities, which are placed first: no town takes a city's space.
      {
        id: 'towns',
        type: 'symbol',
        source: TOWNS,
        minzoom: 6,
        // 40,000 people, 10,000, 3,000, 1,500, all. Files of towns follow it (web/vite/world-map/towns.ts).
        filter: ['>=', ['get', 'rank'], ['step', ['zoom'], 46, 7, 40, 8, 35, 9, 32, 10, 0]],
        layout: {
          'icon-image': TOWN_DOT,
          'text-field': ['get', 'name'],
          'text-font': FONT,
          'text-size': ['interpolate', ['linear'], ['get', 'rank'], 33, 11, 50, 13],
          'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
          'text-radial-offset': 0.45,
          'text-justify': 'auto',
          'text-padding': 6,
          'symbol-sort-key': ['-', ['get', 'rank']],
        },
        paint: { 'text-color': palette.town, 'icon-color': palette.town, ...halo },
      },
      {
        id: 'places',
        type: 'circle',
        source: 'labels',
        minzoom: 4,
        filter: ['!=', ['get', 'kind'], 'country'],
        paint: {
          'circle-radius': ['match', ['get', 'kind'], 'capital', 3, 2.2],
          'circle-color': palette.dim,
          'circle-opacity': ['interpolate', ['linear'], ['zoom'], 4, 0, 4.6, 1],
        },
      },
      {
        id: 'cities',
        type: 'symbol',
        source: 'labels',
        minzoom: 3,
        filter: ['!=', ['get', 'kind'], 'country'],
        layout: {
          ...labels,
          'text-size': ['interpolate', ['linear'], ['zoom'], 3, 11, 8, 14],
          'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
          'text-radial-offset': 0.5,
          'text-justify': 'auto',
        },
        paint: { 'text-color': palette.dim, ...halo },
      },
      {
        id: 'countries',
        type: 'symbol',
        source: 'labels',
        maxzoom: 7.5,
        // The smallest would push aside the cities around them.
        filter: [
          'all',
          ['==', ['get', 'kind'], 'country'],
          ['<', ['get', 'rank'], ['step', ['zoom'], 70, 3, 110, 4, 150, 5, 190, 6, 1_000]],
        ],
        layout: {
          ...labels,
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 11, 5, 16],
          'text-max-width': 7,
          'text-letter-spacing': 0.02,
        },
        paint: { 'text-color': palette.text, ...halo },
      },
    ],
  };
}

/** The towns in the picture of the bundled map. */
export function createTownLayer(map: MapLibreMap, isBundled: () => boolean) {
  const loader = createTownLoader(readTowns);
  let shown = '';
  let isClosed = false;

  function draw(): void {
    if (isClosed || !isBundled()) return;
    const source = map.getSource<GeoJSONSource>(TOWNS);
    if (source === undefined) return;
    const bounds = map.getBounds();
    const needed = cellsInView(cells, {
      zoom: map.getZoom(),
      ...{ west: bounds.getWest(), east: bounds.getEast(), south: bounds.getSouth(), north: bounds.getNorth() },
    });
    for (const cell of needed) loader.load(cell, draw);
    const there = needed.filter((cell) => loader.file(cell) !== undefined);
    const key = there.map(({ address }) => address).join(' ');
    if (key === shown) return;
    shown = key;
    const features = there.flatMap((cell) => {
      const file = loader.file(cell);
      return file === undefined ? [] : townsOf(cell, file);
    });
    source.setData({ type: 'FeatureCollection', features });
  }
  return {
    draw,
    /** A new style has nothing of what was drawn on the last one. */
    restore(): void {
      if (!isBundled()) return;
      if (!map.hasImage(TOWN_DOT)) map.addImage(TOWN_DOT, dot(), { sdf: true, pixelRatio: 2 });
      shown = '';
      draw();
    },
    close(): void {
      isClosed = true;
    },
  };
}

const DOT_PX = 24;
const DOT_RADIUS_PX = 4;
/** As MapLibre reads a distance field: the edge is at three quarters, and each pixel is a step of an eighth. */
const EDGE = 192;
const STEP = 32;

/** Draws a round dot that can be coloured. */
function dot(): { width: number; height: number; data: Uint8Array } {
  const data = new Uint8Array(DOT_PX * DOT_PX * 4).fill(255);
  const middle = (DOT_PX - 1) / 2;
  for (let index = 0; index < DOT_PX * DOT_PX; index += 1) {
    const away = Math.hypot((index % DOT_PX) - middle, Math.floor(index / DOT_PX) - middle);
    data[index * 4 + 3] = Math.max(0, Math.min(255, EDGE + (DOT_RADIUS_PX - away) * STEP));
  }
  return { width: DOT_PX, height: DOT_PX, data };
}
