import { loadQuickly } from './load-quickly.ts';

loadQuickly();
await import('./run.ts');
