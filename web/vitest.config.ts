import { defineConfig, mergeConfig } from 'vitest/config';
import vite from './vite.config.ts';

export default mergeConfig(
  vite,
  defineConfig({
    test: {
      name: 'web',
      environment: 'jsdom',
      include: ['{src,test}/**/*.test.{ts,tsx}'],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // No assertion may depend on the machine's speed: by default a poll gives up after a second.
      expect: { poll: { timeout: 30_000 } },
      setupFiles: ['./test/setup.ts'],
      // Inlined, so that the alias of fflate also holds for it, as in a build: the alias limits what is unpacked.
      server: { deps: { inline: ['read-excel-file'] } },
      // By default one core is left free.
      maxWorkers: 2,
      css: false,
      // Modules are loaded once per worker, not once per file, which takes a third of the time. Tests keep nothing in
      // module state.
      isolate: false,
    },
  }),
);
