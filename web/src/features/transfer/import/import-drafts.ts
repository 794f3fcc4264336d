import { ALL_USER_FIELDS, rowFault } from '@pressel/contract/transfer';
import { z } from '@pressel/contract/zod';
import { draftDatabase } from '#src/shared/draft-database.ts';
import { type ImportKind, type ImportRow, VERDICTS } from '../sheet/import-kinds.ts';
import { ENCODINGS, SEPARATORS, type SheetFault } from '../sheet/sheet.ts';
import type { SheetReader } from '../sheet/sheet-reader.ts';
import { type Sent, type Source, sourceOf } from './import-source.ts';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null(), z.undefined()]);
const field = z.enum([...ALL_USER_FIELDS, 'name']);

const judgedRow = z.object({
  row: z.int(),
  cells: z.partialRecord(field, z.string()),
  state: z.enum(VERDICTS),
  faults: z.array(rowFault()),
  notes: z.partialRecord(field, z.enum(['shown', 'merged', 'made', 'spaces'])).optional(),
});

/** An import that was prepared and that the server has not stored (IMP28). Taking it up reads the file again. */
const importDraft = z.object({
  id: z.string(),
  userId: z.string(),
  kind: z.enum(['users', 'channels']),
  /** The time by this device's clock, ms. */
  savedAt: z.number(),
  file: z.instanceof(Blob),
  fileName: z.string(),
  options: z.object({
    encoding: z.enum(['found', ...ENCODINGS]),
    delimiter: z.enum(['found', ...SEPARATORS]),
    quotes: z.enum(['marks', 'letters']),
    header: z.enum(['found', 'none']),
  }),
  sheetName: z.string(),
  mapping: z.array(field.nullable()),
  settled: z.object({
    quotes: z.boolean().optional(),
    stray: z.boolean().optional(),
    kind: z.boolean().optional(),
  }),
  /** It was handed over from the other import, so it is taken up without asking. */
  isHandedOver: z.boolean().default(false),
  /** Null until the columns are assigned. */
  rows: z
    .array(
      z.object({
        row: z.int(),
        cells: z.partialRecord(field, cell),
        notes: z.partialRecord(field, z.object({ note: z.enum(['shown', 'merged', 'made']), cell })),
      }),
    )
    .nullable(),
  /** The import as it was sent, if it was sent with these rows. */
  sent: z
    .object({ importId: z.string(), judged: z.array(judgedRow), withAdmins: z.boolean() })
    .nullable()
    .default(null),
});
export type ImportDraft = z.infer<typeof importDraft>;

const nameOf = (kind: ImportKind): string => `import.${kind}`;

/** The user's draft; undefined when there is none that this version understands. */
export async function readDraft(userId: string, kind: ImportKind): Promise<ImportDraft | undefined> {
  const stored = await draftDatabase.get(nameOf(kind), userId).catch(() => undefined);
  const draft = importDraft.safeParse(stored).data;
  return draft?.userId === userId && draft.kind === kind ? draft : undefined;
}

/** @returns false when it can't be kept: the device has no room for it, or forbids it */
export async function keepDraft(
  userId: string,
  kind: ImportKind,
  source: Source,
  rows: readonly ImportRow[] | null,
  isHandedOver = false,
): Promise<boolean> {
  const draft: ImportDraft = {
    id: source.id,
    userId,
    kind,
    savedAt: Date.now(),
    file: source.file,
    fileName: source.fileName,
    options: source.options,
    sheetName: source.chosen.name,
    mapping: [...source.mapping],
    settled: source.settled,
    isHandedOver,
    rows: rows === null ? null : rows.map(({ row, notes = {}, ...cells }) => ({ row, cells, notes })),
    sent: source.sent?.rows === rows ? sentAsKept(source.sent) : null,
  };
  return draftDatabase.put(nameOf(kind), userId, draft).then(
    () => true,
    () => false,
  );
}

/** Forgets the draft if it is the given one; another file's draft stays. */
export const forgetDraft = (
  userId: string,
  kind: ImportKind,
  isMeant: (draft: ImportDraft) => boolean,
): Promise<void> =>
  draftDatabase
    .remove(nameOf(kind), userId, (stored) => {
      const draft = importDraft.safeParse(stored).data;
      return draft !== undefined && isMeant(draft);
    })
    .catch(() => {});

export type OpenedDraft =
  | { ok: true; source: Source; rows: readonly ImportRow[] | null }
  | { ok: false; fault: SheetFault };

/** Reads the draft's file again, and takes up what was chosen and edited. */
export async function openDraft(kind: ImportKind, draft: ImportDraft, read: SheetReader): Promise<OpenedDraft> {
  const { id, file, fileName, options, mapping, settled, sent } = draft;
  const reading = await read(file, options, new AbortController().signal);
  if (!reading.ok) return reading;
  const found = sourceOf(kind, { id, file, fileName, options, sheets: reading.sheets });
  if (found === undefined) return { ok: false, fault: 'empty' };
  const chosen = found.sheets.find(({ name }) => name === draft.sheetName) ?? found.chosen;
  const rows = draft.rows && rowsOfDraft(draft.rows);
  return {
    ok: true,
    rows,
    source: { ...found, chosen, mapping, settled, sent: (rows && sent && { ...sent, rows }) ?? undefined },
  };
}

/** The rows of a draft, as they were edited. */
const rowsOfDraft = (rows: NonNullable<ImportDraft['rows']>): ImportRow[] =>
  rows.map(({ row, cells, notes }) => ({ row, ...cells, ...(Object.keys(notes).length === 0 ? {} : { notes }) }));

const sentAsKept = ({ importId, judged, withAdmins }: Sent): ImportDraft['sent'] => ({
  importId,
  withAdmins,
  judged: judged.map(({ faults, ...row }) => ({ ...row, faults: [...faults] })),
});
