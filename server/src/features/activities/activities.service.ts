import {
  ACTIVITY_EXPORT_COLUMNS,
  type activity,
  activityDetails,
  type activityFilter,
  beginningOf,
  type deleteOldActivities,
  type exportActivities,
  exportClock,
  exportedCells,
  type getAllActivities,
  type getLastActivities,
} from '@pressel/contract/activities';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import type * as z from 'zod';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import { knownTimeZone } from '#src/db/list-sql.ts';
import { actorOf, type RecordActs } from '#src/history/change.ts';
import type { StreamedText } from '#src/http/call-server.ts';
import type { RateLimit } from '#src/limits/rate-limit.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import { AppError } from '#src/shared/app-error.ts';
import {
  addDeltas,
  clearCounts,
  clearRows,
  keepHorizonPast,
  lockDeletion,
  moveHorizon,
} from './activities.repository.ts';
import {
  formatCursor,
  type LogCursor,
  type LogFilter,
  type LogRow,
  listLog,
  parseCursor,
  readLog,
} from './log.repository.ts';
import { findNames } from './log-names.ts';

/** An entry as administrators see it. Leaves out what a newer version stored and this one doesn't know. */
function presentActivities(rows: readonly LogRow[]): Shown[] {
  return rows.flatMap((row) => {
    const type = loggedType.safeParse(row.type).data;
    return type === undefined ? [] : [present(row, type)];
  });
}

const present = (row: LogRow, type: LoggedType): Shown =>
  ({
    id: row.id,
    type,
    createdAt: row.at.toISOString(),
    user: row.userId === null ? null : { id: row.userId, firstName: row.firstName, display_name: row.displayName },
    target: row.targetId === null ? null : { id: row.targetId, display_name: row.targetName ?? '' },
    channel: row.channelId === null ? null : { id: row.channelId, name: row.channelName ?? '' },
    address: row.address,
    details: activityDetails()[type].safeParse(row.details).data ?? null,
    // The type determines the details, which TypeScript cannot follow through the lookup.
  }) as Shown;

type Shown = z.input<ReturnType<typeof activity>>;

/**
 * The place where spreadsheets find a formula: the beginning of a cell. In many countries a semicolon parts cells too, and our
 * quotes do not count there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/gu;
const cell = (text: string): string => {
  const safe = text.replace(FORMULA, "'");
  return /[",;\t\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Makes lines of an export from entries, the header first where there is one. */
interface ExportLines {
  readonly type: string;
  readonly head: string;
  line(entry: Shown): string;
}

/** CSV by RFC 4180, in UTF-8. Without the byte order mark, spreadsheets take it for another encoding. */
export function csvLines(timeZone: string): ExportLines {
  const clock = exportClock(timeZone);
  return {
    type: 'text/csv; charset=utf-8',
    head: `\ufeff${ACTIVITY_EXPORT_COLUMNS.join(',')}\r\n`,
    line(entry) {
      const cells = exportedCells(entry, clock);
      return `${ACTIVITY_EXPORT_COLUMNS.map((column) => cell(cells[column])).join(',')}\r\n`;
    },
  };
}

/** One JSON object a line, for a browser that makes a sheet of it in its own words. */
const jsonLines: ExportLines = {
  type: 'application/x-ndjson; charset=utf-8',
  head: '',
  line: (entry) => `${JSON.stringify(entry)}\n`,
};

/** Entries that an export reads at a time: no statement is long, so that nothing waits for it. */
const EXPORT_PART = 1_000;
/** Rows that one statement of the sweep deletes: it holds nobody up. */
const SWEEP_PART = 5_000;
/** Deltas that one statement adds: those of a busy moment are several parts, so that the rest of PostgreSQL's work isn't held up. */
const DELTAS_PART = 200;
/** If more than these parts wait, such as after an import, the others are large. */
const SMALL_PARTS = 20;
const LARGE_DELTAS_PART = 20_000;
const DAY_MS = 86_400_000;

export interface ActivitiesDeps {
  db: Db;
  record: RecordActs;
  /** Stores the entries that wait, before a cursor is named: earlier acts must not come in under it later (LOG22). */
  settle(): Promise<void>;
  /** Exports of one user. */
  exports: RateLimit;
  /** Whether a session is still valid, and its role the same. */
  isStill(session: Session): Promise<boolean>;
  /** Null: entries are kept for ever. */
  retentionDays: number | null;
  tellDeleted(before: Date): void;
  /** Begins the sweep soon. */
  sweepSoon(): void;
  now: () => Date;
}

export type ActivitiesService = ReturnType<typeof createActivitiesService>;

