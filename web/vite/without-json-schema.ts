import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const JSON_SCHEMA = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/u;
const EXPORTED = /^export (?:const|function) (\w+)/gmu;

/**
 * Leaves out how Zod describes schemas as JSON Schema: every schema can, so that no bundler sees that our pages never
 * ask. 4 kB of each first visit.
 */
export const withoutJsonSchema: Plugin = {
  name: 'without-json-schema',
  apply: 'build',
  load: {
    filter: { id: JSON_SCHEMA },
    handler(id) {
      const names = [...readFileSync(id, 'utf8').matchAll(EXPORTED)].map(([, name]) => name);
      return [
        "const absent = () => { throw new Error('The web app is built without JSON Schema'); };",
        ...names.map((name) => `export const ${name} = () => absent;`),
      ].join('\n');
    },
  },
};
