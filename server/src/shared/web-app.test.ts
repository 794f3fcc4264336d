import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { secureHeaders, serveWebApp } from './web-app.ts';

/** A server with a built web app of these files. */
async function serveFiles(files: Record<string, string>) {
  const webDir = await mkdtemp(join(tmpdir(), 'pressel-web-'));
  const app = Fastify();
  onTestFinished(async () => {
    await app.close();
    await rm(webDir, { recursive: true });
  });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(webDir, path)), { recursive: true });
    await writeFile(join(webDir, path), content);
  }
  await secureHeaders(app, { publicUrl: null, webDir, mapOrigins: [] });
  await serveWebApp(app, webDir);
  return app;
}

async function servePage(page: string | null) {
  const app = await serveFiles(page === null ? {} : { 'index.html': page });
  const { headers } = await app.inject('/usersList');
  const policy = String(headers['content-security-policy']);
  return policy.split(';').find((directive) => directive.startsWith('script-src '));
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('the import map of the built page may run, by its hash alone', async () => {
  const map = '{"imports":{"/assets/a.js":"/assets/a-1.js"}}';
  const page = `<script type="importmap">${map}</script><script type="module" src="/assets/b.js"></script>`;
  expect(await servePage(page)).toBe(`script-src 'self' ${hashOf(map)}`);
});

test.each(['<p>Nothing</p>', '<script type="module" crossorigin src="/assets/b.js"></script>', null])(
  'without a script in the page none may be in it: %s',
  async (page) => {
    expect(await servePage(page)).toBe("script-src 'self'");
  },
);

test.each([
  ['/sw.js', 'application/javascript; charset=utf-8', 'no-cache'],
  ['/manifest.webmanifest', 'application/manifest+json', 'no-cache'],
  ['/icons/any-192.png', 'image/png', 'no-cache'],
  ['/', 'text/html; charset=utf-8', 'no-cache'],
  ['/dashboard', 'text/html; charset=utf-8', 'no-cache'],
  ['/assets/app-1.js', 'application/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
])('[APP8] %s is sent as %s, to be kept as %s', async (path, type, keeping) => {
  const app = await serveFiles({
    'index.html': '<p>Page</p>',
    'sw.js': '1;',
    'manifest.webmanifest': '{}',
    'icons/any-192.png': 'x',
    'assets/app-1.js': '1;',
  });
  const { statusCode, headers } = await app.inject(path);
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toContain(type);
  expect(headers['cache-control']).toBe(keeping);
  // A worker and what it fetches are under the same policy as the page.
  expect(headers['content-security-policy']).toContain("worker-src 'self'");
});

test.each(['/sw.js', '/sw.js?x=1', '/manifest.webmanifest', '/icons/any-192.png', '/assets/app-1.js'])(
  '[APP8] %s is never answered by the page',
  async (path) => {
    const app = await serveFiles({ 'index.html': '<p>Page</p>' });
    expect((await app.inject(path)).statusCode).toBe(404);
  },
);
