import { cells } from 'virtual:world-map/towns';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { TOWN_DOT, TOWNS } from './bundled-style.ts';
import { cellsInView, townsOf, createTownLoader, readTowns } from './town-cells.ts';

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