export function createActivitiesService(deps: ActivitiesDeps) {
  const { db } = deps;

  async function filterOf(input: z.output<ReturnType<typeof activityFilter>>): Promise<LogFilter> {
    const { from, to, text, ...rest } = input;
    const wanted = text?.trim() ?? '';
    return {
      ...rest,
      types: rest.types === undefined ? undefined : [...new Set(rest.types)],
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      named: wanted === '' ? undefined : await findNames(db, wanted),
    };
  }

  const logCursorOf = (cursor: string | undefined): LogCursor | undefined => {
    if (cursor === undefined) return undefined;
    const parsed = parseCursor(cursor);
    if (parsed === null) throw new AppError('malformed', { issues: [{ path: 'cursor', code: 'cursor' }] });
    return parsed;
  };

  /** Deletes the entries from before a moment; their rows follow later. @returns how many they are */
  async function deleteBefore(before: Date, by: Session | null): Promise<number> {
    const deleted = await db.transaction(async (tx) => {
      await lockDeletion(tx);
      const { total: count } = await readLog(tx, { scope: 'all', to: before, start: 0, limit: 1 });
      if (count === 0 && by === null) return 0;
      await keepHorizonPast(tx, deps.now());
      await moveHorizon(tx, before);
      const of = (who: 'administrator' | 'retention') =>
        ({
          type: 'activity_delete',
          details: { before: before.toISOString(), count, by: who },
          at: deps.now(),
        }) as const;
      await deps.record(tx, [
        by === null ? { ...of('retention'), user: null, address: null } : { ...of('administrator'), user: actorOf(by) },
      ]);
      return count;
    });
    if (deleted > 0) deps.tellDeleted(before);
    return deleted;
  }

  async function* linesOf(
    filter: LogFilter,
    first: LogCursor | undefined,
    lines: ExportLines,
    mayGoOn: () => Promise<boolean>,
  ): AsyncGenerator<string> {
    yield lines.head;
    let next = first;
    while (next !== undefined) {
      // Cuts the stream off instead of ending it, so that nobody takes a part for the whole.
      if (!(await mayGoOn())) throw new AppError('unauthenticated');
      const rows = await listLog(db, { ...filter, limit: EXPORT_PART, cursor: next });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield presentActivities(rows).map(lines.line).join('');
      next = rows.length < EXPORT_PART ? undefined : { side: 'below', at: last.at, id: last.id };
    }
  }

  return {
    async last({ scope, limit }: z.output<(typeof getLastActivities)['body']>) {
      return presentActivities(await listLog(db, { scope, limit }));
    },

    async page({ start, limit, cursor, ...input }: z.output<(typeof getAllActivities)['body']>) {
      const filter = await filterOf(input);
      const logCursor = logCursorOf(cursor);
      if (logCursor === undefined) await deps.settle();
      const { rows, newest, total, newer } = await readLog(db, { ...filter, start, limit, cursor: logCursor });
      const last = rows.at(-1);
      return {
        activities: presentActivities(rows),
        totalRecords: total,
        newer,
        top: cursor ?? (newest === null ? null : formatCursor({ side: 'above', at: newest.at, id: newest.id })),
        older:
          last === undefined || start + rows.length >= total
            ? null
            : formatCursor({ side: 'below', at: last.at, id: last.id }),
      };
    },

    async deleteOld(session: Session, input: z.output<(typeof deleteOldActivities)['body']>): Promise<number> {
      const before = beginningOf(input.timeFrame, deps.now());
      const asked = input.before === undefined ? before : new Date(input.before);
      const deleted = await deleteBefore(new Date(Math.min(Number(before), Number(asked))), session);
      deps.sweepSoon();
      return deleted;
    },

    /** Streams the entries that exist now; those added while it streams are left out. */
    async export(
      session: Session,
      { format, timeZone, ...input }: z.output<(typeof exportActivities)['body']>,
    ): Promise<StreamedText> {
      await deps.exports.take(session.userId);
      const lines =
        format === 'ndjson' ? jsonLines : await knownTimeZone(timeZone, async () => csvLines(timeZone ?? 'UTC'));
      const filter = await filterOf(input);
      await deps.settle();
      const { rows, total } = await readLog(db, { ...filter, start: 0, limit: 1 });
      await deps.record(db, [
        { type: 'activity_export', user: actorOf(session), details: { count: total }, at: deps.now() },
      ]);
      const [newest] = rows;
      const first = newest === undefined ? undefined : ({ side: 'above', at: newest.at, id: newest.id } as const);
      return {
        type: lines.type,
        headers: { 'x-total-records': String(total) },
        parts: linesOf(filter, first, lines, () => deps.isStill(session)),
      };
    },

    /** Deletes what is older than the retention, and the rows of deleted entries, in parts. Asks `goesOn` before each. */
    async sweep(goesOn: GoesOn): Promise<void> {
      if (deps.retentionDays !== null) {
        await deleteBefore(new Date(deps.now().getTime() - deps.retentionDays * DAY_MS), null);
      }
      await keepHorizonPast(db, deps.now());
      let cleared = 0;
      for (let some = SWEEP_PART; some === SWEEP_PART && (await goesOn()); cleared += some)
        some = await clearRows(db, SWEEP_PART);
      if (cleared > 0 && (await goesOn())) await clearCounts(db);
    },

    /** Adds new entries to the counts; keeps the horizon in the past on the way. */
    async count(goesOn: GoesOn): Promise<void> {
      if (await goesOn()) await keepHorizonPast(db, deps.now());
      for (let parts = 0; await goesOn(); parts += 1) {
        const part = parts < SMALL_PARTS ? DELTAS_PART : LARGE_DELTAS_PART;
        if ((await addDeltas(db, part)) < part) return;
      }
    },
  };
}
