import { proxyWarning } from './addresses/client-address.ts';
import { readConfig } from './config/config.ts';
import { createProcessLog } from './logs/log.ts';
import { DRAINED_WITHIN_MS, type Lifetime, runProcess, startFailure } from './process.ts';
import { startServer } from './start.ts';

try {
  const config = readConfig();
  const log = createProcessLog(config.logLevel);
  const warning = proxyWarning(config);
  if (warning !== null) process.stderr.write(`${warning}\n`);
  const start = async (life: Lifetime): Promise<void> => {
    const { port } = await startServer({ ...life, config, log, say: (text) => process.stdout.write(text) });
    const database = config.databaseUrl === null ? 'embedded' : 'server';
    log.info({ database, port, tls: config.tls.kind, mode: config.mode }, 'started');
  };
  runProcess(log, start, config.redisUrl === null ? {} : { endMs: DRAINED_WITHIN_MS });
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
