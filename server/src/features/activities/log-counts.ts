import { type SQL, sql } from 'drizzle-orm';
import { activityCounts, activityDeltas } from '#src/db/schema/activities.ts';
import { arrayOf } from '#src/shared/list-sql.ts';

export type Scope = 'spec' | 'audit' | 'all';

/** What entries are counted under, of those that `activity_counts` knows. Of users and channels it knows days only. */
export interface Counted {
  kind: 'all' | 'type' | 'user' | 'channel';
  keys: readonly string[];
  scope: Scope;
}

/**
 * How many entries a counted question finds, and where a given one of them is, without visiting them. An hour that a
 * boundary divides is counted by its entries; whole ones by their number: see docs/decisions/022. Moments are expressions of
 * type timestamptz; '-infinity' is allowed.
 */
export interface LogCounts {
  /** How many are not older than this moment. `raw`: what selects them from `activities`, with its conditions of time. */
  since(moment: SQL, raw: (conditions: SQL) => SQL): SQL;
  /**
   * For the common table expressions of a statement: `place` has one row, so that the entry with `skip` newer ones is
   * below `bound` with `inner` others above it there. No row when there is no such entry.
   */
  locate(skip: SQL): SQL;
}

const ends = (span: 'hour' | 'day', moment: SQL): SQL =>
  sql`(date_trunc('${sql.raw(span)}', ${moment}, 'UTC') + interval '${sql.raw(span === 'day' ? '24 hours' : '1 hour')}')`;

export function logCounts({ kind, keys, scope }: Counted): LogCounts {
  const hasHours = kind === 'all' || kind === 'type';
  const finest = hasHours ? 'hour' : 'day';
  const one = scope === 'all' ? sql`spec + audit` : sql.raw(scope);
  const kept = (span: 'hour' | 'day') =>
    sql`from ${activityCounts} where kind = ${kind} and key = any(${arrayOf('text', keys)}) and span = '${sql.raw(span)}'`;
  const deltas = sql`from ${activityDeltas} where ${deltasOf({ kind, keys, scope })}`;
  const day = sql`date_trunc('day', hour, 'UTC')`;

  return {
    since(moment, raw) {
      const fineEnd = ends(finest, moment);
      const dayEnd = ends('day', moment);
      const hours = hasHours
        ? sql`+ (select coalesce(sum(${one}), 0) ${kept('hour')} and begins >= ${fineEnd} and begins < ${dayEnd})`
        : sql``;
      return sql`((select coalesce(sum(${one}), 0) ${kept('day')} and begins >= ${dayEnd}) ${hours}
        + (select coalesce(sum(n), 0) ${deltas} and hour >= ${fineEnd})
        + ${raw(sql`created_at >= ${moment} and created_at < ${fineEnd}`)})::bigint`;
    },

    locate(skip) {
      const days = sql`
        days as (
          select begins, sum(n) as n, sum(sum(n)) over (order by begins desc) as upto
          from (select begins, ${one} as n ${kept('day')} union all select ${day}, n ${deltas}) d group by begins
        ),
        its_day as (select begins, upto - n as newer from days where upto > ${skip} order by begins desc limit 1)`;
      if (!hasHours) {
        return sql`${days}, place as (
          select begins + interval '24 hours' as bound, greatest(0, ${skip} - newer)::bigint as inner_skip from its_day)`;
      }
      const ofDay = (moment: SQL) => sql`${moment} >= (select begins from its_day)
        and ${moment} < (select begins from its_day) + interval '24 hours'`;
      return sql`${days},
        hours as (
          select begins, sum(n) as n, (select newer from its_day) + sum(sum(n)) over (order by begins desc) as upto
          from (select begins, ${one} as n ${kept('hour')} and ${ofDay(sql`begins`)}
            union all select hour, n ${deltas} and ${ofDay(sql`hour`)}) h group by begins
        ),
        place as (
          select begins + interval '1 hour' as bound, greatest(0, ${skip} - (upto - n))::bigint as inner_skip
          from hours where upto > ${skip} order by begins desc limit 1)`;
    },
  };
}

function deltasOf({ kind, keys, scope }: Counted): SQL {
  const scoped = sql.raw(scope === 'all' ? 'true' : scope === 'audit' ? 'is_audit' : 'not is_audit');
  switch (kind) {
    case 'all':
      return scoped;
    case 'type':
      return sql`${scoped} and type = any(${arrayOf('text', keys)})`;
    case 'user':
      return sql`${scoped} and user_id = any(${arrayOf('uuid', keys)})`;
    case 'channel':
      return sql`${scoped} and channel_id = any(${arrayOf('uuid', keys)})`;
  }
}
