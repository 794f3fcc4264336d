import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Feature, FeatureCollection, MultiPolygon, Point, Polygon } from 'geojson';
import iso from 'i18n-iso-countries';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { type City, cities, isCapital, isLabelled, thousandths } from './cities.ts';
import { labelPoint } from './geometry.ts';
import { cityName, type MapLanguage, SHORT_NAMED, UNNUMBERED } from './names.ts';

type World = Topology<{ countries: GeometryCollection<{ name: string }> }>;

const require = createRequire(import.meta.url);
/** Natural Earth, 1:50 million. */
const world: World = JSON.parse(readFileSync(require.resolve('world-atlas/countries-50m.json'), 'utf8'));

const collection = <F extends Feature>(features: readonly F[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: [...features],
});
const isArea = (one: Feature): one is Feature<Polygon | MultiPolygon> =>
  one.geometry.type === 'Polygon' || one.geometry.type === 'MultiPolygon';

/** Names of countries, capitals and large cities: `rank` is smaller for more important ones. */
export const labels = (language: MapLanguage): FeatureCollection =>
  collection([...countryLabels(language), ...cityLabels(language)]);

function countryLabels(language: MapLanguage): Feature<Point>[] {
  const named = feature(world, world.objects.countries).features.flatMap((one) => {
    const name = isArea(one) ? countryName(String(one.id ?? ''), one.properties?.name ?? '', language) : null;
    return name === null || !isArea(one) ? [] : [{ name, ...labelPoint(one.geometry) }];
  });
  return named
    .toSorted((a, b) => b.area - a.area)
    .map(({ name, point }, rank) => ({
      type: 'Feature',
      properties: { name, kind: 'country', rank },
      geometry: point,
    }));
}

function countryName(number: string, english: string, language: MapLanguage): string | null {
  const code = iso.numericToAlpha2(number);
  if (code === undefined) return UNNUMBERED[english]?.[language] ?? null;
  const style = SHORT_NAMED.includes(code) ? 'short' : 'long';
  return new Intl.DisplayNames([language], { type: 'region', style }).of(code) ?? null;
}

function cityLabels(language: MapLanguage): Feature<Point>[] {
  return cities
    .filter(isLabelled)
    .toSorted((a, b) => weight(b) - weight(a))
    .map((city, rank) => ({
      type: 'Feature',
      properties: {
        name: cityName(city.name, city.country, language),
        kind: isCapital(city) ? 'capital' : 'city',
        rank,
      },
      geometry: { type: 'Point', coordinates: city.loc.coordinates.map((degrees) => thousandths(degrees) / 1_000) },
    }));
}

/** A capital counts as three times as large. */
const weight = (city: City): number => city.population * (isCapital(city) ? 3 : 1);
