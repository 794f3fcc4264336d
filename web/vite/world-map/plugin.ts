import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ID = /^virtual:world-map\/(land|borders|towns|labels-(?:fr|en|de))$/u;
const LOADED = /^\0virtual:world-map\/([a-z-]+)$/u;
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/pressel-world-map');

/**
 * The bundled map as files of the web app: `virtual:world-map/land`, `/borders` and `/labels-<language>` are their
 * addresses, `/towns` is a list of cells of the world with theirs. Made from open data at each build, so that nothing large is
 * kept in the repository.
 */
export const worldMap: Plugin = {
  name: 'world-map',
  resolveId: (id) => (ID.test(id) ? `\0${id}` : undefined),
  async load(id) {
    const part = LOADED.exec(id)?.[1];
    if (part === undefined) return undefined;
    mkdirSync(CACHE, { recursive: true });
    if (part === 'towns') return townList();
    return `export { default as address } from ${JSON.stringify(write(part, await make(part)))};`;
  },
};

/** @returns what to import for the file's address */
function write(part: string, content: unknown): string {
  const file = join(CACHE, `world-${part}.json`);
  writeFileSync(file, JSON.stringify(content));
  return `${file}?url&no-inline`;
}

async function townList(): Promise<string> {
  const { towns, townCells, townFile } = await import('./towns.ts');
  const lines = townCells(towns()).map((cell, index) => {
    const { towns: _, ...square } = cell;
    const file = JSON.stringify(write(`towns-${index}`, townFile(cell)));
    return {
      load: `import file${index} from ${file};`,
      cell: `{ ...${JSON.stringify(square)}, address: file${index} }`,
    };
  });
  return `${lines.map(({ load }) => load).join('\n')}\nexport const cells = [${lines.map(({ cell }) => cell).join(',')}];`;
}

/** Loaded when the first part is asked for: tests that show no map don't wait for it. */
async function make(part: string): Promise<unknown> {
  const { land, borders, labels } = await import('./world-map.ts');
  if (part === 'land') return land();
  if (part === 'borders') return borders();
  const language = part.replace('labels-', '');
  if (language !== 'fr' && language !== 'en' && language !== 'de') throw new Error(`No map in ${language}`);
  return labels(language);
}
