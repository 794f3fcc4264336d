import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Call this before the server's first import: it halves the time that modules take to load. */
export function loadQuickly(): void {
  // Others may write to Node's default folder, so the cache is ours. If it can't be written, only time is lost.
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));

  // Node (24.21) parses Drizzle's package.json of 180 kB for each import of Drizzle: by its own 200 files, and by 60 of ours. Together
  // that was three quarters of a second of a start.
  const known = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (specifier.startsWith('.') && parentURL?.includes('/node_modules/drizzle-orm/') === true)
        return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
      if (!specifier.startsWith('drizzle-orm') || !context.conditions.includes('import')) return next(specifier);
      const found = known.get(specifier) ?? next(specifier);
      known.set(specifier, found);
      return { ...found, shortCircuit: true };
    },
  });
}
