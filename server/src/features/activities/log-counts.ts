import { type SQL, sql } from 'drizzle-orm';
import { activityCounts, activityDeltas } from '#src/db/schema/activities.ts';

export type Scope = 'spec' | 'audit' | 'all';

/** A dimension of `activity_counts`, and its values. Users and channels are counted by days and months, not by hours. */
export interface Counted {
  kind: 'all' | 'type' | 'user' | 'channel';
  /** Types, or the id of a user or channel: an expression of type text[]. */
  keys: SQL;
  scope: Scope;
}

/**
 * Counts the entries that a question finds, and locates one of them, without visiting them. If a moment divides a span of the
 * finest kind, the entries of that span are counted one by one. Whole spans have stored numbers: see docs/decisions/022.
 * Moments are expressions of type timestamptz; '-infinity' is allowed.
 */
export interface LogCounts {
  /** Number of entries not older than this moment. `raw` selects them from `activities`, with its conditions of time. */
  since(moment: SQL, raw: (conditions: SQL) => SQL): SQL;
  /**
   * Common table expressions of a statement; the last one, `start_of_page`, has one row. It says that the entry with
   * `skip` newer ones is below `bound`, with `inner_skip` others above it there. It has no row when there is no such
   * entry.
   */
  locate(skip: SQL): SQL;
}

/** Spans by which entries are counted, each within the one before it. */
type Span = 'month' | 'day' | 'hour';
const beginOf = (span: Span, moment: SQL): SQL => sql`date_trunc('${sql.raw(span)}', ${moment}, 'UTC')`;
/** Adds hours, which are equally long in every time zone of a connection. The 33rd day of a month lies in the next one. */
const endOf = (span: Span, moment: SQL): SQL =>
  span === 'month'
    ? beginOf('month', sql`${beginOf('month', moment)} + interval '768 hours'`)
    : sql`(${beginOf(span, moment)} + interval '${sql.raw(span === 'day' ? '24 hours' : '1 hour')}')`;

export function logCounts({ kind, keys, scope }: Counted): LogCounts {
  const spans: readonly Span[] = kind === 'all' || kind === 'type' ? ['month', 'day', 'hour'] : ['month', 'day'];
  const finest = spans.at(-1) ?? 'day';
  const one = scope === 'all' ? sql`spec + audit` : sql.raw(scope);
  const kept = (span: Span) =>
    sql`from ${activityCounts} where kind = '${sql.raw(kind)}' and key = any(${keys}::text[]) and span = '${sql.raw(span)}'`;
  const deltas = sql`from ${activityDeltas} where ${deltasOf({ kind, keys, scope })}`;
  const named = (span: Span) => sql.raw(`in_${span}`);

  return {
    since(moment, raw) {
      const whole = spans.map((span, index) => {
        const wider = spans[index - 1];
        const within = wider === undefined ? sql`true` : sql`begins < ${endOf(wider, moment)}`;
        return sql`(select coalesce(sum(${one}), 0) ${kept(span)} and begins >= ${endOf(span, moment)} and ${within})`;
      });
      const end = endOf(finest, moment);
      return sql`(${sql.join(whole, sql` + `)} + (select coalesce(sum(n), 0) ${deltas} and hour >= ${end})
        + ${raw(sql`created_at >= ${moment} and created_at < ${end}`)})::bigint`;
    },

    locate(skip) {
      // Finds the month of the entry, then the day in that month, then the hour in that day.
      const levels = spans.map((span, index) => {
        const wider = spans[index - 1];
        const begin = wider === undefined ? null : sql`(select begins from ${named(wider)})`;
        const within = (moment: SQL) =>
          wider === undefined || begin === null
            ? sql`true`
            : sql`${moment} >= ${begin} and ${moment} < ${endOf(wider, begin)}`;
        const above = wider === undefined ? sql`0` : sql`(select newer from ${named(wider)})`;
        return sql`${named(span)} as (
          select begins, upto - n as newer from (
            select begins, sum(n)::int as n,
              ${above} + sum(sum(n)::int) over (order by begins desc rows unbounded preceding) as upto
            from (select begins, ${one} as n ${kept(span)} and ${within(sql`begins`)}
              union all select ${beginOf(span, sql`hour`)}, n ${deltas} and ${within(sql`hour`)}) counted group by begins
          ) summed where upto > ${skip} order by begins desc limit 1)`;
      });
      return sql`${sql.join(levels, sql`, `)}, start_of_page as (
        select ${endOf(finest, sql`begins`)} as bound, greatest(0, ${skip} - newer)::bigint as inner_skip
        from ${named(finest)})`;
    },
  };
}

function deltasOf({ kind, keys, scope }: Counted): SQL {
  const scoped = sql.raw(scope === 'all' ? 'true' : scope === 'audit' ? 'is_audit' : 'not is_audit');
  switch (kind) {
    case 'all':
      return scoped;
    case 'type':
      return sql`${scoped} and type = any(${keys}::text[])`;
    case 'user':
      return sql`${scoped} and user_id = any(${keys}::text[]::uuid[])`;
    case 'channel':
      return sql`${scoped} and channel_id = any(${keys}::text[]::uuid[])`;
  }
}
