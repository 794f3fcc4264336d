import pino from 'pino';
import { readConfig } from './config.ts';
import { runProcess, startFailure } from './process.ts';
import { createLog } from './shared/log.ts';
import { startServer } from './start.ts';

try {
  const config = readConfig();
  const log = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }));
  runProcess(log, async (life) => {
    const { origin, port, firstHint } = await startServer({ ...life, config, log });
    process.stdout.write(`Pressel is ready at ${origin}${firstHint}\n`);
    log.info({ database: config.databaseUrl === null ? 'embedded' : 'server', port, mode: config.mode }, 'started');
  });
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
