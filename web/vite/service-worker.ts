import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { contractFingerprint } from '@pressel/contract/fingerprint';
import { build, type Plugin } from 'vite';
import { WORKER_PATH } from '../src/shared/build-cache.ts';
import { BUILD_TARGETS } from './oldest-browsers.ts';
import { FONT } from './open-quickly.ts';

/** The part of a bundled file that is used here. */
interface BundledFile {
  fileName: string;
  type: 'asset' | 'chunk';
  moduleIds?: string[];
}

/** Too large to fetch for everybody: kept when it is first used. */
const MAP = /[\\/]node_modules[\\/]maplibre-gl[\\/]/u;

/**
 * Returns the code and styles of all screens and languages, and the font. Code for workers alone, and the map, are
 * fetched when they are used.
 */
function filesToKeep(files: readonly BundledFile[]): string[] {
  return files
    .filter(({ fileName, type, moduleIds = [] }) =>
      type === 'chunk' ? !moduleIds.some((id) => MAP.test(id)) : fileName.endsWith('.css') || FONT.test(fileName),
    )
    .map(({ fileName }) => `/${fileName}`)
    .sort();
}

/** Bundles the worker with all imports into one script, because workers know no import maps. */
async function bundleWorker(define: Record<string, string>): Promise<string> {
  const outcome = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define,
    build: {
      write: false,
      target: BUILD_TARGETS,
      rolldownOptions: {
        input: join(import.meta.dirname, '../worker/service-worker.ts'),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  });
  const [first] = [outcome].flat();
  const file = first !== undefined && 'output' in first ? first.output[0] : undefined;
  if (file === undefined) throw new Error('The worker was not built');
  return file.code;
}

/**
 * Adds the service worker, which knows the files of its build. A name made of both holds build and page together: it is
 * in the page and in the worker. The page also states which contract it was built with (APP13).
 */
export function serviceWorker(): Plugin {
  let define: Record<string, string> | undefined;
  return {
    name: 'service-worker',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const files = filesToKeep(Object.values(bundle ?? {}) as unknown as BundledFile[]);
        const contract = contractFingerprint();
        const hash = createHash('sha256').update(html).update(contract).update(files.join());
        const name = hash.digest('base64url').slice(0, 16);
        define = { BUILD: JSON.stringify(name), FILES: JSON.stringify(files) };
        const stated = Object.entries({ contract, build: name });
        const tags = stated.map(([key, content]) => `  <meta name="${key}" content="${content}">\n  `);
        return html.replace('</head>', `${tags.join('')}</head>`);
      },
    },
    generateBundle: {
      order: 'post',
      async handler() {
        if (define === undefined) throw new Error('The page comes before its worker');
        this.emitFile({ type: 'asset', fileName: WORKER_PATH.slice(1), source: await bundleWorker(define) });
      },
    },
  };
}
