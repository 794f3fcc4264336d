/**
 * The process in which the invented team acts. A failure here, even of native code, ends neither the server nor the demo. `keep-acting.ts`
 * starts it, sends it what it needs, and starts another one when it ends.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createActors, loadVoices } from './actors.ts';
import type { ActingReady, ActingTask } from './keep-acting.ts';
import { live } from './live.ts';
import { planLife } from './plan.ts';
import { createRandom } from './random.ts';

// A terminal sends Ctrl+C to all of its processes. This one ends with the demo, however that ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());

process.once('message', async ({ origin, cast, seed }: ActingTask) => {
  const random = createRandom(seed);
  const actors = createActors({ origin, cast, random, now: () => new Date() }, enterNatively);
  await live({
    plan: planLife(random),
    steadyNow: () => performance.now(),
    wait: (ms) => delay(ms),
    begin: (step) => actors.begin(step),
  });
});
const enterNatively = await loadVoices();
process.send?.({ hasVoices: enterNatively !== null } satisfies ActingReady);
