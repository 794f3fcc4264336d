/** The embedded database can't start. The message is a sentence that says what to do. */
export class DatabaseStartError extends Error {}

/** What to do about damaged data. A restore makes its own folder, and can't use one that doesn't open. */
export const DAMAGED = 'Move that folder away; then restore a backup, or begin with an empty one.';
