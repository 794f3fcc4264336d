import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test('schemas are compiled on servers', async () => {
  const { z } = await import('./zod.ts');
  expect(z.config().jitless).toBe(false);
});

test('schemas are not compiled in browsers, whose policy forbids it', async () => {
  vi.stubGlobal('location', {});
  const { z } = await import('./zod.ts');
  expect(z.config().jitless).toBe(true);
});
