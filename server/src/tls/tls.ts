import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { Server, ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '#src/config/config.ts';
import { acmeSource } from './acme.ts';
import { type Certificate, type CertificateSource, fingerprintOf, parseCertificate, TlsError } from './certificate.ts';
import { describeMachine } from './machine.ts';
import { createOnePort } from './one-port.ts';
import { createPlainAnswer } from './plain-answer.ts';
import { selfSignedSource } from './self-signed.ts';

/** How often the files are checked: tools renew certificates while the server runs. */
const CHECK_MS = 60_000;

/** The files of `TLS_CERT` and `TLS_KEY`, read again when they change. */
function fileSource({ cert, key }: { cert: string; key: string }): CertificateSource {
  const read = async (): Promise<Certificate> => {
    const [chain, secret] = await Promise.all([readSetting('TLS_CERT', cert), readSetting('TLS_KEY', key)]);
    try {
      return parseCertificate(chain, secret);
    } catch (error) {
      throw new TlsError(
        `TLS_CERT (${cert}) and TLS_KEY (${key}) can't be used: ${(error as Error).message}. TLS_CERT must be the certificate and its chain, TLS_KEY its private key without a password, both PEM.`,
        { cause: error },
      );
    }
  };
  return {
    checkMs: CHECK_MS,
    first: read,
    async renew(current) {
      const found = await read();
      return fingerprintOf(found) === fingerprintOf(current) ? null : found;
    },
  };
}

async function readSetting(name: 'TLS_CERT' | 'TLS_KEY', path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new TlsError(`${name} (${path}) can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The https side of a server. */
export interface Tls {
  /** Fastify's `serverFactory`. */
  createServer(handler: RequestListener, http: ServerOptions): Server;
  /** The SHA-256 fingerprint of the certificate in use. */
  fingerprint(): string;
  /** Looks for a better certificate and switches to it. A failure is logged, and the old one stays in use. */
  renew(): Promise<void>;
  /** Renews at once and at intervals while the server runs. Calls `onRenewed` after each renewal. */
  keepRenewed(onRenewed: () => Promise<unknown>): void;
  close(): void;
}

/** Gets a certificate. Null: the server speaks plain http. @throws Error when there is no certificate to start with */
export async function openTls(
  config: Pick<Config, 'tls' | 'host' | 'dataDir' | 'publicUrl'>,
  log: Logger,
  now = () => new Date(),
): Promise<Tls | null> {
  const source = sourceOf(config, now);
  return source === null ? null : serveWith(source, config, { log, now });
}

type Source = CertificateSource & { onAcmeCheck?: (socket: Socket) => void };

function sourceOf({ tls, host, dataDir }: Pick<Config, 'tls' | 'host' | 'dataDir'>, now: () => Date): Source | null {
  switch (tls.kind) {
    case 'off':
      return null;
    case 'files':
      return fileSource(tls);
    case 'self':
      return selfSignedSource({ dataDir, machine: () => describeMachine(host), now });
    case 'acme':
      return acmeSource({ ...tls, dataDir, now });
    default:
      return tls satisfies never;
  }
}

async function serveWith(
  source: Source,
  { tls, publicUrl }: Pick<Config, 'tls' | 'publicUrl'>,
  { log, now }: { log: Logger; now: () => Date },
): Promise<Tls> {
  let current: Certificate = await source.first();
  const { validFromDate, validToDate } = current.facts;
  // Browsers refuse it, or this machine's clock is wrong. The log says so, because nobody would look for either here.
  if (validToDate <= now() || validFromDate > now()) {
    log.error({ validFrom: validFromDate, validTo: validToDate }, 'certificate_not_valid');
  }
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let server: Server | undefined;
  let heard: () => Promise<unknown> = async () => undefined;
  const renew = async (): Promise<void> => {
    try {
      const renewed = await source.renew(current);
      if (renewed === null) return;
      current = renewed;
      server?.setSecureContext({ cert: renewed.cert, key: renewed.key });
      log.info({ validTo: renewed.facts.validToDate }, 'certificate_renewed');
      await heard();
    } catch (error) {
      // The old one stays in use; the next check tries again.
      log.error({ err: error, validTo: current.facts.validToDate }, 'certificate_not_renewed');
    }
  };
  return {
    createServer(handler, http) {
      const { cert, key } = current;
      const answerPlain = createPlainAnswer({ publicUrl, isSelfSigned: tls.kind === 'self' });
      const { onAcmeCheck = (socket) => socket.destroy() } = source;
      server = createOnePort(handler, { http, cert, key, answerPlain, onAcmeCheck });
      return server;
    },
    fingerprint: () => fingerprintOf(current),
    renew,
    keepRenewed(onRenewed) {
      heard = onRenewed;
      const check = () => {
        void renew().then(() => {
          if (!isClosed) timer = setTimeout(check, source.checkMs).unref();
        });
      };
      check();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
