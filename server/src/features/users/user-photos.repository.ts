import { and, asc, eq, sql as expression, inArray } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { userPhotos, users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';

type Photo = Pick<typeof userPhotos.$inferSelect, 'type' | 'image'>;

/** Locks a user, and reads their photo's id and names; null when there is no such user. */
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

/** The image to serve for a photo, and whether the store has it; null when nobody has this photo. */
export const findPhoto = async (
  sql: Sql,
  photoId: string,
): Promise<(Pick<Photo, 'type'> & { isStored: boolean }) | null> => {
  const { type, storedId } = userPhotos;
  const [row] = await sql.select({ type, storedId }).from(userPhotos).where(eq(userPhotos.photoId, photoId));
  return row === undefined ? null : { type: row.type, isStored: row.storedId === photoId };
};

export const readImage = async (sql: Sql, photoId: string): Promise<Buffer | null> => {
  const [row] = await sql.select({ image: userPhotos.image }).from(userPhotos).where(eq(userPhotos.photoId, photoId));
  return row?.image ?? null;
};

/** Some photos that the store has no copy of, after a user in the order of ids. */
export const listUnstored = (sql: Sql, after: string, limit: number) => {
  const { userId, photoId, image, storedId } = userPhotos;
  return sql
    .select({ userId, photoId, image })
    .from(userPhotos)
    .where(and(expression`${userId} > ${after}`, expression`${storedId} is distinct from ${photoId}`))
    .orderBy(asc(userId))
    .limit(limit);
};

/** @returns false when the photo was replaced or deleted meanwhile */
export const markStored = async (sql: Sql, photoId: string): Promise<boolean> => {
  const { rowCount } = await sql.update(userPhotos).set({ storedId: photoId }).where(eq(userPhotos.photoId, photoId));
  return rowCount === 1;
};

/** The photos among these that somebody has. */
export const knownPhotos = async (sql: Sql, photoIds: readonly string[]): Promise<Set<string>> => {
  const { photoId } = userPhotos;
  const rows = await sql
    .select({ photoId })
    .from(userPhotos)
    .where(inArray(photoId, [...photoIds]));
  return new Set(rows.map((row) => row.photoId));
};
