/**
 * The advisory locks of this program, so that no two are the same. Any constants will do, as long as every process uses
 * the same.
 */

/** Held while the database is brought up to this version, and while the files of a restore are put in their place. */
export const MIGRATION_LOCK = 7_225_310;
/** Held by changes of accounts, channels and memberships until their transaction ends. */
export const ACCOUNTS_LOCK = 7_225_311;
/**
 * Held by a backup from before its snapshot until it has copied the files: while it does, nobody removes a file, whose row
 * may be in the snapshot.
 */
export const BACKUP_LOCK = 7_225_312;
/** Held by the process that counts or clears the activity log. */
export const UPKEEP_LOCK = 7_225_313;
/** Held by each process on a database of `DATABASE_URL` while it lives, alone or together with others, and by a restore. */
export const PROCESSES_LOCK = 7_225_316;
/** Held by a deletion from the activity log until its transaction ends, so that no two count the same entries. */
export const DELETION_LOCK = 7_225_314;
/** Held by the process that compacts what was read, until its transaction ends: two would undo each other's work. */
export const READING_LOCK = 7_225_315;
/** Held by whoever writes facts into the outbox until the transaction ends, so that their ids are in the order of the commits. */
export const OUTBOX_LOCK = 7_225_318;
/**
 * With a channel's hash: held by whoever enters its room until that is stored, where several processes serve it. Locks of two numbers are
 * others than those of one.
 */
export const ROOM_LOCKS = 7_225_319;
/** With a user's hash: held while a participant of theirs is stored, until that ends, so that exactly one is known as the first. */
export const FIRST_LOCKS = 7_225_320;
