/** `npm run backup`, `npm run restore` and `npm run admin`. */
import { loadQuickly } from '../server/src/load-quickly.ts';

// Most of a command's CPU time was the loading of modules.
loadQuickly();
await import('./maintenance-commands.ts');
