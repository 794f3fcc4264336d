import type { Plugin } from 'vite';

const LIMITS = /[\\/]packages[\\/]contract[\\/]src[\\/]limits\.ts$/u;
const NUMBER = /^(export const [A-Z_]+ = )(\d[\d_]*);$/gmu;

/**
 * Keeps the contract's limits in the file of the contract. The bundler writes a constant into every file that uses it, so that
 * one changed limit would rename most of what a device has; what a call returns it leaves where it is.
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
