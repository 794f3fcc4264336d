import { readConfig } from './config.ts';
import { runProcess, startFailure } from './process.ts';
import { proxyWarning } from './shared/client-address.ts';
import { createProcessLog } from './shared/log.ts';
import { startServer } from './start.ts';

try {
  const config = readConfig();
  const log = createProcessLog(config.logLevel);
  const warning = proxyWarning(config);
  if (warning !== null) process.stderr.write(`${warning}\n`);
  runProcess(log, async (life) => {
    const { origin, port, firstHint } = await startServer({ ...life, config, log });
    process.stdout.write(`Pressel is ready at ${origin}${firstHint}\n`);
    log.info({ database: config.databaseUrl === null ? 'embedded' : 'server', port, mode: config.mode }, 'started');
  });
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
