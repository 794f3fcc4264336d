import type pg from 'pg';

/** A rule that every row of the database must follow. */
export interface Agreement {
  /** The fault: a sentence about each row that `rows` finds. */
  fault: string;
  /** Selects rows that break the rule as one text column: kind and id, never a name. */
  rows: string;
}

/** Rules that no database constraint can express. All are checked in one snapshot, so a running server changes nothing. */
export const AGREEMENTS: readonly Agreement[] = [
  {
    fault: 'no administrator is left: see `npm run admin -- create-admin`',
    rows: `select 'users' from users having count(*) > 0 and count(*) filter (where role = 'admin') = 0`,
  },
  {
    fault: 'the photo that the account names is not the one that is stored',
    rows: `select 'user ' || coalesce(u.id, p.user_id) from users u full join user_photos p on p.user_id = u.id
      where u.photo_id is distinct from p.photo_id`,
  },
  {
    fault: 'a deleted message has an image still',
    rows: `select 'message ' || m.id from messages m join message_files f on f.message_id = m.id
      where m.deleted_at is not null`,
  },
  {
    fault: 'the counter of messages is behind the newest one: the next would get a number twice',
    rows: `select 'channel ' || c.id from channels c left join message_counters k on k.channel_id = c.id
      where coalesce(k.newest, 0) < (select coalesce(max(number), 0) from messages where channel_id = c.id)`,
  },
  {
    fault: 'somebody read further than there are messages',
    rows: `select 'channel ' || m.channel_id || ' user ' || m.user_id from message_marks m
      join message_counters k on k.channel_id = m.channel_id where m.read_up_to > k.newest`,
  },
  {
    fault: 'two ranges of what somebody read overlap',
    rows: `select distinct 'channel ' || channel_id || ' user ' || user_id from (
        select channel_id, user_id, first_number, last_number,
          lag(last_number) over (partition by channel_id, user_id order by first_number) as before from message_reads
      ) r where first_number <= before or last_number < first_number`,
  },
  {
    fault: 'the last position is older than one that is stored',
    rows: `select 'user ' || user_id from last_positions l where recorded_at <
      (select max(recorded_at) from user_positions p where p.user_id = l.user_id)`,
  },
  {
    // Entries are deleted by whole days after the horizon, so the day that contains it is left out.
    fault: 'the count of a day of the activity log is not the number of its entries',
    rows: `with horizon as (select coalesce(max(before), '-infinity') as at from activity_horizon),
      kept as (
        select type, day, sum(n) as n from (
          select key as type, begins as day, spec + audit as n from activity_counts where kind = 'type' and span = 'day'
          union all select type, date_trunc('day', hour, 'UTC'), n from activity_deltas
        ) c group by 1, 2
      ), real as (
        select type, date_trunc('day', created_at, 'UTC') as day, count(*) as n from activities group by 1, 2
      )
      select coalesce(kept.type, real.type) || ' of ' || to_char(coalesce(kept.day, real.day) at time zone 'UTC', 'YYYY-MM-DD')
      from kept full join real on real.type = kept.type and real.day = kept.day, horizon
      where coalesce(kept.n, 0) <> coalesce(real.n, 0) and coalesce(kept.day, real.day) >= horizon.at`,
  },
  {
    fault: 'months of the activity log are not the sums of their days',
    rows: `with horizon as (select coalesce(max(before), '-infinity') as at from activity_horizon)
      select kind || ' ' || to_char(month at time zone 'UTC', 'YYYY-MM') from (
        select kind, key, date_trunc('month', begins, 'UTC') as month,
          sum(spec + audit) filter (where span = 'month') as whole, sum(spec + audit) filter (where span = 'day') as days
        from activity_counts where span in ('month', 'day') group by 1, 2, 3
      ) c, horizon where month >= horizon.at and whole is distinct from days`,
  },
  ...(['user_positions', 'message_marks', 'message_reads'] as const).map((table) => ({
    fault: `rows of ${table} are of a user who is gone, and nothing is going to delete them`,
    rows: `select 'user ' || user_id from (select distinct user_id from ${table}) t
      where not exists (select 1 from users where id = t.user_id)
        and not exists (select 1 from erasures where owner_id = t.user_id)`,
  })),
  {
    fault: 'an index or a constraint was left half made',
    rows: `select 'index ' || c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
        where c.relnamespace = 'public'::regnamespace and not (i.indisvalid and i.indisready)
      union all select 'constraint ' || conname from pg_constraint
        where connamespace = 'public'::regnamespace and not convalidated`,
  },
  {
    fault: 'a trigger is switched off',
    rows: `select 'trigger ' || t.tgname || ' of ' || c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'public'::regnamespace and t.tgenabled in ('D', 'R')`,
  },
];

/** Checks that each referenced row exists. The database ensures it, unless a disk fault or a manual restore broke it. */
export async function references(client: pg.Client): Promise<Agreement[]> {
  const { rows } = await client.query<{ name: string; from: string; to: string; pairs: [string, string][] }>(
    `select c.conname as name, c.conrelid::regclass::text as from, c.confrelid::regclass::text as to,
      array(select array[quote_ident(f.attname), quote_ident(t.attname)]
        from unnest(c.conkey, c.confkey) as k(f, t)
        join pg_attribute f on f.attrelid = c.conrelid and f.attnum = k.f
        join pg_attribute t on t.attrelid = c.confrelid and t.attnum = k.t) as pairs
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ name, from, to, pairs }) => ({
    fault: `rows of ${from} refer to what is not in ${to} (${name})`,
    rows: `select '${from} ' || ${pairs.map(([own]) => `f.${own}::text`).join(` || ' ' || `)} from ${from} f
      where ${pairs.map(([own]) => `f.${own} is not null`).join(' and ')}
        and not exists (select 1 from ${to} t where ${pairs.map(([own, theirs]) => `t.${theirs} = f.${own}`).join(' and ')})`,
  }));
}
