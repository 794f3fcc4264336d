import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, createServer, type SecureContext } from 'node:tls';
import type { Client } from 'acme-client';
import * as z from 'zod';
import {
  type Certificate,
  type CertificateSource,
  holdsFor,
  parseCertificate,
  readSecret,
  readStored,
  storeCertificate,
  storeSecret,
  TlsError,
} from './certificate.ts';
import { makeSelfSigned } from './self-signed.ts';

/** Let's Encrypt allows five failed checks of a name in an hour. */
const CHECK_MS = 3_600_000;
/** A certificate is renewed when this share of its lifetime is left, as issuers advise. */
const RENEWED_SHARE = 1 / 3;
/** How long to wait for an answer of the issuer. */
const ANSWER_MS = 30_000;
const CHALLENGE = 'tls-alpn-01';

export interface AcmeSource extends CertificateSource {
  /** Handles a connection by which the issuer checks that this server has the name. */
  onAcmeCheck(socket: Socket): void;
}

/**
 * A certificate for `name` from an ACME issuer (RFC 8555). The issuer checks the name on the https port itself (TLS-ALPN-01,
 * RFC 8737), so no second port is needed. A self-signed certificate stands in until the first one is there.
 */
export function acmeSource(options: {
  dataDir: string;
  directoryUrl: string;
  name: string;
  now: () => Date;
}): AcmeSource {
  const { dataDir, directoryUrl, name, now } = options;
  const path = join(dataDir, 'tls', 'acme.pem');
  const accountPath = join(dataDir, 'tls', 'acme-account.json');
  const answers = new Map<string, SecureContext>();
  const responder = createServer(
    {
      ALPNProtocols: ['acme-tls/1'],
      SNICallback: (asked, done) => {
        const answer = answers.get(asked.toLowerCase());
        if (answer === undefined) done(new Error('no check of this name is under way'));
        else done(null, answer);
      },
    },
    (socket) => socket.end(),
  );
  responder.on('tlsClientError', (_error, socket) => socket.destroy());
  const isFor = ({ facts }: Certificate) => facts.checkHost(name) !== undefined && facts.issuer !== facts.subject;
  const isFresh = (certificate: Certificate) => {
    const { validFromDate, validToDate } = certificate.facts;
    return holdsFor(certificate, (validToDate.getTime() - validFromDate.getTime()) * RENEWED_SHARE, now());
  };
  return {
    checkMs: CHECK_MS,
    onAcmeCheck: (socket) => responder.emit('connection', socket),
    async first() {
      const stored = await readStored(path);
      if (stored !== null && isFor(stored) && holdsFor(stored, 0, now())) return stored;
      return makeSelfSigned([name], now());
    },
    async renew(current) {
      if (isFor(current) && isFresh(current)) return null;
      const got = await order({ accountPath, directoryUrl, name, answers });
      await storeCertificate(path, got);
      return got;
    },
  };
}

interface Order {
  accountPath: string;
  directoryUrl: string;
  name: string;
  answers: Map<string, SecureContext>;
}

async function order({ accountPath, directoryUrl, name, answers }: Order): Promise<Certificate> {
  const acme = await import('acme-client');
  acme.axios.defaults.timeout = ANSWER_MS;
  const [key, csr] = await acme.crypto.createCsr({ altNames: [name] }, await acme.crypto.createPrivateEcdsaKey());
  try {
    const client = await openAccount(acme, accountPath, directoryUrl);
    const chain = await client.auto({
      csr,
      // This machine may not reach its own public address; the issuer checks anyway.
      skipChallengeVerification: true,
      challengePriority: [CHALLENGE],
      async challengeCreateFn(authorization, challenge, keyAuthorization) {
        // The library's types only know the two older checks.
        if ((challenge.type as string) !== CHALLENGE) throw new TlsError(`The issuer offers no ${CHALLENGE} check.`);
        const [answerKey, cert] = await acme.crypto.createAlpnCertificate(authorization, keyAuthorization);
        answers.set(authorization.identifier.value.toLowerCase(), createSecureContext({ key: answerKey, cert }));
      },
      async challengeRemoveFn(authorization) {
        answers.delete(authorization.identifier.value.toLowerCase());
      },
    });
    return parseCertificate(chain, key.toString());
  } catch (error) {
    throw new TlsError(
      `No certificate for ${name} from ${directoryUrl}: ${(error as Error).message}. Port 443 of ${name} must reach this server.`,
      { cause: error },
    );
  }
}

const account = z.object({ directoryUrl: z.string(), url: z.string(), key: z.string() });

/**
 * Opens the account with an issuer; the first order creates it. Its address is kept beside its key: asking for it again would count as
 * an empty change, which strict issuers refuse.
 */
async function openAccount(
  acme: typeof import('acme-client'),
  accountPath: string,
  directoryUrl: string,
): Promise<Client> {
  const text = await readSecret(accountPath);
  const kept = text === null ? undefined : account.safeParse(JSON.parse(text)).data;
  if (kept?.directoryUrl === directoryUrl) {
    return new acme.Client({ directoryUrl, accountKey: kept.key, accountUrl: kept.url });
  }
  const key = (await acme.crypto.createPrivateEcdsaKey()).toString();
  const client = new acme.Client({ directoryUrl, accountKey: key });
  await client.createAccount({ termsOfServiceAgreed: true });
  await storeSecret(accountPath, JSON.stringify({ directoryUrl, url: client.getAccountUrl(), key }));
  return client;
}
