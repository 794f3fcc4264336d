import { readFile } from 'node:fs/promises';
import { type Certificate, type CertificateSource, fingerprintOf, parseCertificate, TlsError } from './certificate.ts';

/** Tools that renew certificates replace the files while the server runs. */
const CHECK_MS = 60_000;

/** The files of `TLS_CERT` and `TLS_KEY`, read again when they change. */
export function fileSource({ cert, key }: { cert: string; key: string }): CertificateSource {
  const read = async (): Promise<Certificate> => {
    const [chain, secret] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
    try {
      return parseCertificate(chain, secret);
    } catch (error) {
      throw new TlsError(`TLS_CERT (${cert}) and TLS_KEY (${key}) can't be used: ${(error as Error).message}`);
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
