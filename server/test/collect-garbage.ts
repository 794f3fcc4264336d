/** Loaded before a server that runs with --expose-gc: SIGUSR2 makes it collect its garbage, so that its heap shows what it keeps. */
process.on('SIGUSR2', () => globalThis.gc?.());
