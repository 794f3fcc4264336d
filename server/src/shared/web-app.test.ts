import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { secureHeaders, serveWebApp } from './web-app.ts';

async function servePage(page: string | null) {
  const webDir = await mkdtemp(join(tmpdir(), 'pressel-web-'));
  const app = Fastify();
  onTestFinished(async () => {
    await app.close();
    await rm(webDir, { recursive: true });
  });
  if (page !== null) await writeFile(join(webDir, 'index.html'), page);
  await secureHeaders(app, { publicUrl: null, webDir, mapOrigins: [] });
  await serveWebApp(app, webDir);
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
