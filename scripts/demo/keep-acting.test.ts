import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { type ActingTask, keepActing } from './keep-acting.ts';

const TASK: ActingTask = { origin: 'http://127.0.0.1:1', cast: { people: [], channels: [] }, seed: 1 };

/** Runs these lines as the team's process. */
const startWith = (lines: string) =>
  spawn(process.execPath, ['-e', lines], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });

test('a team whose process fails acts on in another one, until the demo ends', async () => {
  const ending = new AbortController();
  const warned: unknown[] = [];
  const tasks: unknown[] = [];
  const actedThrice = Promise.withResolvers<void>();
  const begun: ReturnType<typeof startWith>[] = [];
  // The first process fails like an actor whose error nobody catches, the second like native code; the third one acts.
  const failures = ['setTimeout(() => Promise.reject(new Error("floor_request")))', 'process.abort()', ''];
  const { ready, over } = keepActing({
    task: Promise.resolve(TASK),
    signal: ending.signal,
    log: { warn: (...said: unknown[]) => warned.push(said) },
    restartMs: 0,
    start() {
      const child = startWith(`
        process.once('message', (task) => { process.send({ acts: task }); ${failures[begun.length]} });
        process.send({ hasVoices: true });`);
      child.on('message', (message: { acts?: unknown }) => {
        if (message.acts === undefined) return;
        tasks.push(message.acts);
        if (tasks.length === 3) actedThrice.resolve();
      });
      begun.push(child);
      return child;
    },
  });
  expect(await ready).toEqual({ hasVoices: true });
  await actedThrice.promise;
  expect(tasks).toEqual([TASK, TASK, TASK]);
  expect(warned).toEqual([
    [{ code: 1, by: null }, 'demo_actors_ended'],
    [{ code: null, by: 'SIGABRT' }, 'demo_actors_ended'],
  ]);
  ending.abort();
  await over;
  expect(begun.map((child) => child.exitCode ?? child.signalCode)).toEqual([1, 'SIGABRT', 'SIGKILL']);
});

test('a team that can not even start is tried again, and the demo is announced without voices', async () => {
  const ending = new AbortController();
  let starts = 0;
  const triedAgain = Promise.withResolvers<void>();
  const { ready, over } = keepActing({
    task: Promise.resolve(TASK),
    signal: ending.signal,
    log: { warn: () => undefined },
    restartMs: 0,
    start() {
      starts += 1;
      if (starts === 2) triedAgain.resolve();
      return spawn('/nowhere/node', []);
    },
  });
  expect(await ready).toEqual({ hasVoices: false });
  await triedAgain.promise;
  ending.abort();
  await over;
});
