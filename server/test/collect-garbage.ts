/** Loaded before a server that runs with --expose-gc: it collects its garbage when it gets SIGUSR2, so that its heap shows what is kept. */
process.on('SIGUSR2', () => globalThis.gc?.());
