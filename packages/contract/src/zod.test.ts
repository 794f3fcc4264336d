import { afterEach, expect, onTestFinished, test, vi } from 'vitest';

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

test('a schema on demand is made at its first use, and once', async () => {
  const { onDemand, z } = await import('./zod.ts');
  const make = vi.fn(() => z.string());
  const text = onDemand(make);
  expect(make).not.toHaveBeenCalled();
  expect(text()).toBe(text());
  expect(make).toHaveBeenCalledTimes(1);
});

/** Zod calls this for each schema and each check that is made. */
const zodHooks = globalThis as { __zod_globalConfig?: { postProcessor?: (made: unknown) => void } };

test('a page that loads the events, users and channels makes few schemas for it', async () => {
  let made = 0;
  const { z } = await import('./zod.ts');
  z.config();
  const hooks = zodHooks.__zod_globalConfig ?? {};
  hooks.postProcessor = () => {
    made += 1;
  };
  onTestFinished(() => {
    delete hooks.postProcessor;
  });
  const [{ serverEvents }, { getAllUsers }] = await Promise.all([
    import('./realtime.ts'),
    import('./users.ts'),
    import('./channels.ts'),
  ]);
  expect(made).toBeLessThan(FEW);
  const before = made;
  expect(getAllUsers.reply.safeParse({}).success).toBe(false);
  expect(serverEvents.ready.payload.safeParse({}).success).toBe(true);
  expect(made).toBeGreaterThan(before);
});
/** Ids, roles, moments and the like, which nearly every call has. */
const FEW = 150;
