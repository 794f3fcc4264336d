import { cellText } from '@pressel/contract/import-rules';
import type { ImportRow } from './import-kinds.ts';

/** Login and password of the example row in each language's model, as the locale files have them. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['camille.durand@example.org', 'secret12'],
  ['robin.taylor@example.org', 'secret12'],
  ['robin.weber@example.org', 'geheim12'],
]);

/** The model's own example of a user, left where it was: nobody wants an account for it. */
export function isModelExample({ identifier, password }: ImportRow): boolean {
  const known = EXAMPLES.get(cellText(identifier).toLowerCase());
  return known !== undefined && known === cellText(password);
}
