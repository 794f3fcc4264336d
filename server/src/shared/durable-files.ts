import { copyFile, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes new names in a folder survive a power cut. Windows neither needs nor has this. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await sync(folder, 'r');
}

/** The same for a folder and all folders below it. */
export async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}

/** Copies a file so that its content survives a power cut; its name does once its folder is synced. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await sync(to, 'r+');
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
