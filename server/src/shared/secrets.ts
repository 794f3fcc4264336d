import { randomBytes } from 'node:crypto';
import type { Db } from '#src/db/connect.ts';
import { secrets } from '#src/db/schema/secrets.ts';

/** What the keys are for. Each purpose has its own, so that what one signs means nothing to another. */
const PURPOSES = ['devices', 'addresses', 'photoPaths'] as const;
const KEY_BYTES = 32;

/** Keys of this installation's own, 32 random bytes each. */
export type Secrets = Readonly<Record<(typeof PURPOSES)[number], Buffer>>;

/** Made when they are first asked for, the same ever after, for every process on this database. */
export async function loadSecrets(db: Db): Promise<Secrets> {
  const fresh = PURPOSES.map((name) => ({ name, key: randomBytes(KEY_BYTES) }));
  const rows = await db.transaction(async (tx) => {
    // Of two that make them at once the second waits for the first, and finds the first one's.
    await tx.insert(secrets).values(fresh).onConflictDoNothing();
    return tx.select({ name: secrets.name, key: secrets.key }).from(secrets);
  });
  const stored = new Map(rows.map(({ name, key }) => [name, key]));
  const keys = fresh.map(({ name, key }) => [name, stored.get(name) ?? key]);
  // Object.fromEntries forgets which names there are.
  return Object.fromEntries(keys) as Secrets;
}
