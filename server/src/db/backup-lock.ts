/**
 * Advisory lock that a backup holds from before its snapshot until it has copied the files: while it does, nobody removes
 * a file, whose row may be in the snapshot.
 */
export const BACKUP_LOCK = 7_225_312;
