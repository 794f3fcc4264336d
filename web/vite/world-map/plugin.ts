import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ID = /^virtual:world-map\/(ground|towns|labels-(?:fr|en|de))$/u;
const LOADED = /^\0virtual:world-map\/([a-z-]+)$/u;
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/pressel-world-map');

/**
 * The bundled map as files of the web app. `virtual:world-map/labels-<language>` is the address of the names, `/towns`
 * lists the world's cells with their addresses, `/ground` has those of the tiles. Made from open data at each build, so
 * that little of it is kept in the repository.
 */
export const worldMap: Plugin = {
  name: 'world-map',
  resolveId: (id) => (ID.test(id) ? `\0${id}` : undefined),
  async load(id) {
    const part = LOADED.exec(id)?.[1];
    if (part === undefined) return undefined;
    mkdirSync(CACHE, { recursive: true });
    if (part === 'towns') return townList();
    if (part === 'ground') return groundList();
    const file = write(`${part}.json`, JSON.stringify(await labelsOf(part)));
    return `export { default as address } from ${JSON.stringify(file)};`;
  },
};

/** @returns the code to import for the file's address */
function write(name: string, content: string | Uint8Array): string {
  const file = join(CACHE, `world-${name}`);
  writeFileSync(file, content);
  return `${file}?url&no-inline`;
}

async function groundList(): Promise<string> {
  const { groundLayers, groundPacks, requireSmallPacks } = await import('./ground.ts');
  const made = groundPacks(groundLayers());
  requireSmallPacks(made);
  const packs = made.map(({ key, bytes }, index) => {
    const file = JSON.stringify(write(`ground-${key}.tiles`, bytes));
    return { load: `import file${index} from ${file};`, entry: `${JSON.stringify(key)}: file${index}` };
  });
  return `${packs.map(({ load }) => load).join('\n')}\nexport const addresses = {${packs.map(({ entry }) => entry).join(',')}};`;
}

async function townList(): Promise<string> {
  const { towns, townCells, townFile } = await import('./towns.ts');
  const lines = townCells(towns()).map((cell, index) => {
    const { towns: _, ...square } = cell;
    const file = JSON.stringify(write(`towns-${index}.json`, JSON.stringify(townFile(cell))));
    return {
      load: `import file${index} from ${file};`,
      cell: `{ ...${JSON.stringify(square)}, address: file${index} }`,
    };
  });
  return `${lines.map(({ load }) => load).join('\n')}\nexport const cells = [${lines.map(({ cell }) => cell).join(',')}];`;
}

/** Loaded when the first part is requested, so that tests without a map don't wait for it. */
async function labelsOf(part: string): Promise<unknown> {
  const { labels } = await import('./world-map.ts');
  const language = part.replace('labels-', '');
  if (language !== 'fr' && language !== 'en' && language !== 'de') throw new Error(`No map in ${language}`);
  return labels(language);
}
