import { join, parse } from 'node:path';
import react from '@vitejs/plugin-react';
import passwords from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' };
import { defineConfig, type Plugin } from 'vite';
import { CHUNK_GROUPS } from './vite/chunks.ts';
import { compilerSkips } from './vite/compiler-skips.ts';
import { frameWords } from './vite/frame-words.ts';
import { knownBrowsers } from './vite/known-browsers.ts';
import { BUILD_TARGETS } from './vite/oldest-browsers.ts';
import { openQuickly } from './vite/open-quickly.ts';
import { pageScripts } from './vite/page-scripts.ts';
import { serviceWorker } from './vite/service-worker.ts';
import { withoutDescriptions } from './vite/without-descriptions.ts';
import { worldMap } from './vite/world-map/plugin.ts';

/** The server, called under the page's own host name, because it refuses other origins. */
const api = { target: process.env.API_ORIGIN ?? 'http://127.0.0.1:3000', changeOrigin: false };

const nameOfGroup = (name: string): string => name.split('~', 1)[0] ?? name;

const isBuild = process.argv.includes('build');

const COMMON_PASSWORDS = 'virtual:common-passwords';
const COMMON_PASSWORDS_MAX = 3_000;

/** The most common of the package's 49,000 passwords, as one text; the package orders them by frequency. */
const commonPasswords: Plugin = {
  name: 'common-passwords',
  resolveId: (id) => (id === COMMON_PASSWORDS ? `\0${id}` : undefined),
  load: (id) =>
    id === `\0${COMMON_PASSWORDS}`
      ? `export const commonPasswords = ${JSON.stringify(passwords.slice(0, COMMON_PASSWORDS_MAX).join('\n'))};`
      : undefined,
};

export default defineConfig({
  plugins: [
    react({ compiler: { reportDiagnostics: isBuild } }),
    compilerSkips(),
    commonPasswords,
    frameWords,
    pageScripts,
    withoutDescriptions,
    openQuickly,
    // After all other plugins that change the page.
    serviceWorker(),
    worldMap,
    knownBrowsers(),
  ],
  resolve: {
    alias: [
      { find: /^fflate$/, replacement: join(import.meta.dirname, 'src/features/transfer/sheet/zip-synchronous.ts') },
    ],
  },
  worker: { format: 'es' },
  // '/user/', not '/user': that would take /usersList too.
  server: {
    proxy: { '/user/': api, '/device/': api, '/healthz': api, '/docs': api, '/socket.io': { ...api, ws: true } },
  },
  build: {
    target: BUILD_TARGETS,
    manifest: true,
    // A changed file changes its own name only, not those of all files that import it.
    chunkImportMap: true,
    // Words need nothing that the page lacks. Otherwise the first script would name each of their files.
    modulePreload: {
      // Every browser of the last two years has it; others load the same a little later.
      polyfill: false,
      resolveDependencies: (file, needed) => (/[\\/]words-/u.test(file) ? [] : needed),
    },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNK_GROUPS },
        // The bundler names a group's files by all parts that need them; the hash tells them apart.
        chunkFileNames: ({ name }) => `assets/${nameOfGroup(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) => `assets/${nameOfGroup(parse(name).name)}-[hash][extname]`,
      },
    },
    // MapLibre, which is loaded where a map is shown.
    chunkSizeWarningLimit: 1_200,
  },
});
