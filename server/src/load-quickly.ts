import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** To be called before the first import of the server: halves the time that its modules take. */
export function loadQuickly(): void {
  // Not in a folder that others may write to, as Node's own default is. Where it can't be kept nothing is lost but time.
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));

  // Node (24.21) parses the 180 kB of Drizzle's package.json again for each of its 200 files: half a second of a start.
  registerHooks({
    resolve(specifier, { parentURL }, next) {
      if (!specifier.startsWith('.') || parentURL?.includes('/node_modules/drizzle-orm/') !== true)
        return next(specifier);
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
