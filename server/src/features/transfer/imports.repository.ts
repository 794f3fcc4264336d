import { and, desc, eq, sql as expression, isNotNull, isNull, lt, type SQL } from 'drizzle-orm';
import type { Db, Tx } from '#src/db/connect.ts';
import { imports } from '#src/db/schema/server.ts';

export type ImportRow = typeof imports.$inferSelect;
/** An import, and the process that does it. */
export type OwnImport = Pick<ImportRow, 'ownerId' | 'importId' | 'processId'>;

const NOW = expression`clock_timestamp()`;
const isOne = ({ ownerId, importId }: Pick<ImportRow, 'ownerId' | 'importId'>) =>
  and(eq(imports.ownerId, ownerId), eq(imports.importId, importId));
const isOwn = (own: OwnImport, state: ImportRow['state']) =>
  and(isOne(own), eq(imports.processId, own.processId), eq(imports.state, state));

/**
 * Begins an import, or begins one anew that was cancelled or failed.
 * @returns false: one of this id and kind runs or has stored its rows, or one of this id and another kind runs
 * @throws a violation of `imports_running_key`: another one of this user runs
 */
export async function beginImport(
  db: Db,
  { ownerId, importId, ...rest }: OwnImport & Pick<ImportRow, 'kind' | 'startedAt' | 'size'>,
): Promise<boolean> {
  const fresh = {
    ...rest,
    state: 'running',
    isUnwanted: false,
    done: 0,
    total: 0,
    outcome: null,
    endedAt: null,
  } as const;
  const rows = await db
    .insert(imports)
    .values({ ownerId, importId, ...fresh })
    .onConflictDoUpdate({
      target: [imports.ownerId, imports.importId],
      set: { ...fresh, seenAt: NOW },
      setWhere: expression`${imports.endedAt} is not null and (${imports.state} <> 'stored' or ${imports.kind} <> excluded.kind)`,
    })
    .returning({ id: imports.importId });
  return rows.length > 0;
}

/** Stores that the import goes on. @returns false: somebody wants it to stop, or it was taken for failed */
export async function keepImport(
  db: Db,
  own: OwnImport,
  progress: Pick<ImportRow, 'done' | 'total'>,
): Promise<boolean> {
  const isGoing = and(isOne(own), eq(imports.processId, own.processId), isNull(imports.endedAt));
  const set = { ...progress, seenAt: NOW };
  const [row] = await db.update(imports).set(set).where(isGoing).returning({ isUnwanted: imports.isUnwanted });
  return row?.isUnwanted === false;
}

/** Stores that it can't be cancelled any more. @returns false: it was cancelled, or taken for failed */
export async function beginStoring(db: Db, own: OwnImport): Promise<boolean> {
  const set = { state: 'storing', seenAt: NOW } as const;
  const { rowCount } = await db
    .update(imports)
    .set(set)
    .where(and(isOwn(own, 'running'), eq(imports.isUnwanted, false)));
  return rowCount === 1;
}

/** Stores what an import came to, in the transaction that stores its rows. @returns false: it was taken for failed */
export async function endStored(
  tx: Tx,
  own: OwnImport,
  end: Pick<ImportRow, 'outcome' | 'size' | 'endedAt'>,
): Promise<boolean> {
  const { rowCount } = await tx
    .update(imports)
    .set({ state: 'stored', ...end })
    .where(isOwn(own, 'storing'));
  return rowCount === 1;
}

/** Ends an import that stored nothing. */
export async function endImport(db: Db, own: OwnImport, end: Pick<ImportRow, 'state' | 'endedAt'>): Promise<void> {
  const isGoing = and(isOne(own), eq(imports.processId, own.processId), isNull(imports.endedAt));
  await db.update(imports).set(end).where(isGoing);
}

/** @returns whether it still could be stopped, and will be */
export async function stopImport(db: Db, one: Pick<ImportRow, 'ownerId' | 'importId'>): Promise<boolean> {
  const { rowCount } = await db
    .update(imports)
    .set({ isUnwanted: true })
    .where(and(isOne(one), eq(imports.state, 'running')));
  return rowCount === 1;
}

/** Fails imports whose process gave no sign of life for `silentMs`: nothing of them is stored, or ever will be. */
export async function failSilent(db: Db, silentMs: number, endedAt: Date): Promise<void> {
  const isSilent = expression`${imports.seenAt} < ${NOW} - ${silentMs} * interval '1 millisecond'`;
  await db
    .update(imports)
    .set({ state: 'failed', endedAt })
    .where(and(isNull(imports.endedAt), isSilent));
}

/** A user's imports, the newest first. */
export const listImports = (db: Db, ownerId: string) =>
  db.select(ENTRY).from(imports).where(eq(imports.ownerId, ownerId)).orderBy(desc(imports.startedAt));

const ENTRY = {
  importId: imports.importId,
  kind: imports.kind,
  startedAt: imports.startedAt,
  endedAt: imports.endedAt,
};

export async function findImport(db: Db, one: Pick<ImportRow, 'ownerId' | 'importId'>): Promise<ImportRow | null> {
  const [row] = await db.select().from(imports).where(isOne(one));
  return row ?? null;
}

/** Forgets imports that ended before a moment, and of the rest the oldest beyond so many rows. */
export async function forgetImports(db: Db, before: Date, rows: number): Promise<void> {
  await db.delete(imports).where(lt(imports.endedAt, before));
  const key: SQL = expression`(${imports.ownerId}, ${imports.importId})`;
  const kept = db
    .select({
      ownerId: imports.ownerId,
      importId: imports.importId,
      sum: expression<number>`sum(${imports.size}) over (order by ${imports.endedAt} desc, ${imports.importId})`.as(
        'sum',
      ),
    })
    .from(imports)
    .where(isNotNull(imports.endedAt))
    .as('kept');
  await db
    .delete(imports)
    .where(expression`${key} in (select ${kept.ownerId}, ${kept.importId} from ${kept} where ${kept.sum} > ${rows})`);
}
