import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { getServerInfo, logIn } from '@pressel/contract/auth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '#src/config/config.ts';
import { createLog } from '#src/logs/log.ts';
import type { Certificate } from '#src/tls/certificate.ts';
import { storeSecret } from '#src/tls/certificate.ts';
import { makeSelfSigned } from '#src/tls/self-signed.ts';
import { openTls, type Tls } from '#src/tls/tls.ts';
import { buildTestApp, PASSWORD, type TestApp } from './build-test-app.ts';
import { connectSocket } from './socket-client.ts';

let t: TestApp;
let tls: Tls;
let folder: string;
let certificate: Certificate;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pressel-tls-'));
  certificate = await makeSelfSigned(['radio.example.org', '127.0.0.1', 'localhost'], new Date());
  await storeSecret(join(folder, 'cert.pem'), certificate.cert);
  await storeSecret(join(folder, 'key.pem'), certificate.key);
});
afterEach(async () => {
  tls.close();
  await t.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The server of an installation, with the certificate of files or with a self-signed one. */
async function serve({ isSelfSigned = false, publicUrl = null as string | null } = {}): Promise<number> {
  const files: Config['tls'] = { kind: 'files', cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const log = createLog('silent', { write: () => undefined });
  const kind: Config['tls'] = isSelfSigned ? { kind: 'self' } : files;
  tls = (await openTls({ tls: kind, host: '127.0.0.1', dataDir: folder, publicUrl }, log)) as Tls;
  t = await buildTestApp({ config: { tls: kind, publicUrl }, tls, sharedAddress: 'https://192.168.1.23:3000' });
  return Number(new URL(t.origin).port);
}

function logged() {
  const lines: { msg: string; validTo?: string }[] = [];
  return { lines, log: createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }) };
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}
interface Asked {
  path?: string;
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: unknown;
}

async function ask(
  port: number,
  { path = '/', method = 'GET', headers = {}, body }: Asked,
  ca?: string,
): Promise<Answer> {
  const options = { host: '127.0.0.1', port, path, method, headers, agent: false as const };
  const asked = ca === undefined ? plainRequest(options) : secureRequest({ ...options, ca });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('TLS7: serverInfo says where other devices find the server, and whether browsers warn', async () => {
  await serve({ isSelfSigned: true });
  const { body } = await t.call(getServerInfo, undefined);
  expect(body).toMatchObject({ address: 'https://192.168.1.23:3000', isSelfSigned: true });
});

describe('TLS1: a certificate of files', () => {
  test('calls and sockets come by https, without anything before the server', async () => {
    const port = await serve();
    const info = await ask(port, { path: getServerInfo.path }, certificate.cert);
    expect([info.status, JSON.parse(info.body).isFirstUser]).toEqual([200, true]);
    expect(info.headers['strict-transport-security']).toBeUndefined();
    const ana = await t.signUp('Ana');
    for (const transports of [['websocket'], ['polling']]) {
      const socket = await connectSocket(t.origin, ana.token, {
        auth: { token: ana.token },
        ca: certificate.cert,
        transports,
      });
      expect(socket.raw.connected).toBe(true);
      socket.close();
    }
  });

  test('the cookie of a known device is for https alone, and a page of plain http on this port is a foreign one', async () => {
    const port = await serve();
    await t.signUp('Ana');
    const signIn = (origin: string) =>
      ask(
        port,
        {
          path: logIn.path,
          method: 'POST',
          headers: { 'content-type': 'application/json', host: `127.0.0.1:${port}`, origin },
          body: { user_email: 'ana@example.org', user_password: PASSWORD },
        },
        certificate.cert,
      );
    const signedIn = await signIn(`https://127.0.0.1:${port}`);
    expect([signedIn.status, signedIn.headers['set-cookie']?.[0]]).toEqual([
      200,
      expect.stringMatching(/^__Secure-pressel_device=.*; Secure$/u),
    ]);
    const refused = await signIn(`http://127.0.0.1:${port}`);
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([403, 'wrong_origin']);
  });

  test('files that were renewed are used without a restart; faulty ones are not', async () => {
    const port = await serve();
    const renewed = await makeSelfSigned(['127.0.0.1'], new Date());
    await storeSecret(join(folder, 'cert.pem'), renewed.cert);
    await tls.renew();
    expect(tls.fingerprint()).toBe(certificate.facts.fingerprint256);
    await storeSecret(join(folder, 'key.pem'), renewed.key);
    await tls.renew();
    expect(tls.fingerprint()).toBe(renewed.facts.fingerprint256);
    expect((await ask(port, { path: '/healthz' }, renewed.cert)).status).toBe(200);
    await expect(ask(port, { path: '/healthz' }, certificate.cert)).rejects.toThrow(/self-signed/u);
  });

  test('a file that can’t be read or used is told by its setting, with what it must be', async () => {
    await serve();
    const start = (config: { cert?: string; key?: string }) => {
      const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      const { log } = logged();
      return openTls({ tls: { kind: 'files', cert, key, ...config }, host: '', dataDir: folder, publicUrl: null }, log);
    };
    await expect(start({ cert: join(folder, 'none.pem') })).rejects.toThrow(
      /^TLS_CERT \(.*none\.pem\) can't be read: ENOENT/u,
    );
    await expect(start({ key: folder })).rejects.toThrow(/^TLS_KEY \(.*\) can't be read: EISDIR/u);
    await storeSecret(join(folder, 'other.pem'), (await makeSelfSigned(['localhost'], new Date())).key);
    const mismatch = start({ key: join(folder, 'other.pem') });
    await expect(mismatch).rejects.toThrow(/mismatch\. TLS_CERT must be .* without a password, both PEM\.$/u);
  });

  test('that the certificate is over or not valid yet is logged at the start', async () => {
    await serve();
    const files = { kind: 'files' as const, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const said = async (now: Date) => {
      const { log, lines } = logged();
      await openTls({ tls: files, host: '', dataDir: folder, publicUrl: null }, log, () => now);
      return lines.map(({ msg, validTo }) => [msg, validTo]);
    };
    const { validFromDate, validToDate } = certificate.facts;
    const notValid = ['certificate_not_valid', validToDate.toISOString()];
    expect(await said(new Date())).toEqual([]);
    expect(await said(new Date(validToDate.getTime() + 1))).toEqual([notValid]);
    expect(await said(new Date(validFromDate.getTime() - 1))).toEqual([notValid]);
  });

  test('with PUBLIC_URL browsers are told to stay with https', async () => {
    const port = await serve({ publicUrl: 'https://radio.example.org' });
    const { headers } = await ask(port, { path: getServerInfo.path }, certificate.cert);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('TLS4: plain http on the port of https', () => {
  test.each(['/', '/channelsList?page=2', getServerInfo.path])('%s is answered by its https address', async (path) => {
    const port = await serve();
    const { status, headers, body } = await ask(port, { path, headers: PAGE });
    const address = `https://127.0.0.1:${port}${path}`;
    expect([status, headers.location, headers.connection]).toEqual([308, address, 'close']);
    expect(body).toBe(`This port speaks https: ${address}\n`);
  });

  test('PUBLIC_URL is where it leads, whatever the request says', async () => {
    const port = await serve({ publicUrl: 'https://radio.example.org' });
    const { headers } = await ask(port, { path: '/signin', headers: { host: 'evil.example' } });
    expect(headers.location).toBe('https://radio.example.org/signin');
  });

  test('a foreign name, or what is no request, leads nowhere', async () => {
    const port = await serve();
    const foreign = await ask(port, { headers: { host: 'evil.example', ...PAGE } });
    expect([foreign.status, foreign.headers.location]).toEqual([400, undefined]);
    expect(foreign.body).toBe('This port speaks https: type https:// before the address.\n');
    const socket = connect(port, '127.0.0.1');
    socket.write('\r\nnonsense\r\n\r\n');
    await once(socket, 'close');
  });

  test('with PUBLIC_URL no address leads to another site', async () => {
    const port = await serve({ publicUrl: 'https://radio.example.org' });
    for (const path of ['//evil.example/', '/\\evil.example', 'http://evil.example/']) {
      const { headers } = await ask(port, { path });
      expect([path, new URL(headers.location ?? '').host]).toEqual([path, 'radio.example.org']);
    }
  });
});

describe('TLS5: a certificate that browsers warn of', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Ihr Browser wird Sie warnen'],
    ['en-GB', 'en', 'Your browser is going to warn you'],
    ['it', 'fr', 'Votre navigateur va vous avertir'],
    [undefined, 'fr', 'Votre navigateur va vous avertir'],
  ])('a page asked for by plain http says so first: %s → %s', async (language, lang, title) => {
    const port = await serve({ isSelfSigned: true });
    const headers = { ...PAGE, ...(language === undefined ? {} : { 'accept-language': language }) };
    const answer = await ask(port, { path: '/signin?a=1&b="<', headers });
    expect([answer.status, answer.headers['content-language']]).toEqual([200, lang]);
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).toContain(`<a href="https://127.0.0.1:${port}/signin?a=1&#38;b=%22%3C">`);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('no browser is told to stay with https: it would let nobody past the warning', async () => {
    const port = await serve({ isSelfSigned: true, publicUrl: 'https://radio.example.org' });
    const { cert } = await makeCaOf(port);
    const { headers, status } = await ask(port, { path: getServerInfo.path }, cert);
    expect([status, headers['strict-transport-security']]).toEqual([200, undefined]);
  });
});

/** The certificate that a server shows. */
async function makeCaOf(port: number): Promise<{ cert: string }> {
  const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return { cert: `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n` };
}

test('TLS4: a connection that says nothing, or half a greeting, does not keep the server from ending', async () => {
  const port = await serve();
  const silent = connect(port, '127.0.0.1');
  const half = connect(port, '127.0.0.1');
  half.write(Buffer.from([0x16, 3, 1, 2, 0, 1]));
  const plain = connect(port, '127.0.0.1');
  plain.write('GET / HT');
  await Promise.all([silent, half, plain].map((socket) => once(socket, 'connect')));
  await ask(port, { path: '/healthz' }, certificate.cert);
  const ended = Promise.all([silent, half, plain].map((socket) => once(socket, 'close')));
  await t.app.close();
  await ended;
});
