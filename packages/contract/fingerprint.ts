import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Neither tests nor the examples of the reference say how a page and a server talk. */
const ELSEWHERE = /(?:\.test|^examples)\.ts$/u;

/**
 * Identifies this contract: a hash of its sources. Any change makes it another contract, so that nobody has to remember to raise a number; of
 * rules and texts in it, such as what a floor's signature is of, no schema would tell.
 * For the server and the build of the web app: each states the contract that it was made with (APP13).
 */
export function contractFingerprint(sources = join(import.meta.dirname, 'src')): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(sources).sort()) {
    if (file.endsWith('.ts') && !ELSEWHERE.test(file))
      hash.update(`${file}\n`).update(readFileSync(join(sources, file)));
  }
  return hash.digest('base64url').slice(0, 16);
}
