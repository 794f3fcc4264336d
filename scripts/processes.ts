import { type SpawnOptions, spawn } from 'node:child_process';

/** Runs a Node script to its end with this very Node, whatever the shell's is. @throws Error when it fails */
export const run = (args: readonly string[], options: SpawnOptions = {}): Promise<void> =>
  execute(process.execPath, args, options);

/** Runs a program to its end, its output shown. @throws Error when it fails */
export function execute(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  child.on('error', reject);
  child.on('exit', (code, signal) => {
    if (code === 0) resolve();
    else reject(new Error(`${[program, ...args].join(' ')} ended with ${code ?? signal}`));
  });
  return promise;
}
