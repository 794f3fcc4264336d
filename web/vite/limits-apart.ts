import type { Plugin } from 'vite';

const LIMITS = /[\\/]packages[\\/]contract[\\/]src[\\/]limits\.ts$/u;
const NUMBER = /^(export const [A-Z_]+ = )(\d[\d_]*);$/gmu;

/**
 * Keeps the contract's limits in the file of the contract. The bundler inlines a constant into every file that uses it,
 * so one changed limit would rename most files on a device. It doesn't inline the result of a call.
 */
export const limitsApart: Plugin = {
  name: 'limits-apart',
  apply: 'build',
  transform: {
    order: 'pre',
    filter: { id: LIMITS },
    handler: (code) => ({ code: code.replaceAll(NUMBER, '$1/* @__PURE__ */ (() => $2)();'), map: null }),
  },
};
