import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { clientEvents, serverEvents } from '@pressel/contract/realtime';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { contractCalls } from '#test/contract-calls.ts';
import { readContract } from './contract.ts';
import type { OpenApi } from './openapi.ts';

/** The end of a doc comment, and the beginning of a schema or an event after it. */
const COMMENTED_SCHEMA = /\*\/\s+(?:export const )?[\w' ]+(?: = |: )(?:z\b|clientEvent|serverEvent|forGuests).*/gu;

describe('the reference at /docs', () => {
  let t: TestApp;
  let page: string;
  let document: OpenApi;
  beforeAll(async () => {
    t = await buildTestApp();
    page = (await t.app.inject({ url: '/docs' })).body;
    document = (await t.app.inject({ url: '/docs/openapi.json' })).json();
  });
  afterAll(() => t.close());

  test('the document is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('a linter finds nothing in it', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The specification chose these addresses.
        'no-path-trailing-slash': 'off',
        // Events use them, for which OpenAPI has no words.
        'no-unused-components': 'off',
        // The names of tags say enough.
        'tag-description': 'off',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`)).toEqual([]);
  });

  test('document and page have every call of the contract, with its access and its errors', () => {
    for (const [name, { method, path, access, errors, summary }] of Object.entries(contractCalls)) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: name, summary, 'x-access': access });
      expect(operation?.['x-errors']).toEqual(expect.arrayContaining([...errors]));
      expect(page).toContain(`<h3 id="call-${name}"><code>${method} ${path}</code></h3>`);
    }
  });

  test('and every event, in words', () => {
    const { sent, received } = document['x-events'];
    expect(Object.keys(sent).sort()).toEqual(Object.keys(clientEvents).sort());
    expect(Object.keys(received).sort()).toEqual(Object.keys(serverEvents).sort());
    const wordless = [...Object.entries(sent), ...Object.entries(received)].filter(
      ([, { description }]) => description === '',
    );
    expect(
      wordless.map(([name]) => name),
      'Say what it is in a doc comment before the event, in the contract.',
    ).toEqual([]);
    for (const name of [...Object.keys(sent), ...Object.keys(received)])
      expect(page).toContain(`<code>${name}</code></h3>`);
  });

  test('every field that the contract describes has its words', () => {
    const { properties = {} } =
      document.paths['/user/api/login']?.post?.requestBody?.content['application/json']?.schema ?? {};
    expect(properties.remember?.description).toMatch(/^'Remember me'/u);
    // Descriptions of an extended object, of a part that isn't exported, and of a field.
    expect(document.components.schemas.User?.properties?.photo_url?.description).toMatch(/^Signed path of the photo/u);
    const release = document['x-events'].sent.floor_release?.payload.properties?.seq;
    expect(release?.description).toMatch(/^Number of a press or release/u);
    expect(document.components.schemas.FloorNews?.properties?.queue?.description).toMatch(/^Waiting participants/u);
  });

  test('nothing is said of a field in a comment, which would reach nobody', () => {
    const folder = new URL('.', import.meta.resolve('@pressel/contract/call'));
    const commented = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').match(COMMENTED_SCHEMA) ?? []);
    expect(commented, 'Say it by .meta({ description }).').toEqual([]);
  });

  test('what a field has by default need not be sent, and is always answered', () => {
    const { schemas } = document.components;
    // A schema with defaults that is both sent and answered would be there twice.
    expect(Object.keys(schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
    expect(schemas.Invitation).toMatchObject({ oneOf: [{ required: expect.arrayContaining(['state', 'name']) }, {}] });
    const body = document.paths['/user/api/signUpUser']?.post?.requestBody?.content['application/json']?.schema;
    expect(body?.required).toEqual(['firstName', 'lastName', 'email', 'password']);
  });

  test('each link of the page leads somewhere on it, and no place has two', () => {
    const places = [...page.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id);
    const links = [...page.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(100);
    expect(places).toEqual([...new Set(places)]);
    expect(links.filter((id) => !places.includes(id))).toEqual([]);
  });

  test('the page is text alone: its policy allows one style sheet and no script', async () => {
    const { headers } = await t.app.inject({ url: '/docs' });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+='; /u);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(page).not.toMatch(/<script|style="|javascript:|src=|http-equiv/u);
    expect(page).not.toContain('[object Object]');
    expect(page).not.toContain('undefined');
  });

  test.each(['/docs', '/docs/openapi.json'])('%s is for anybody, compressed, and told once', async (url) => {
    const ask = (encodings: string) => t.app.inject({ url, headers: { 'accept-encoding': encodings } });
    const [first, second, third] = [await ask('gzip, br'), await ask('gzip;q=0.5, br;q=0'), await ask('identity')];
    expect(first.statusCode).toBe(200);
    expect(first.headers['cache-control']).toBe('no-cache');
    expect([first, second, third].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    expect(brotliDecompressSync(first.rawPayload).equals(third.rawPayload)).toBe(true);
    expect(gunzipSync(second.rawPayload).equals(third.rawPayload)).toBe(true);
    const known = await t.app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    const other = await t.app.inject({ url, headers: { 'if-none-match': 'W/"other"' } });
    expect(other.statusCode).toBe(200);
  });

  test.each([
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip , br ; q=0', 'gzip'],
    ['x-br', undefined],
    ['zstd, *;q=0.0', undefined],
  ])('whoever accepts %s gets %s, which was made before', async (accepted, encoding) => {
    const asked = await t.app.inject({ url: '/docs', headers: { 'accept-encoding': accepted } });
    expect(asked.headers['content-encoding']).toBe(encoding);
    const made = await t.app.inject({ url: '/docs', headers: { 'accept-encoding': encoding ?? 'identity' } });
    expect(asked.rawPayload.equals(made.rawPayload)).toBe(true);
  });

  test('nothing else is below it', async () => {
    for (const url of ['/docs/', '/docs/x', '/docs/..%2fpackage.json', '/docs/api.md']) {
      const { statusCode } = await t.app.inject({ url });
      expect([url, statusCode]).toEqual([url, url === '/docs/' ? 200 : 404]);
    }
  });

  test('what the guide says by its limits and events exists', async () => {
    const { limits } = await readContract();
    const guide = page.slice(page.indexOf('<main>'), page.indexOf('<section'));
    const named = [...guide.matchAll(/\b[A-Z]{3,}(?:_[A-Z]+)+\b/gu)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !limits.has(name) && name !== 'PUBLIC_URL')).toEqual([]);
    const paths = [...guide.matchAll(/(?:GET|POST) (\/user\/[\w/]+)/gu)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => document.paths[path] === undefined)).toEqual([]);
  });
});
