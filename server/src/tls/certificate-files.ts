import { readFile } from 'node:fs/promises';
import { type Certificate, type CertificateSource, fingerprintOf, parseCertificate, TlsError } from './certificate.ts';

/** How often the files are checked: tools renew certificates while the server runs. */
const CHECK_MS = 60_000;

/** The files of `TLS_CERT` and `TLS_KEY`, read again when they change. */
export function fileSource({ cert, key }: { cert: string; key: string }): CertificateSource {
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
