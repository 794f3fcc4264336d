import { eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { userPhotos, users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/platform/change.ts';

export type Photo = Pick<typeof userPhotos.$inferSelect, 'type' | 'image'>;

/** Whose photo it is, and which they have; null when there is no such user. */
export const lockPhotoOwner = async (sql: ChangeTx, userId: string) => {
  const { photoId, firstName, lastName, pseudo } = users;
  const [row] = await sql
    .select({ photoId, firstName, lastName, pseudo })
    .from(users)
    .where(eq(users.id, userId))
    .for('update');
  return row ?? null;
};

/** Sets the photo's id and increments the account's version. */
export const setPhotoId = async (sql: ChangeTx, userId: string, photoId: string | null): Promise<void> => {
  await sql
    .update(users)
    .set({ photoId, version: expression`${users.version} + 1` })
    .where(eq(users.id, userId));
};

/** Stores a user's photo, replacing the previous one. */
export const putPhoto = async (sql: Sql, userId: string, photo: Photo & { photoId: string }): Promise<void> => {
  await sql
    .insert(userPhotos)
    .values({ userId, ...photo })
    .onConflictDoUpdate({ target: userPhotos.userId, set: photo });
};

export const deletePhoto = async (sql: Sql, userId: string): Promise<void> => {
  await sql.delete(userPhotos).where(eq(userPhotos.userId, userId));
};

export const findPhoto = async (sql: Sql, photoId: string): Promise<Photo | null> => {
  const { type, image } = userPhotos;
  const [row] = await sql.select({ type, image }).from(userPhotos).where(eq(userPhotos.photoId, photoId));
  return row ?? null;
};
