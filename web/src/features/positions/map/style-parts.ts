import type { Map as MapLibreMap, StyleSpecification } from 'maplibre-gl';
import type { Language } from '#src/shared/languages.ts';

/** Vector tiles can be magnified a few times before they look coarse. */
const VECTOR_MAGNIFIED = 4;
const DEFAULT_DRAWN_ZOOM = 20;

/** The zoom at which a style still shows something, by what its sources say. */
export function drawnZoom({ sources }: Pick<StyleSpecification, 'sources'>): number {
  const zooms = Object.values(sources).flatMap((source) => {
    if (source.type === 'raster') return [source.maxzoom ?? DEFAULT_DRAWN_ZOOM];
    if (source.type === 'vector') return [(source.maxzoom ?? DEFAULT_DRAWN_ZOOM - VECTOR_MAGNIFIED) + VECTOR_MAGNIFIED];
    return [];
  });
  return zooms.length === 0 ? DEFAULT_DRAWN_ZOOM : Math.max(...zooms);
}

/** Names of places in the interface's language, where a style's data have them. */
export function speakLanguage(map: MapLibreMap, language: Language): void {
  for (const layer of map.getStyle().layers) {
    if (layer.type !== 'symbol' || !showsName(layer.layout?.['text-field'])) continue;
    map.setLayoutProperty(layer.id, 'text-field', [
      'coalesce',
      ['get', `name:${language}`],
      ['get', `name_${language}`],
      ['get', 'name'],
    ]);
  }
}

export const showsName = (field: unknown): boolean =>
  /["'{](?:name)(?:[:_][a-z-]+)?["'}]/iu.test(typeof field === 'string' ? field : JSON.stringify(field ?? ''));

const TAG = /<[^>]*>/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&copy;': '©',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
};

/** The data's owners, as text: sources write it as HTML, which is not to be trusted. */
export const plainAttribution = (html: string): string =>
  html
    .replace(TAG, ' ')
    .replace(/&\w+;/gu, (entity) => ENTITIES[entity] ?? '')
    .replace(/\s+/gu, ' ')
    .trim();

export const attributionsOf = ({ sources }: Pick<StyleSpecification, 'sources'>): string[] => [
  ...new Set(
    Object.values(sources)
      .map((source) => ('attribution' in source ? plainAttribution(String(source.attribution ?? '')) : ''))
      .filter((text) => text !== ''),
  ),
];
