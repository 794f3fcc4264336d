/** `npm run demo`: a console with a team at work. It has data of its own, and removes it at the end. */
import { loadQuickly } from '../server/src/load-quickly.ts';
import { buildWebIfStale } from './build-web.ts';

await buildWebIfStale();
loadQuickly();
await import('./demo/run.ts');
