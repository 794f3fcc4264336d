import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** What is said of many durations: how many, and their percentiles in ms (nearest rank), to a hundredth. */
export interface Spread {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** All zero when there are none. */
export const spreadOf = (durationsMs: readonly number[]): Spread => {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 100) / 100;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
};

/** Resident memory of a process in MB, as Linux counts it; null where there is no /proc. */
export const residentMb = (pid: number): number | null => {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
};

/** Prints a result and keeps it beside the commit and the machine that it is about, in bench/results/<name>.json. */
export const saveResult = (name: string, result: Record<string, unknown>): void => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const entry = {
    bench: name,
    at: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD'),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    ...result,
  };
  const text = `${JSON.stringify(entry, null, 2)}\n`;
  console.log(text);
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), text);
};
