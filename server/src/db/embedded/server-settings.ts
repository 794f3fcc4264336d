/** Settings of our PostgreSQL: a small server, for one process on the same machine, that loses nothing. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Acknowledged changes are on the disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // The pool has ten connections; backups and admin commands need more.
  max_connections: '30',
  // A team of thousands has some 50 MB of tables; the system caches files as well.
  shared_buffers: '32MB',
  work_mem: '8MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  max_wal_size: '256MB',
  // Without replication and streaming PostgreSQL writes less and runs fewer processes.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',
  // Only the server's own events are logged: statements and their values stay private.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** Returns the settings as arguments of `postgres`. @param more settings that replace or complete ours */
export const settingArguments = (more: Readonly<Record<string, string>>): string[] =>
  Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
