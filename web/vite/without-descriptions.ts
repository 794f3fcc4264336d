import type { Plugin } from 'vite';

const CONTRACT = /[\\/]packages[\\/]contract[\\/]src[\\/]\w[\w-]*\.ts$/u;
const DESCRIPTION = /\s*\.meta\(\{\s*description:\s*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"),?\s*\}\)/gu;

export const stripDescriptions = (source: string): string => source.replaceAll(DESCRIPTION, '');

/** Leaves the contract's descriptions out of the web app: the API reference alone shows them. */
export const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  apply: 'build',
  transform: {
    order: 'pre',
    filter: { id: CONTRACT },
    handler: (code) => ({ code: stripDescriptions(code), map: null }),
  },
};
