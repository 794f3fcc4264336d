import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Not in a folder that others may write to, as Node's own default is. Where it can't be kept nothing is lost but time.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
await import('./run.ts');
