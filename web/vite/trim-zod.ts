import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const JSON_SCHEMA = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/u;
const ENGLISH = /[\\/]zod[\\/]v4[\\/]locales[\\/]en\.js$/u;
const EXPORTED = /^export (?:const|function) (\w+)/gmu;

/**
 * Removes parts of Zod that our pages never use: the description of schemas as JSON Schema, and the sentences about
 * faults, which are codes here. Bundlers can't see that, because every schema could use them. Saves 5 kB of each first
 * visit.
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
