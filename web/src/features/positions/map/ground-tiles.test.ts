import { expect, test } from 'vitest';
import { createGroundTiles, packKey, tileId } from './ground-tiles.ts';

const [PARIS, ROUEN, BALI] = [
  { z: 6, x: 32, y: 22 },
  { z: 5, x: 16, y: 10 },
  { z: 6, x: 52, y: 33 },
];

/** A file of these tiles, as the build makes it. */
function packOf(tiles: readonly [place: typeof PARIS, text: string][]): ArrayBuffer {
  const head = Uint32Array.from([tiles.length, ...tiles.flatMap(([place, text]) => [tileId(place), text.length])]);
  return Uint8Array.from([
    ...new Uint8Array(head.buffer),
    ...new TextEncoder().encode(tiles.map(([, text]) => text).join('')),
  ]).buffer;
}
const text = (bytes: ArrayBuffer) => new TextDecoder().decode(bytes);

test('[POS38] neighbours and their smaller tiles are one file, the whole world is another', () => {
  expect(packKey({ z: 0, x: 0, y: 0 })).toBe('world');
  expect(packKey({ z: 3, x: 4, y: 2 })).toBe('world');
  expect(packKey({ z: 4, x: 8, y: 5 })).toBe('8-5');
  expect(packKey({ z: 6, x: 35, y: 23 })).toBe('8-5');
  const places = [PARIS, ROUEN, BALI, { z: 4, x: 15, y: 15 }, { z: 6, x: 63, y: 63 }];
  expect(new Set(places.map(tileId)).size).toBe(places.length);
});

test('[POS38] a file is read once for all of its tiles; where there is only sea there is none', async () => {
  const asked: string[] = [];
  const ground = createGroundTiles({ '8-5': '/france' }, async (address) => {
    asked.push(address);
    return packOf([
      [PARIS, 'Paris'],
      [ROUEN, 'Rouen'],
    ]);
  });
  const [paris, rouen] = await Promise.all([ground.tile(PARIS), ground.tile(ROUEN)]);
  expect([text(paris), text(rouen)]).toEqual(['Paris', 'Rouen']);
  expect((await ground.tile(BALI)).byteLength).toBe(0);
  expect((await ground.tile({ ...PARIS, x: 33 })).byteLength).toBe(0);
  expect(asked).toEqual(['/france']);
  // The map takes ownership of the bytes it is given.
  structuredClone(paris, { transfer: [paris] });
  expect(text(await ground.tile(PARIS))).toBe('Paris');
});

test('[POS38] a file that did not come is missed once, and asked for again', async () => {
  let isThere = false;
  const ground = createGroundTiles({ '8-5': '/france' }, async () => {
    if (!isThere) throw new Error('out of reach');
    return packOf([[PARIS, 'Paris']]);
  });
  await expect(ground.tile(PARIS)).rejects.toThrow('out of reach');
  expect(ground.wasMissing()).toBe(true);
  expect(ground.wasMissing()).toBe(false);
  isThere = true;
  expect(text(await ground.tile(PARIS))).toBe('Paris');
});
