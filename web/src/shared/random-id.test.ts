import { z } from '@pressel/contract/zod';
import { expect, test, vi } from 'vitest';
import { randomId } from './random-id.ts';

test('ids are UUIDs that differ, also where the page is not secure', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const ids = Array.from({ length: 50 }, randomId);
  vi.unstubAllGlobals();
  for (const id of ids) expect(z.uuidv4().safeParse(id).success).toBe(true);
  expect(new Set(ids).size).toBe(50);
});
