import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
import { secrets } from '#src/db/schema/server.ts';

/** Purposes of keys. Each has its own key, so that a signature made for one purpose is invalid for another. */
const PURPOSES = [
  'devices',
  'addresses',
  'photoPaths',
  'messagePaths',
  'resumes',
  'floors',
  'stays',
  'installation',
  'builtFiles',
] as const;
const KEY_BYTES = 32;

/** The installation's secret keys, 32 random bytes each. */
export type Secrets = Readonly<Record<(typeof PURPOSES)[number], Buffer>>;

/** The name of the setup code's row beside the keys. */
const SETUP_CODE = 'setupCode';

/**
 * Returns the setup code of an installation of several processes: the first process's one. It is stored in plain text, because each
 * process prints it in its start line. Anyone who can read this table can read every key and make any account. Once there is an account
 * the code opens nothing.
 */
export async function keepSetupCode(db: Db, fresh: string): Promise<string> {
  await db
    .insert(secrets)
    .values({ name: SETUP_CODE, key: Buffer.from(fresh) })
    .onConflictDoNothing();
  const [row] = await db.select({ key: secrets.key }).from(secrets).where(eq(secrets.name, SETUP_CODE));
  return row?.key.toString() ?? fresh;
}

/** Loads the keys, creating missing ones. They are the same for all processes on this database. */
export async function loadSecrets(db: Db): Promise<Secrets> {
  const fresh = PURPOSES.map((name) => ({ name, key: randomBytes(KEY_BYTES) }));
  const rows = await db.transaction(async (tx) => {
    // When two inserts run at once, the second waits for the first, and then reads the first one's keys.
    await tx.insert(secrets).values(fresh).onConflictDoNothing();
    return tx.select({ name: secrets.name, key: secrets.key }).from(secrets);
  });
  const stored = new Map(rows.map(({ name, key }) => [name, key]));
  const keys = fresh.map(({ name, key }) => [name, stored.get(name) ?? key]);
  // `Object.fromEntries` loses the keys' type.
  return Object.fromEntries(keys) as Secrets;
}
