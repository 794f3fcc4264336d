import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/src/config/config.ts';
import { createProcessLog } from '../../server/src/logs/log.ts';
import { runProcess } from '../../server/src/process.ts';
import { startServer } from '../../server/src/start.ts';
import { keepActing } from './keep-acting.ts';
import { createRandom } from './random.ts';
import { MAP_CENTER } from './routes.ts';
import type { Cast } from './store.ts';
import { ADMINISTRATOR, CHANNELS, PEOPLE } from './team.ts';

const folder = mkdtempSync(join(tmpdir(), 'pressel-demo-'));
// Runs at every end but a kill. By then the database is down, or the process can no longer wait for it.
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  console.log('The demo is over, and its data is removed.');
});
// A closed terminal ends it like Ctrl+C.
process.once('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));

// The demo reads nothing from the environment: neither its database nor its folder can be the demo's. It takes a free
// port each time, so that no browser brings along what it keeps for another console.
const config = readConfig({ DATA_DIR: join(folder, 'data'), PORT: '0', MAP_CENTER, LOG_LEVEL: 'warn' });
const log = createProcessLog(config.logLevel);

/** Nobody waits for a demo to end, as operators wait for a server. So it has the time to remove everything, however busy the machine. */
const END_MS = 30_000;

runProcess(
  log,
  async (life) => {
    const random = createRandom(randomInt(2 ** 31));
    const password = `loire-${randomInt(1_000, 10_000)}`;
    const storing = import('./store.ts');
    storing.catch(() => undefined);
    const stored = Promise.withResolvers<Cast>();
    const listening = Promise.withResolvers<string>();
    const task = Promise.all([listening.promise, stored.promise]).then(([origin, cast]) => ({
      ...{ origin, cast },
      seed: randomInt(2 ** 31),
    }));
    const { ready, over } = keepActing({ task, signal: life.signal, log });
    life.closers.push(() => over);
    const { origin } = await startServer({
      ...life,
      config,
      log,
      async fill(db) {
        const { storeTeam } = await storing;
        stored.resolve(await storeTeam(db, { dataDir: config.dataDir, password, random, now: Date.now(), log }));
      },
    });
    listening.resolve(origin);
    const { hasVoices } = await ready;
    life.signal.throwIfAborted();
    console.log(`The demo is ready at ${origin}

  Sign in as   ${ADMINISTRATOR.login}   (administrator; for a member, e.g. ${PEOPLE[0]?.login ?? ''})
  Password     ${password}

${PEOPLE.length} members in ${CHANNELS.length} channels come and go, talk, write and move: an exercise along the Loire, all of it invented.
Hear them in “${CHANNELS[0]?.name}” and “${CHANNELS[5]?.name}”.${hasVoices ? '' : ' (Not here: the library for their voices is not installed.)'}
Its data is in ${folder} and nowhere else; it is removed when you end the demo (Ctrl+C).
`);
  },
  { endMs: END_MS },
);
