import { defineConfig, mergeConfig } from 'vitest/config';
import vite from './vite.config.ts';

export default mergeConfig(
  vite,
  defineConfig({
    test: {
      name: 'web',
      environment: 'jsdom',
      include: ['{src,test}/**/*.test.{ts,tsx}'],
      setupFiles: ['./test/setup.ts'],
      css: false,
    },
  }),
);
