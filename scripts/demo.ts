/** `npm run demo`: a console with a team at work, on data of its own that goes when it ends. */
import { loadQuickly } from '../server/src/load-quickly.ts';
import { buildWebIfStale } from './build-web.ts';

await buildWebIfStale();
loadQuickly();
await import('./demo/run.ts');
