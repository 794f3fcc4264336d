import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { answerUnreadable, builtName, secureHeaders, serveWebApp } from './web-app.ts';

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
  await secureHeaders(app, { keepsHttps: false, webDir, mapOrigins: [] });
  await serveWebApp(app, webDir, 'contract');
  return app;
}

async function servePage(page: string | null) {
  const app = await serveFiles(page === null ? {} : { 'index.html': page });
  const { headers } = await app.inject('/usersList');
  const policy = String(headers['content-security-policy']);
  return policy.split(';').find((directive) => directive.startsWith('script-src '));
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('no page can have its addresses lead elsewhere, be framed, or load a plug-in', async () => {
  const { headers } = await (await serveFiles({ 'index.html': '' })).inject('/usersList');
  const policy = String(headers['content-security-policy']).split(';');
  expect(policy).toEqual(expect.arrayContaining(["base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'"]));
});

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
  // A worker and its requests are under the same policy as the page.
  expect(headers['content-security-policy']).toContain("worker-src 'self'");
});

test.each(['/sw.js', '/sw.js?x=1', '/manifest.webmanifest', '/icons/any-192.png', '/assets/app-1.js'])(
  '[APP8] %s is never answered by the page',
  async (path) => {
    const app = await serveFiles({ 'index.html': '<p>Page</p>' });
    expect((await app.inject(path)).statusCode).toBe(404);
  },
);

test('a compressed copy of a built file is sent in its place, and has no address of its own', async () => {
  const app = await serveFiles({ 'index.html': '', 'assets/app-1.js': 'plain', 'assets/app-1.js.br': 'packed' });
  const packed = await app.inject({ url: '/assets/app-1.js', headers: { 'accept-encoding': 'gzip, br' } });
  expect([packed.body, packed.headers['content-encoding']]).toEqual(['packed', 'br']);
  expect((await app.inject('/assets/app-1.js')).body).toBe('plain');
  expect((await app.inject('/assets/app-1.js.br')).statusCode).toBe(404);
});

test('every built file has its address for GET and HEAD, and nothing else below /assets has one', async () => {
  const app = await serveFiles({ 'index.html': '<p>Page</p>', 'assets/a~1-b_2.js': '1;', 'assets/tiles-3.tiles': 'x' });
  for (const path of ['/assets/a~1-b_2.js', '/assets/a%7E1-b_2.js', '/assets/tiles-3.tiles']) {
    const [got, head] = [await app.inject(path), await app.inject({ method: 'HEAD', url: path })];
    expect([got.statusCode, head.statusCode, head.body], path).toEqual([200, 200, '']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  }
  const others = ['/', '/none-1.js', '/..%2findex.html', '/.', '/a~1-b_2.js/b', '/%00', '/__proto__'];
  for (const other of others) {
    const { statusCode, body } = await app.inject(`/assets${other}`);
    expect([other, statusCode, body.includes('Page')]).toEqual([other, 404, false]);
  }
  expect((await app.inject({ method: 'POST', url: '/assets/a~1-b_2.js' })).statusCode).toBe(404);
});

test.each([
  ['GET', '/userCallView/%E0%A4%A', '/userCallView/%25E0%25A4%25A'],
  ['GET', '/userCallView/%7B%22token%22%3A%22abc%2', '/userCallView/%257B%2522token%2522%253A%2522abc%252'],
  ['GET', '/join/%?x=%', '/join/%25?x=%'],
  ['POST', '/userCallView/%', undefined],
  ['GET', '/user/api/%', undefined],
  ['GET', '/files/%', undefined],
  ['GET', '//example.org/%', undefined],
  ['GET', '/\\example.org/%', undefined],
] as const)('%s %s, which cannot be decoded, leads to %s', async (method, url, to) => {
  const app = Fastify({
    frameworkErrors: (_error, request, reply) => answerUnreadable(request as FastifyRequest, reply as FastifyReply),
  });
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = Promise.withResolvers<[number | undefined, string | undefined]>();
  // Written by node:http, because other clients correct the address.
  const { port } = app.server.address() as AddressInfo;
  const asked = httpRequest({ port, host: '127.0.0.1', method, path: url, agent: false }, (response) => {
    response.resume();
    answer.resolve([response.statusCode, response.headers.location]);
  });
  asked.end();
  expect(await answer.promise).toEqual(to === undefined ? [400, undefined] : [302, to]);
});

test('[APP13] the built app’s name is the one that its page states', async () => {
  const webDir = await mkdtemp(join(tmpdir(), 'pressel-web-'));
  onTestFinished(() => rm(webDir, { recursive: true }));
  expect(builtName(null)).toBeNull();
  expect(builtName(webDir)).toBeNull();
  const page = join(webDir, 'index.html');
  await writeFile(page, '<!doctype html>');
  expect(builtName(webDir)).toBeNull();
  await writeFile(page, '<head><meta name="build" content="gQ8-a_"></head>');
  expect(builtName(webDir)).toBe('gQ8-a_');
});
