import { expect, test } from 'vitest';
import { openQuickly } from '../vite/open-quickly.ts';

const HTML = `<html><head>
    <script type="module" crossorigin src="/assets/index-1.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/preload-1.js">
  </head></html>`;

const chunk = (name: string, size: number, imports: readonly string[] = [], more: object = {}) => {
  const fileName = `assets/${name}-1.js`;
  return [fileName, { fileName, code: 'x'.repeat(size), imports: imports.map((one) => `assets/${one}-1.js`), ...more }];
};
const FONT = 'assets/inter-latin-wght-normal-1.woff2';

/** The built page with these files. Only the app's own code, and what that imports, is requested ahead. */
function builtPage(): string {
  const viteMetadata = { importedCss: new Set(['assets/app-1.css']) };
  const bundle = Object.fromEntries([
    chunk('app', 40, ['preload', 'contract', 'libraries'], { moduleIds: ['/web/src/main.tsx'], viteMetadata }),
    chunk('contract', 1),
    chunk('libraries', 100),
    chunk('preload', 4),
    chunk('room', 50),
    [FONT, { fileName: FONT }],
  ]);
  const { transformIndexHtml } = openQuickly as unknown as {
    transformIndexHtml: { handler: (html: string, context: { bundle: object }) => string };
  };
  return transformIndexHtml.handler(HTML, { bundle });
}

test('the page requests what its first script will ask for: the largest file first, then styles and the font', () => {
  expect(
    [...builtPage().matchAll(/<link rel="(\w+)".* href="\/assets\/([\w-]+)-1\./gu)].map(([, , name]) => name),
  ).toEqual(['preload', 'libraries', 'app', 'contract', 'app', 'inter-latin-wght-normal']);
});

test('the page waits with its first paint for the first script', () => {
  expect(builtPage()).toContain('<script type="module" blocking="render" crossorigin src="/assets/index-1.js">');
});
