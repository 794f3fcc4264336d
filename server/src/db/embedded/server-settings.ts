/** How our PostgreSQL works: on a small server, for one process on the same machine, with nothing lost. */
const SETTINGS: Readonly<Record<string, string>> = {
  // What was acknowledged is on the disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // The pool has ten connections; backups and the administrator's commands come besides.
  max_connections: '30',
  // A team of thousands is some 50 MB of tables; the system caches files as well.
  shared_buffers: '32MB',
  work_mem: '8MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  max_wal_size: '256MB',
  // Nothing is replicated and nothing streamed: less is written, and fewer processes run.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',
  // Only what happens to the server itself is logged: statements and their values are nobody's business.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** As arguments of `postgres`. @param more settings that replace or complete ours */
export const settingArguments = (more: Readonly<Record<string, string>>): string[] =>
  Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
