import type { Connection } from './flood-guard.ts';

/** Internals of a connection. Everything is optional, so that a later version of the library merely isn't helped. */
interface Inside {
  flush?: () => void;
  writeBuffer?: readonly unknown[];
  transport?: { socket?: { _socket?: { cork?(): void; uncork?(): void } } };
}

/**
 * Sends all that one turn of the event loop has for a client with one write. The library itself writes each packet as soon as the one
 * before is out. A change of a floor is two packets for each socket in its room, and writes are most of what it costs.
 */
export function gatherWrites(connection: Connection): void {
  const inside = connection as unknown as Inside;
  const { flush } = inside;
  if (flush === undefined) return;
  let isWaiting = false;
  const writeAll = (): void => {
    isWaiting = false;
    const wire = inside.transport?.socket?._socket;
    const isOne = (inside.writeBuffer?.length ?? 0) < 2;
    if (!isOne) wire?.cork?.();
    flush.call(connection);
    if (!isOne) wire?.uncork?.();
  };
  inside.flush = () => {
    if (isWaiting) return;
    isWaiting = true;
    process.nextTick(writeAll);
  };
}
