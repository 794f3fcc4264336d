/**
 * The advisory locks of this program, listed together so that no two are the same. Any constants will do, as long as all
 * processes use the same ones.
 */

/** Held during migrations, and while a restore puts its files in their place. */
export const MIGRATION_LOCK = 7_225_310;
/** Held by changes of accounts, channels and memberships until their transaction ends. */
export const ACCOUNTS_LOCK = 7_225_311;
/**
 * Held by a backup from before its snapshot until it has copied the files. Meanwhile nobody removes a file, because its
 * row may be in the snapshot.
 */
export const BACKUP_LOCK = 7_225_312;
/** Held by the process that counts or clears the activity log. */
export const UPKEEP_LOCK = 7_225_313;
/** Held by each process on the database of `DATABASE_URL` while it lives, alone or shared with others, and by a restore. */
export const PROCESSES_LOCK = 7_225_316;
/** Held by a process beside PROCESSES_LOCK until it serves: before that it isn't counted as a process that serves. */
export const STARTING_LOCK = 7_225_321;
/** Held by a process beside PROCESSES_LOCK from the moment that it is told to end. */
export const ENDING_LOCK = 7_225_323;
/** Held by a process that begins to serve, until its transaction ends, so that exactly one is the first. */
export const SERVING_LOCK = 7_225_322;
/** Held by a deletion from the activity log until its transaction ends, so that no two count the same entries. */
export const DELETION_LOCK = 7_225_314;
/** Held by the process that compacts reads, until its transaction ends: two would undo each other's work. */
export const READING_LOCK = 7_225_315;
/** Held by each writer of the outbox until its transaction ends, so that ids follow the order of the commits. */
export const OUTBOX_LOCK = 7_225_318;
/**
 * With a channel's hash: held while somebody enters its room, until that is stored, where several processes serve it. Locks of two
 * numbers never collide with locks of one.
 */
export const ROOM_LOCKS = 7_225_319;
/** With a user's hash: held while one of their participants is stored, so that exactly one counts as the first. */
export const FIRST_LOCKS = 7_225_320;

/** SQL: whether any process on this database holds PROCESSES_LOCK and none of these locks. */
const isAnyWithout = (...numbers: number[]): string => `exists (
  with held as (
    select l.pid, l.objid from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and l.granted and d.datname = current_database())
  select from held where objid = ${PROCESSES_LOCK}
    and pid not in (select pid from held where objid in (${numbers.join()})))`;

/**
 * SQL: whether any process serves on this database. One that doesn't serve yet, like the one that asks while it begins, isn't counted.
 * Processes of versions without STARTING_LOCK are.
 */
export const IS_ANY_SERVING = isAnyWithout(STARTING_LOCK);
/** SQL: whether any of those that serve was not told to end. */
export const IS_ANY_STAYING = isAnyWithout(STARTING_LOCK, ENDING_LOCK);
