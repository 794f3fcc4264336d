import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Call this before the server's first import: it halves the time that modules take to load. */
export function loadQuickly(): void {
  // Others may write to Node's default folder, so the cache is ours. If it can't be written, only time is lost.
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));

  // Node (24.21) parses Drizzle's package.json of 180 kB again for each of its 200 files: half a second of a start.
  registerHooks({
    resolve(specifier, { parentURL }, next) {
      if (!specifier.startsWith('.') || parentURL?.includes('/node_modules/drizzle-orm/') !== true)
        return next(specifier);
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
