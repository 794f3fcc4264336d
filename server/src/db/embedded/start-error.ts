/** The embedded database cannot start, and its message is a sentence that tells whoever installs it what to do. */
export class DatabaseStartError extends Error {}
