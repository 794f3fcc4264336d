import { expect, test } from 'vitest';
import { attributionsOf, drawnZoom, plainAttribution, showsName } from './style-parts.ts';

test('a style is drawn as near as its sources go', () => {
  const vector = { type: 'vector' as const, maxzoom: 14 };
  const imagery = { type: 'raster' as const, maxzoom: 19 };
  expect(drawnZoom({ sources: { vector } })).toBe(18);
  expect(drawnZoom({ sources: { vector, imagery } })).toBe(19);
  expect(drawnZoom({ sources: {} })).toBe(20);
});

test('attributions are text, whatever markup their sources write', () => {
  expect(plainAttribution('<a href="https://x.example" onclick="alert(1)">&copy; X &amp; Y</a> <b>Z</b>')).toBe(
    '© X & Y Z',
  );
  const source = (attribution?: string) => ({ type: 'raster' as const, ...(attribution && { attribution }) });
  expect(attributionsOf({ sources: { a: source('A'), b: source(), c: source('<i>A</i>') } })).toEqual(['A']);
});

test.each([
  ['{name}', true],
  ['{name:latin}', true],
  [['get', 'name'], true],
  [['coalesce', ['get', 'name_en'], ['get', 'name']], true],
  ['{ref}', false],
  [['get', 'housenumber'], false],
  [undefined, false],
])('%j is a name: %s', (field, isName) => expect(showsName(field)).toBe(isName));
