/**
 * How long a newcomer waits for the demo: until it prints its sign-in, and until somebody who signed in has seen a person in a room, a
 * talk, a message and a marker that moves. The build of the web app doesn't count. Other number of turns: `npm run bench -- demo 5`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { logIn } from '@pressel/contract/auth';
import { getDashboard } from '@pressel/contract/dashboard';
import type { ServerEventName } from '@pressel/contract/realtime';
import { createApi } from '@pressel/e2e/harness/api';
import { connectNatively } from '@pressel/e2e/harness/native-socket';
import { conclude, median, spread } from '../shared/report.ts';

const TURNS = Number(process.argv[2] ?? 3);
/** The time from the command to a console that lives, ms. */
const LIMIT_MS = 10_000;
const SIGNS: readonly ServerEventName[] = ['talkers_changed', 'onSendMessage', 'onLocationChanged'];

const took = { printed: [] as number[], living: [] as number[] };

for (let turn = 0; turn < TURNS; turn += 1) {
  const since = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../scripts/demo/run.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    for await (const chunk of child.stdout) {
      output += chunk;
      if (output.includes('Ctrl+C')) break;
    }
    took.printed.push(performance.now() - since);
    const said = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
    const origin = said(/(http:\/\/127\.0\.0\.1:\d+)/u);
    const { call } = createApi(origin);
    const { user } = await call(logIn, {
      user_email: said(/Sign in as +(\S+)/u),
      user_password: said(/Password +(\S+)/u),
    });
    const { socket } = await connectNatively(origin, user.authToken);
    await Promise.all(SIGNS.map((sign) => new Promise<void>((resolve) => socket.once(sign, () => resolve()))));
    while ((await call(getDashboard, {}, user.authToken)).res.live.rooms.length === 0);
    took.living.push(performance.now() - since);
    socket.close();
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
}

const figures = Object.fromEntries(Object.entries(took).map(([what, durations]) => [what, spread(durations)]));
console.log(JSON.stringify(figures, null, 2));
conclude('demo', { turns: TURNS, figures }, [
  { what: `a living console, median of ${TURNS}`, value: median(took.living), limit: LIMIT_MS, unit: 'ms' },
]);
