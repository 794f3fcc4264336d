import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from './identity.ts';

const PORT = 5432;
/** The longest path of a Unix socket, without its final zero byte (unix(7); BSD has four bytes less). */
const SOCKET_PATH_MAX = process.platform === 'linux' ? 107 : 103;

/** Where a server listens. */
export interface ListenAddress {
  host: string;
  port: number;
  settings: Record<string, string>;
  close(): Promise<void>;
}

/**
 * A Unix socket in the data folder, which nobody else may enter. Where its path is too long, it goes into a temporary folder
 * of its own. On Windows this is a free loopback port.
 */
export async function chooseListenAddress(folder: string, identity: Identity): Promise<ListenAddress> {
  if (process.platform === 'win32') {
    const port = await freePort();
    const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
    return { host: '127.0.0.1', port, settings, close: async () => undefined };
  }
  const place = (host: string, close: () => Promise<void>): ListenAddress => ({
    host,
    port: PORT,
    settings: {
      listen_addresses: '',
      port: String(PORT),
      unix_socket_directories: `"${host.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    },
    close,
  });
  const fits = (parent: string) => Buffer.byteLength(join(parent, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_MAX;
  if (fits(folder)) return place(folder, async () => undefined);
  const name = 'pressel-';
  const parent = fits(join(tmpdir(), `${name}xxxxxx`)) ? tmpdir() : '/tmp';
  const temporary = await mkdtemp(join(parent, name));
  await identity.own(temporary);
  return place(temporary, () => rm(temporary, { recursive: true, force: true }));
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
