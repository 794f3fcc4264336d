import { X509Certificate } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { syncFolder } from '../shared/durable-files.ts';

/** A certificate with its private key. */
export interface Certificate {
  /** The chain, PEM. */
  cert: string;
  /** PEM. */
  key: string;
  /** The first certificate of the chain, parsed. */
  facts: X509Certificate;
}

/** A source of the server's certificate. */
export interface CertificateSource {
  /** The certificate to begin with. */
  first(): Promise<Certificate>;
  /** Looks for a better certificate than `current`; null: there is none. @throws Error when it can't be obtained */
  renew(current: Certificate): Promise<Certificate | null>;
  /** How often to ask for a better one, ms. */
  checkMs: number;
}

/** @throws Error when one is unreadable or the key belongs to another certificate; the message says which */
export function parseCertificate(cert: string, key: string): Certificate {
  createSecureContext({ cert, key });
  return { cert, key, facts: new X509Certificate(cert) };
}

/** The SHA-256 fingerprint, as browsers show it. */
export const fingerprintOf = ({ facts }: Certificate): string => facts.fingerprint256;

/** Whether a certificate stays valid for this long. */
export const holdsFor = ({ facts }: Certificate, ms: number, now: Date): boolean =>
  facts.validToDate.getTime() - now.getTime() > ms;

/** Reads what `storeCertificate` wrote; null: it is missing, or it can't be used. */
export async function readStored(path: string): Promise<Certificate | null> {
  try {
    const pem = await readFile(path, 'utf8');
    return parseCertificate(pem, pem);
  } catch {
    // A damaged file is replaced like a missing one.
    return null;
  }
}

/** Reads what `storeSecret` wrote; null: it is missing. */
export async function readSecret(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Keeps key and chain in one file, so that a crash never leaves one without the other. Only the owner may read it. */
export const storeCertificate = (path: string, { cert, key }: Certificate): Promise<void> =>
  storeSecret(path, `${key.trim()}\n${cert.trim()}\n`);

/** Replaces a file that only its owner may read, completely or not at all. */
export async function storeSecret(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const coming = `${path}.coming`;
  const file = await open(coming, 'w', 0o600);
  try {
    // A file that exists already keeps its mode when it is opened.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(coming, path);
  await syncFolder(folder);
}

/** A certificate is not available; the message tells the operator what to do. */
export class TlsError extends Error {}
