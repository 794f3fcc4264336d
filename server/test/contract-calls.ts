import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Call } from '@pressel/contract/call';

const SOURCES = join(import.meta.dirname, '../../packages/contract/src');

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

async function everyCall(): Promise<Record<string, Call>> {
  const calls: Record<string, Call> = {};
  for (const file of readdirSync(SOURCES)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const exported: Record<string, unknown> = await import(`@pressel/contract/${basename(file, '.ts')}`);
    for (const [name, value] of Object.entries(exported)) if (isCall(value)) calls[name] = value;
  }
  return calls;
}

/** Every call of the contract by its name, read from its files: tests cover new features automatically. */
export const contractCalls: Readonly<Record<string, Call>> = await everyCall();
