/**
 * Runs the server as `run.ts` does, and causes an uncaught error when it gets SIGUSR2. The first argument selects the
 * fault.
 */
import { readConfig } from '#src/config/config.ts';
import type { Db } from '#src/db/connect.ts';
import { users } from '#src/db/schema/users.ts';
import { createProcessLog } from '#src/logs/log.ts';
import { runProcess } from '#src/process.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { startServer } from '#src/start.ts';

const SECRET = 'Geheim';

/** Fails with an error that contains the statement and all of its values. */
const storeWrongly = (db: Db) =>
  db.insert(users).values({
    ...{ id: uuidV7(), identifier: SECRET, firstName: SECRET, lastName: SECRET },
    ...{ passwordHash: SECRET, role: 'admin', photoId: SECRET },
  });

const FAULTS: Record<string, (db: Db) => unknown> = {
  unhandled_rejection: (db) => storeWrongly(db).execute(),
  uncaught_exception: (db) =>
    storeWrongly(db).catch((error: unknown) =>
      // Thrown outside of every promise.
      setImmediate(() => {
        throw new AggregateError([error, new Error('second', { cause: error })], 'both');
      }),
    ),
};

const config = readConfig();
const log = createProcessLog(config.logLevel);
runProcess(log, async (life) => {
  const database = Promise.withResolvers<Db>();
  const { origin } = await startServer({ ...life, config, log, fill: async (db) => database.resolve(db) });
  const db = await database.promise;
  process.once('SIGUSR2', () => void FAULTS[process.argv[2] ?? '']?.(db));
  process.stdout.write(`Pressel is ready at ${origin}\n`);
  log.info('started');
});
