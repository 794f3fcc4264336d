import { PROCESSES_LOCK, STARTING_LOCK } from './locks.ts';

/**
 * SQL: whether any process serves on this database. One that doesn't serve yet, like the one that asks while it begins, isn't counted.
 * Processes of versions without STARTING_LOCK are.
 */
export const IS_ANY_SERVING = `exists (
  with held as (
    select l.pid, l.objid from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and l.granted and d.datname = current_database())
  select from held where objid = ${PROCESSES_LOCK}
    and pid not in (select pid from held where objid = ${STARTING_LOCK}))`;
