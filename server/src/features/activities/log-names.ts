import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { runPrepared } from '#src/db/prepared-statement.ts';
import { activityDeltas, activityNames } from '#src/db/schema/activities.ts';
import { unique } from '#src/shared/ids.ts';

type Kind = 'user' | 'target' | 'channel';
/**
 * Ids of users and channels that a text finds. `always`: every name that an entry may have for them contains it. `sometimes`:
 * they also had names without the text, so an entry must have this name.
 */
export type NamedIn = Record<Kind, { always: string[]; sometimes: { id: string; name: string }[] }>;

/** Letters of a gram, as text_grams of migration 0013 has them. */
const GRAM = 3;

/** Looks for a text among the names in the log. There are far fewer names than entries. */
export async function findNames(db: Sql, text: string): Promise<NamedIn> {
  // The index knows sequences of three letters. For a shorter text every name is looked at.
  const hasGrams = [...text].length >= GRAM ? sql`grams @> (select text_grams(text) from wanted) and` : sql``;
  // Usually few match. Only for those does it count how many names they ever had.
  const statement = sql`
    with wanted as materialized (select fold_text(${text}) as text),
    fresh as materialized (
      select distinct v.kind, v.id, v.name from ${activityDeltas} d cross join lateral (values
        ('user', d.user_id, d.user_name), ('target', d.target_id, d.target_name), ('channel', d.channel_id, d.channel_name)
      ) v(kind, id, name) where v.id is not null and v.name is not null
    ),
    matching as materialized (
      select kind, id, name from ${activityNames} where ${hasGrams} strpos(search_text, (select text from wanted)) > 0
      union
      select kind, id, name from fresh where strpos(fold_text(name), (select text from wanted)) > 0
    )
    select kind, id, array_agg(name) as names, count(*) = (
      select count(*) from (
        select name from ${activityNames} known where known.kind = matching.kind and known.id = matching.id
        union select name from fresh where fresh.kind = matching.kind and fresh.id = matching.id
      ) ever
    ) as always
    from matching group by kind, id`;
  const { rows } = await runPrepared<{ kind: Kind; id: string; always: boolean; names: string[] }>(db, statement);
  const found: NamedIn = {
    user: { always: [], sometimes: [] },
    target: { always: [], sometimes: [] },
    channel: { always: [], sometimes: [] },
  };
  for (const { kind, id, always, names } of rows) {
    if (always) found[kind].always.push(id);
    else found[kind].sometimes.push(...names.map((name) => ({ id, name })));
  }
  return found;
}

/** Above this number, finding all entries may be slower than walking the log. */
const FEW_NAMES = 100;

/** Whether few ids alone find the entries, without a look at the name in each. */
export const isFew = (found: NamedIn): boolean => {
  const kinds = Object.values(found);
  const ids = kinds.reduce((sum, { always }) => sum + always.length, 0);
  return ids <= FEW_NAMES && kinds.every(({ sometimes }) => sometimes.length === 0);
};

/** The name of an entry as `activity_names` has it. */
const NAME: Record<Kind, string> = {
  user: `user_first_name || E'\\n' || user_display_name`,
  target: 'target_name',
  channel: 'channel_name',
};

/** Entries with one of these names. */
export function namesMatch(found: NamedIn): SQL {
  const parts = (['user', 'target', 'channel'] as const).flatMap((kind) => {
    const { always, sometimes } = found[kind];
    const id = sql.raw(`${kind}_id`);
    const parts = always.length === 0 ? [] : [sql`${id} = any(${arrayOf('uuid', always)})`];
    if (sometimes.length > 0) {
      // Passed as lists, because somebody may have renamed themselves ten thousand times.
      const ids = sometimes.map((one) => one.id);
      const names = sometimes.map((one) => one.name);
      parts.push(sql`(${id} = any(${arrayOf('uuid', unique(ids))}) and (${id}, ${sql.raw(NAME[kind])}) in (
        select * from unnest(${arrayOf('uuid', ids)}, ${arrayOf('text', names)})))`);
    }
    return parts;
  });
  return parts.length === 0 ? sql`false` : sql`(${sql.join(parts, sql` or `)})`;
}
