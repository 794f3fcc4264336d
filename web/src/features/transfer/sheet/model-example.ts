import { cellText } from '@pressel/contract/import-rules';
import type { ImportRow } from '../import-kinds.ts';

/** Login → password of the template's example row in each language, as in the locale files. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['camille.durand@example.org', 'secret12'],
  ['robin.taylor@example.org', 'secret12'],
  ['robin.weber@example.org', 'geheim12'],
]);

/** Whether a row is the template's example, which is not imported. */
export function isModelExample({ identifier, password }: ImportRow): boolean {
  const known = EXAMPLES.get(cellText(identifier).toLowerCase());
  return known !== undefined && known === cellText(password);
}
