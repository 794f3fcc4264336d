import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Processor time of a process, and of it with all its descendants, even those that have ended. ms, from its start. */
export interface ProcessorTime {
  own: number;
  all: number;
  /** The time of those descendants that show pages, if it is Chromium. */
  renderers: number;
}

/** @throws Error where there is no /proc */
export function processorTime(pid: number): ProcessorTime {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => readProcess(Number(name)));
  const root = processes.find((one) => one.pid === pid);
  if (root === undefined) throw new Error(`There is no process ${pid}`);
  let all = 0;
  let renderers = 0;
  for (let level = [root]; level.length > 0; ) {
    all += level.reduce((sum, one) => sum + one.own + one.ended, 0);
    renderers += level.filter(({ pid }) => isRenderer(pid)).reduce((sum, one) => sum + one.own, 0);
    const pids = new Set(level.map((one) => one.pid));
    level = processes.filter(({ parent }) => pids.has(parent));
  }
  return { own: root.own, all, renderers };
}

function isRenderer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
  } catch {
    return false;
  }
}

function readProcess(pid: number): { pid: number; parent: number; own: number; ended: number }[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return [];
  }
  // The name, in parentheses, may hold anything. After it come state, parent, …, and the times as fields 14 to 17 of
  // all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return [{ pid, parent: field(4), own: (field(14) + field(15)) * TICK_MS, ended: (field(16) + field(17)) * TICK_MS }];
}
