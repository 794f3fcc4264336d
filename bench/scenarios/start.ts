/**
 * How long an operator waits: for the first start on an empty folder, for each later one, and for the stop. The bundled
 * database is started and stopped with the server, as without `DATABASE_URL`. Other number of turns:
 * `npm run bench -- start 20`.
 */
import { startPressel } from '@pressel/e2e/harness/server-process';
import { conclude, median, spread, type Verdict } from '../shared/report.ts';

const TURNS = Number(process.argv[2] ?? 7);
/** Promised in docs/operating.md, ms. */
const LIMITS = { first: 4_000, later: 1_500, stop: 5_000 };

const took = { first: [] as number[], later: [] as number[], stop: [] as number[] };

async function timed<T>(into: keyof typeof took, act: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const result = await act();
  took[into].push(performance.now() - since);
  return result;
}

for (let turn = 0; turn < TURNS; turn += 1) {
  const server = await timed('first', () => startPressel({ LOG_LEVEL: 'error' }));
  try {
    await timed('stop', () => server.stop());
    await timed('later', () => server.start());
  } finally {
    await server.dispose();
  }
}

const figures = Object.fromEntries(Object.entries(took).map(([what, durations]) => [what, spread(durations)]));
const limit = (what: string, of: keyof typeof took): Verdict => ({
  what: `${what}, median of ${TURNS}`,
  value: median(took[of]),
  limit: LIMITS[of],
  unit: 'ms',
});
console.log(JSON.stringify(figures, null, 2));
conclude('start', { turns: TURNS, figures }, [
  limit('first start, ready', 'first'),
  limit('later start, ready', 'later'),
  limit('stop', 'stop'),
]);
