import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  type Certificate,
  type CertificateSource,
  holdsFor,
  parseCertificate,
  readStored,
  storeCertificate,
} from './certificate.ts';
import type { Machine } from './machine.ts';

const DAY_MS = 86_400_000;
/** Apple's systems refuse server certificates with a lifetime over 825 days; browsers expect 398 at most. */
const LIFETIME_MS = 397 * DAY_MS;
/** Phones with a slow clock would refuse a certificate that starts now. */
const CLOCK_SKEW_MS = DAY_MS;
/** A new certificate is made this long before the old one ends. */
const RENEWED_BEFORE_MS = 30 * DAY_MS;
/** A laptop is reachable again this long after it changes its network. */
const CHECK_MS = 60_000;

/**
 * A certificate that this machine makes for its own names and addresses and keeps in `dataDir`. A new one is made when
 * the machine has an address that the old one lacks, or when the old one nears its end.
 */
export function selfSignedSource(options: {
  dataDir: string;
  machine: () => Promise<Machine>;
  now: () => Date;
}): CertificateSource {
  const { dataDir, machine, now } = options;
  const path = join(dataDir, 'tls', 'self-signed.pem');
  const make = async (hosts: readonly string[]) => {
    const made = await makeSelfSigned(hosts, now());
    await storeCertificate(path, made);
    return made;
  };
  const isGood = (certificate: Certificate, hosts: readonly string[]) =>
    covers(certificate, hosts) &&
    // A certificate made while the clock was ahead is not valid yet.
    certificate.facts.validFromDate <= now() &&
    holdsFor(certificate, RENEWED_BEFORE_MS, now());
  return {
    checkMs: CHECK_MS,
    async first() {
      const hosts = hostsOf(await machine());
      const stored = await readStored(path);
      return stored !== null && isGood(stored, hosts) ? stored : make(hosts);
    },
    async renew(current) {
      const hosts = hostsOf(await machine());
      return isGood(current, hosts) ? null : make(hosts);
    },
  };
}

const hostsOf = ({ names, addresses }: Machine): string[] => [...names, ...addresses, 'localhost', '127.0.0.1', '::1'];

const covers = ({ facts }: Certificate, hosts: readonly string[]): boolean =>
  hosts.every((host) => (isIP(host) === 0 ? facts.checkHost(host) : facts.checkIP(host)) !== undefined);

/** Makes a certificate for names and addresses; the first of them is its title. */
export async function makeSelfSigned(hosts: readonly string[], now: Date): Promise<Certificate> {
  // Needed once a year, so it is not loaded at every start.
  const x509 = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const keys = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // The zeros make it positive, whatever its first random byte.
    serialNumber: `00${randomBytes(16).toString('hex')}`,
    name: [{ CN: [hosts[0] ?? 'localhost'] }],
    notBefore: new Date(now.getTime() - CLOCK_SKEW_MS),
    notAfter: new Date(now.getTime() - CLOCK_SKEW_MS + LIFETIME_MS),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return parseCertificate(certificate.toString('pem'), key);
}
