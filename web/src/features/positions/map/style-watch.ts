import type { SourceSpecification } from 'maplibre-gl';

/** The style is given up if its data have not come by then, ms (POS28). */
const PATIENCE_MS = 10_000;

export interface StyleWatchDeps {
  /** The style's sources, by id. */
  sources: () => Readonly<Record<string, SourceSpecification>>;
  /** Whether nothing is awaited from a source: all its requests were answered, or failed. */
  isSettled: (sourceId: string) => boolean;
  onGivenUp: () => void;
}

/** Is told what happens to a style of another server; says once if it is to be replaced. */
export interface StyleWatch {
  /** Called when the style's document came: from now on its data are watched. */
  came(): void;
  /** Called when a tile of a source was requested. */
  asked(sourceId: string): void;
  /** Called when a tile of a source is there to be drawn. */
  drew(sourceId: string): void;
  failed(sourceId: string | undefined): void;
  /** Called when nothing more happens by itself. */
  settled(): void;
  /** Final and idempotent. */
  close(): void;
}

/**
 * Gives up a style that fails, or whose data do. The document alone may come from the browser's cache while the tile
 * server is out of reach, and the map stays blank. One tile is enough to keep the style: later failures, or those of
 * one among several sources, only leave a gap. A tile that its server doesn't have (404) is no failure, because the
 * open sea has none. If all tiles are missing, nothing is visible, and the address is probably wrong.
 */
export function createStyleWatch({ sources, isSettled, onGivenUp }: StyleWatchDeps): StyleWatch {
  let state: 'awaited' | 'dataless' | 'kept' = 'awaited';
  let hasFailed = false;
  let hasAsked = false;
  let patience: ReturnType<typeof setTimeout> | undefined;

  const remote = (): string[] =>
    Object.entries(sources())
      .filter(([, source]) => !isBroughtAlong(source))
      .map(([id]) => id);

  function wait(): void {
    clearTimeout(patience);
    patience = setTimeout(() => {
      // A hidden page requests no tiles, so time counts from when the page is shown.
      if (document.hidden) return;
      // If all tiles are missing, there may be nothing to draw, and the map reports that it is at rest.
      if (state === 'awaited' || hasAsked || remote().some((id) => !isSettled(id))) giveUp();
    }, PATIENCE_MS);
  }
  function close(): void {
    state = 'kept';
    clearTimeout(patience);
    document.removeEventListener('visibilitychange', wait);
  }
  function giveUp(): void {
    close();
    onGivenUp();
  }
  function judge(): void {
    if (state === 'dataless' && (hasFailed || hasAsked) && remote().every(isSettled)) giveUp();
  }
  document.addEventListener('visibilitychange', wait);
  wait();

  return {
    came(): void {
      if (state !== 'awaited') return;
      state = 'dataless';
      wait();
    },
    asked(sourceId): void {
      if (state === 'dataless' && remote().includes(sourceId)) hasAsked = true;
    },
    drew(sourceId): void {
      if (state === 'dataless' && remote().includes(sourceId)) close();
    },
    failed(sourceId): void {
      if (state === 'awaited') giveUp();
      if (state !== 'dataless' || sourceId === undefined || !remote().includes(sourceId)) return;
      hasFailed = true;
      judge();
    },
    settled: judge,
    close,
  };
}

/** MapLibre's facts of a loaded tile. */
interface LoadedTile {
  texture?: { size: readonly number[] } | null;
  latestRawTileData?: ArrayBuffer | null;
}

/**
 * Whether a tile reported as loaded is one that its server doesn't have. That is a vector tile without data (404, 204),
 * or the one transparent pixel that stands for an answer without an image (204).
 */
export function isBlank(type: SourceSpecification['type'] | undefined, tile: LoadedTile): boolean {
  if (type === 'vector') return (tile.latestRawTileData?.byteLength ?? 0) === 0;
  return type === 'raster' && tile.texture?.size.every((pixels) => pixels === 1) === true;
}

/** Data within the style, and our own (the trail), are there whatever server is out of reach. */
const isBroughtAlong = (source: SourceSpecification): boolean =>
  source.type === 'geojson' && typeof source.data !== 'string';
