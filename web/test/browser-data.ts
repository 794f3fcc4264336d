import { createRequire } from 'node:module';
import type { CompatData } from '@mdn/browser-compat-data';

/** MDN's tables of browsers. They are not imported: Vite would make a module of their 20 MB in each run. */
export const browserData: CompatData = createRequire(import.meta.url)('@mdn/browser-compat-data');
