/** The embedded database cannot start, and its message is a sentence that tells whoever installs it what to do. */
export class DatabaseStartError extends Error {}

/** What to do about data that is damaged: a restore makes its own folder, and needs one that opens as much as a start does. */
export const DAMAGED = 'Move that folder away; then restore a backup, or begin with an empty one.';
