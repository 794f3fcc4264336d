import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const JSON_SCHEMA = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/u;
const ENGLISH = /[\\/]zod[\\/]v4[\\/]locales[\\/]en\.js$/u;
const EXPORTED = /^export (?:const|function) (\w+)/gmu;

/**
 * Leaves out what Zod can and our pages never ask for: how it describes schemas as JSON Schema, and its sentences about
 * faults, which are codes here. Every schema could ask, so that no bundler sees it. 5 kB of each first visit.
 */
export const trimZod: Plugin = {
  name: 'trim-zod',
  apply: 'build',
  load: {
    filter: { id: [JSON_SCHEMA, ENGLISH] },
    handler(id) {
      if (ENGLISH.test(id)) return "export default () => ({ localeError: () => 'invalid' });";
      const names = [...readFileSync(id, 'utf8').matchAll(EXPORTED)].map(([, name]) => name);
      return [
        "const absent = () => { throw new Error('The web app is built without JSON Schema'); };",
        ...names.map((name) => `export const ${name} = () => absent;`),
      ].join('\n');
    },
  },
};
