import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** A figure held against its limit in the same run. */
export interface Verdict {
  what: string;
  value: number;
  /** `below`: the value must not exceed the limit. */
  limit: number;
  unit: string;
}

const isMet = ({ value, limit }: Verdict): boolean => value <= limit;

/** Nearest-rank percentile of unsorted values; NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Prints the verdicts, and fails the process when a limit is not met. */
export function tell(verdicts: readonly Verdict[]): void {
  for (const verdict of verdicts) {
    const { what, value, limit, unit } = verdict;
    console.log(`${isMet(verdict) ? 'met   ' : 'MISSED'} ${what}: ${round(value)} ${unit} (limit ${limit} ${unit})`);
  }
  if (!verdicts.every(isMet)) process.exitCode = 1;
}

/** Tells the verdicts, and keeps everything in bench/results/<name>.json. */
export function conclude(name: string, figures: Record<string, unknown>, verdicts: readonly Verdict[]): void {
  tell(verdicts);
  const report = {
    bench: name,
    commit:
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', ':!bench/results') === '' ? '' : ' with changes'),
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model.trim(), cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30) },
    node: process.version,
    ...figures,
    verdicts: verdicts.map((verdict) => ({ ...verdict, value: round(verdict.value), met: isMet(verdict) })),
  };
  const dir = join(import.meta.dirname, '../results');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
}

/** The middle one and the largest of these durations. */
export const spread = (values: readonly number[]): { median: number; max: number } => ({
  median: round(median(values)),
  max: round(Math.max(...values)),
});

export const round = (value: number): number => Math.round(value * 100) / 100;

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
