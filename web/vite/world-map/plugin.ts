import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ID = /^virtual:world-map\/(land|borders|labels-(?:fr|en|de))$/u;
const LOADED = /^\0virtual:world-map\/([a-z-]+)$/u;
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/pressel-world-map');

/**
 * The bundled map as files of the web app: `virtual:world-map/land`, `/borders` and `/labels-<language>` are their
 * addresses. Made from open data at each build, so that nothing large is kept in the repository.
 */
export const worldMap: Plugin = {
  name: 'world-map',
  resolveId: (id) => (ID.test(id) ? `\0${id}` : undefined),
  async load(id) {
    const part = LOADED.exec(id)?.[1];
    if (part === undefined) return undefined;
    const file = join(CACHE, `world-${part}.json`);
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(file, JSON.stringify(await make(part)));
    return `export { default as address } from ${JSON.stringify(`${file}?url&no-inline`)};`;
  },
};

/** Loaded when the first part is asked for: tests that show no map don't wait for it. */
async function make(part: string): Promise<unknown> {
  const { land, borders, labels } = await import('./world-map.ts');
  if (part === 'land') return land();
  if (part === 'borders') return borders();
  const language = part.replace('labels-', '');
  if (language !== 'fr' && language !== 'en' && language !== 'de') throw new Error(`No map in ${language}`);
  return labels(language);
}
