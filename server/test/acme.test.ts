import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { type AddressInfo, connect, createServer as createNet } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { axios } from 'acme-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '#src/logs/log.ts';
import { makeSelfSigned } from '#src/tls/self-signed.ts';
import { openTls, type Tls } from '#src/tls/tls.ts';
import { waitUntil } from './wait-until.ts';

/** Let's Encrypt's own server for tests: `go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest`. */
const PEBBLE =
  process.env.PEBBLE_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'pebble'))
    .find(existsSync);
if (PEBBLE === undefined) process.stderr.write('pebble was not found: the test of certificates by ACME is left out\n');

/** A name that every machine resolves to itself. */
const NAME = 'localhost';

let folder: string;
let pebble: ChildProcess;
let tls: Tls;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pressel-acme-'));
});
afterEach(async () => {
  pebble.kill();
  await once(pebble, 'exit');
  tls.close();
  delete axios.defaults.httpsAgent;
  rmSync(folder, { recursive: true, force: true });
});

/** A port that is free at this moment: pebble takes no 0. */
async function freePort(): Promise<number> {
  const server = createNet().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts an issuer that checks names at `tlsPort`. @returns its directory's URL */
async function startPebble(tlsPort: number): Promise<string> {
  const own = await makeSelfSigned(['127.0.0.1'], new Date());
  const port = await freePort();
  const paths = { certificate: join(folder, 'issuer.pem'), privateKey: join(folder, 'issuer-key.pem') };
  writeFileSync(paths.certificate, own.cert);
  writeFileSync(paths.privateKey, own.key);
  writeFileSync(
    join(folder, 'pebble.json'),
    JSON.stringify({
      pebble: { listenAddress: `127.0.0.1:${port}`, managementListenAddress: '', ...paths, httpPort: 1, tlsPort },
    }),
  );
  pebble = spawn(String(PEBBLE), ['-config', join(folder, 'pebble.json'), '-strict'], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    stdio: 'ignore',
  });
  axios.defaults.httpsAgent = new Agent({ ca: own.cert });
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() === socket));
      socket.once('error', () => resolve(false));
    });
  let isListening = false;
  const watch = setInterval(async () => {
    isListening ||= await listens();
  }, 50);
  await waitUntil(() => isListening);
  clearInterval(watch);
  return `https://127.0.0.1:${port}/dir`;
}

async function shownCertificate(port: number): Promise<string> {
  const socket = connectSecurely({ port, host: '127.0.0.1', servername: NAME, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test.skipIf(PEBBLE === undefined)(
  'TLS8: a certificate is got from an ACME server, which checks the name at our port, and is kept',
  async () => {
    const port = await freePort();
    const directoryUrl = await startPebble(port);
    const lines: Record<string, unknown>[] = [];
    const log = createLog('info', { write: (line: string) => lines.push(JSON.parse(line)) });
    const config = {
      tls: { kind: 'acme' as const, directoryUrl, name: NAME },
      host: '127.0.0.1',
      dataDir: folder,
      publicUrl: `https://${NAME}`,
    };
    let now = new Date();
    tls = (await openTls(config, log, () => now)) as Tls;
    const server = tls.createServer((_request, response) => response.end('here'), {});
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const standIn = await shownCertificate(port);
    expect(standIn).toBe(tls.fingerprint());

    await tls.renew();
    expect(lines).toMatchObject([{ msg: 'certificate_renewed' }]);
    expect(tls.fingerprint()).not.toBe(standIn);
    expect(await shownCertificate(port)).toBe(tls.fingerprint());
    for (const name of ['acme.pem', 'acme-account.json']) {
      expect(statSync(join(folder, 'tls', name)).mode & 0o777).toBe(0o600);
    }
    await tls.renew();
    expect(lines, 'a fresh one is not renewed').toHaveLength(1);
    const first = tls.fingerprint();
    expect((await openTls(config, log))?.fingerprint(), 'after a restart').toBe(first);
    // Pebble's certificates are valid for five years.
    now = new Date(now.getTime() + 4 * 365 * 86_400_000);
    await tls.renew();
    expect(lines).toMatchObject([{ msg: 'certificate_renewed' }, { msg: 'certificate_renewed' }]);
    expect(tls.fingerprint()).not.toBe(first);
    expect(await shownCertificate(port)).toBe(tls.fingerprint());
    server.close();
    await once(server, 'close');
  },
);
