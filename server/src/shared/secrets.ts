import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
import { secrets } from '#src/db/schema/secrets.ts';

const KEY_BYTES = 32;

/**
 * A key of this installation's own, 32 random bytes: made when it is first asked for, the same ever after, for every
 * process on this database. Each purpose has its own, so that what one signs means nothing to another.
 */
export async function loadSecret(db: Db, name: string): Promise<Buffer> {
  return db.transaction(async (tx) => {
    // Of two that make it at once the second waits for the first, and finds the first one's.
    await tx
      .insert(secrets)
      .values({ name, key: randomBytes(KEY_BYTES) })
      .onConflictDoNothing();
    const [row] = await tx.select({ key: secrets.key }).from(secrets).where(eq(secrets.name, name));
    if (row === undefined) throw new Error(`The key ${name} was neither stored nor found`);
    return row.key;
  });
}
