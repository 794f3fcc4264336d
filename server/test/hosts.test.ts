import { request } from 'node:http';
import { getServerInfo } from '@pressel/contract/auth';
import { ERRORS } from '@pressel/contract/errors';
import { afterEach, expect } from 'vitest';
import { alone } from './alone.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';

let t: TestApp;
afterEach(() => t.close());

/** Makes a request like a browser that calls this server `host`. */
const ask = (path: string, host: string): Promise<{ status: number; hsts: string | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(`${t.origin}${path}`, { headers: { host } }, (response) => {
      let body = '';
      response.on('data', (data) => {
        body += String(data);
      });
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, hsts: headers['strict-transport-security'], body });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
const polled = alone('handshakes by polling, which several processes don’t take (PROC1)');
const HANDSHAKE = '/socket.io/?EIO=4&transport=polling';

polled.test('without PUBLIC_URL a foreign name is answered by what to set, to calls and sockets', async () => {
  t = await buildTestApp();
  const call = await ask(getServerInfo.path, 'evil.example');
  expect([call.status, JSON.parse(call.body)]).toMatchObject([403, { code: 'wrong_host' }]);
  expect(call.body).toContain('PUBLIC_URL');
  const socket = await ask(HANDSHAKE, 'evil.example');
  expect([socket.status, JSON.parse(socket.body).message]).toEqual([403, ERRORS.wrong_host.text]);
  for (const path of [getServerInfo.path, HANDSHAKE]) {
    expect([path, await ask(path, 'localhost:3000')]).toMatchObject([path, { status: 200, hsts: undefined }]);
  }
});

polled.test.each([
  ['https://radio.example.org', 'max-age=31536000'],
  ['http://radio.example.org', undefined],
])('with PUBLIC_URL %s any name is answered, and HSTS is %s', async (publicUrl, hsts) => {
  t = await buildTestApp({ config: { publicUrl } });
  for (const path of [getServerInfo.path, HANDSHAKE]) expect((await ask(path, 'proxy.internal')).status).toBe(200);
  expect((await ask(getServerInfo.path, 'radio.example.org')).hsts).toBe(hsts);
});
