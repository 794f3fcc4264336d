// @vitest-environment node
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stripDescriptions } from '../vite/without-descriptions.ts';

const CONTRACT = join(import.meta.dirname, '../../packages/contract/src');

test('no description of the contract is sent to browsers, and nothing else is left out', () => {
  const sources = globSync('*.ts', { cwd: CONTRACT }).map((file) => readFileSync(join(CONTRACT, file), 'utf8'));
  const stripped = sources.map(stripDescriptions);
  expect(stripped.join('\n')).not.toContain('.meta(');
  const count = (texts: readonly string[], part: string) => texts.join('').split(part).length;
  for (const part of ['z.object(', '.extend(', 'defineCall(', 'clientEvent(', 'serverEvent(', 'export const '])
    expect([part, count(stripped, part)]).toEqual([part, count(sources, part)]);
});
