import { parseArgs } from 'node:util';
import { buildWebIfStale } from './build-web.ts';

const USAGE = `Usage: npm start [-- --lan]

  --lan   Serve https to this machine's network, with a certificate that the server makes itself (the same as TLS=self).

Everything else is set in the environment: see .env.example.`;

try {
  const { values } = parseArgs({ options: { lan: { type: 'boolean', default: false } } });
  if (values.lan) process.env.TLS ??= 'self';
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
  process.exit(1);
}
await buildWebIfStale();
await import('../server/src/main.ts');
