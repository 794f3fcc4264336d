import { inArray } from 'drizzle-orm';
import { sessions } from '#src/db/schema/users.ts';
import type { Person, TestApp } from './build-test-app.ts';

/** Stores that these people have just given their own password in each of their sessions (AUTH1), without hashing it. */
export async function prove(t: Pick<TestApp, 'database'>, people: readonly Pick<Person, 'id'>[]): Promise<void> {
  const ids = people.map(({ id }) => id);
  await t.database.db.update(sessions).set({ verifiedAt: new Date() }).where(inArray(sessions.userId, ids));
}
