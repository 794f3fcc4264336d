import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const env = { NODE_ENV: 'development', ...process.env };

const start = (args: string[], cwd: string): ChildProcess =>
  spawn(process.execPath, args, { cwd: join(root, cwd), stdio: 'inherit', env });

/** The server restarts at each change; the web app reloads in the browser and passes calls on to the server. */
const children = [
  start(['--watch', '--watch-preserve-output', 'src/main.ts'], 'server'),
  start([join(root, 'node_modules/vite/bin/vite.js')], 'web'),
];

let isStopping = false;
const stop = (): void => {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
};
for (const child of children) child.on('exit', stop);
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
