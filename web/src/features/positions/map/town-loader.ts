import type { TownCell, TownFile } from './town-cells.ts';

/** The towns of cells: each file is read once, and again if it didn't come. */
export interface TownLoader {
  /** Undefined until it is there. */
  file(cell: TownCell): TownFile | undefined;
  /** Requests the towns of a cell unless they are there. `onCame` is called when they come, and never if they don't. */
  load(cell: TownCell, onCame: () => void): void;
}

/** Keeps what has come for as long as the map is open, because users who look around come back. */
export function createTownLoader(read: (address: string) => Promise<TownFile>): TownLoader {
  const there = new Map<string, TownFile>();
  const awaited = new Map<string, Promise<void>>();

  async function fetchFile(address: string): Promise<void> {
    try {
      there.set(address, await read(address));
    } finally {
      awaited.delete(address);
    }
  }
  return {
    file: ({ address }) => there.get(address),
    load({ address }, onCame) {
      if (there.has(address)) return;
      const coming = awaited.get(address) ?? fetchFile(address);
      awaited.set(address, coming);
      // A map without some of its towns is still useful: the next move requests them again.
      coming.then(onCame, () => undefined);
    },
  };
}

/** @throws Error when the file isn't there */
export async function readTowns(address: string): Promise<TownFile> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`No towns: ${answer.status}`);
  return answer.json();
}
