import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from './wait-until.ts';

const READY = /^Pressel is ready at (http:\/\/127\.0\.0\.1:\d+)(.*)$/mu;
/** Enough for a first start on a busy machine with one core. */
const START_MS = 120_000;
/**
 * The folder that the product's processes choose as well (`load-quickly.ts`). They choose it after Node has compiled their first two
 * files, for which it loads a compiler: with the variable it needs none. That is a tenth of a start.
 */
export const compiledIn = (root: string): NodeJS.ProcessEnv => ({
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
});

/** The real server process, as an installation runs it. */
export interface ServerRun {
  child: ChildProcess;
  output: () => string;
  errors: () => string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

/**
 * @param loadedFirst modules that are loaded before the script
 * @param root the root of another version's server, to run instead of this one
 */
export function startServer(
  env: NodeJS.ProcessEnv,
  script = ['../src/main.ts'],
  loadedFirst: readonly string[] = [],
  root = join(import.meta.dirname, '../..'),
): ServerRun {
  const [file = '', ...args] = script;
  const imports = loadedFirst.flatMap((module) => ['--import', join(import.meta.dirname, module)]);
  const child = spawn(process.execPath, [...imports, join(root, 'server/test', file), ...args], {
    env: { PATH: process.env.PATH, PORT: '0', ...compiledIn(root), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close').then(([code, signal]: (number | string)[]) => code ?? signal ?? 'unknown');
  return { child, output: () => output, errors: () => errors, ended };
}

/** Returns the address in its start line, and the text behind it. @throws Error when the process ends instead */
export async function readyServer(run: ServerRun): Promise<{ origin: string; rest: string }> {
  await waitUntil(() => READY.test(run.output()) || run.child.exitCode !== null, START_MS);
  const [, origin, rest] = READY.exec(run.output()) ?? [];
  if (origin === undefined || rest === undefined) throw new Error(`Not ready: ${run.output()}${run.errors()}`);
  return { origin, rest };
}
