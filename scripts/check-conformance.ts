/** Holds docs/conformance.md against the repository: `node scripts/check-conformance.ts`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Call } from '@pressel/contract/call';
import { clientEvents, serverEvents } from '@pressel/contract/realtime';

const root = join(import.meta.dirname, '..');
export const TABLE = 'docs/conformance.md';

/** How a row ends: a test shows it, a decision departs from it, and so on. */
const KINDS = ['shown', 'departs', 'differs', 'no test', 'not built'] as const;
export type Kind = (typeof KINDS)[number];

/** The facts against which the table is checked. Paths are those of the repository, with slashes. */
export interface Repository {
  /** The text of a file; undefined without one. */
  read: (path: string) => string | undefined;
  /** Files of decisions, by their number. */
  decisions: ReadonlyMap<string, string>;
  /** 'POST /user/api/login' */
  calls: readonly string[];
  /** 'sends join_room', 'receives all_users': as a client sees it. */
  events: readonly string[];
}

interface Row {
  line: number;
  /** The number of its cells; three are right. */
  cells: number;
  what: string;
  where: string;
  shown: string;
}

const PATH = /^[\w.@$-]+(?:\/[\w.@$-]+)*\.(?:css|html|json|md|mjs|sql|tsx?)$/u;
const TEST_FILE = /\.(?:test|spec)\.tsx?$/u;
const TOKEN = /`([^`]+)`|"([^"]+)"|\[([A-Z]+\d+)\]|\[(\d{3})\]/gu;
const CALL = /^`((?:GET|POST) \/[^`]*)`/u;
const EVENT = /^(sends|receives) `([^`]+)`/u;

const rowsOf = (table: string): Row[] =>
  table.split('\n').flatMap((text, index) => {
    if (!text.startsWith('| ') || text.startsWith('| what |')) return [];
    const cells = text.split('|').slice(1, -1);
    const [what = '', where = '', shown = ''] = cells.map((cell) => cell.trim());
    return [{ line: index + 1, cells: cells.length, what, where, shown }];
  });

function kindOf({ shown }: Row): Kind | undefined {
  if (/^`[^`]+\.tsx?`/u.test(shown)) return 'shown';
  return KINDS.find((kind) => kind !== 'shown' && shown.startsWith(kind));
}

/** The row's call or event in the contract, as `Repository` names it; undefined for any other row. */
function contractNameOf({ what }: Row): string | undefined {
  const [, call] = CALL.exec(what) ?? [];
  const [, direction, event] = EVENT.exec(what) ?? [];
  return call ?? (event === undefined ? undefined : `${direction} ${event}`);
}

/** One sentence for each fault of the table, in its order; empty when it holds. */
export function faultsOf(table: string, repository: Repository): string[] {
  const rows = rowsOf(table);
  const faults = rows.flatMap((row) =>
    rowFaults(row, repository).map((fault) => `${TABLE}:${row.line}: ${row.what}: ${fault}`),
  );
  const named = new Set(rows.map(contractNameOf));
  const missing = [...repository.calls, ...repository.events].filter((name) => !named.has(name));
  return [...faults, ...missing.map((name) => `${TABLE}: ${name} of the contract has no row`)];
}

function rowFaults(row: Row, repository: Repository): string[] {
  if (row.cells !== 3) return ['a row has three cells'];
  const kind = kindOf(row);
  if (row.what === '' || kind === undefined)
    return [`the last cell must begin with a test file, or: ${KINDS.slice(1).join(', ')}`];
  const name = contractNameOf(row);
  const isThere = name !== undefined && [...repository.calls, ...repository.events].includes(name);
  const said: string[] = [];
  if (name !== undefined && isThere && kind === 'not built') said.push('it is in the contract by now');
  if (name !== undefined && !isThere && kind !== 'not built') said.push('the contract has no such thing');
  if (kind === 'departs' && !/^departs \[\d{3}\]/u.test(row.shown)) said.push('it must name its decision');
  if (kind !== 'not built' && kind !== 'departs' && kind !== 'differs' && row.where === '') said.push('where is it?');
  return [...said, ...cellFaults(row.where, repository, false), ...cellFaults(row.shown, repository, true)];
}

/** Checks one cell: files, and after each file what it must contain. In the cell of tests that is a title, or a rule's number. */
function cellFaults(cell: string, repository: Repository, isOfTests: boolean): string[] {
  const faults: string[] = [];
  let file: { path: string; text: string } | undefined;
  const unquoted = new Set<string>();
  for (const [, code, quoted, rule, decision] of cell.matchAll(TOKEN)) {
    if (decision !== undefined) {
      if (!repository.decisions.has(decision)) faults.push(`there is no decision ${decision}`);
    } else if (code !== undefined && PATH.test(code)) {
      const text = repository.read(code);
      const fault = fileFault(code, text, isOfTests);
      if (fault !== undefined) faults.push(fault);
      file = text === undefined || fault !== undefined ? undefined : { path: code, text };
      if (isOfTests && file !== undefined) unquoted.add(code);
    } else if (file !== undefined) {
      const piece = code ?? quoted ?? rule ?? '';
      unquoted.delete(file.path);
      const text = isOfTests ? titlesIn(file.text) : file.text;
      if (!(rule === undefined ? plain(text).includes(plain(piece)) : new RegExp(`\\b${rule}\\b`, 'u').test(text)))
        faults.push(`${file.path} has no ${isOfTests ? 'test of' : 'place with'} ${piece}`);
    }
  }
  return [...faults, ...[...unquoted].map((path) => `which test of ${path}?`)];
}

function fileFault(path: string, text: string | undefined, isOfTests: boolean): string | undefined {
  if (text === undefined) return `there is no file ${path}`;
  return isOfTests && !TEST_FILE.test(path) ? `${path} is no test` : undefined;
}

/** The lines on which titles of tests stand, also those that come from a table. */
const TITLE_LINE = /\b(?:it|test|describe)(?:\.\w+)*\(|\)\(\s*['"`]|^\s*\[['"`]|^\s*(['"`]).*\1,$/u;
const titlesIn = (source: string): string =>
  source
    .split('\n')
    .filter((text) => TITLE_LINE.test(text))
    .join('\n');

/** French has spaces that are no line breaks; sources also write them by their number. */
const plain = (text: string): string => text.replace(/\\u(?:00a0|202f)/gu, ' ').replace(/\s+/gu, ' ');

/** How many rows there are of each kind. */
export function countsOf(table: string): Record<Kind, number> {
  const counts = { shown: 0, departs: 0, differs: 0, 'no test': 0, 'not built': 0 };
  for (const row of rowsOf(table)) {
    const kind = kindOf(row);
    if (kind !== undefined) counts[kind] += 1;
  }
  return counts;
}

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

/** This repository, with the contract as it is exported. */
export async function readRepository(): Promise<Repository> {
  const calls: string[] = [];
  for (const file of readdirSync(join(root, 'packages/contract/src'))) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const exported: Record<string, unknown> = await import(`@pressel/contract/${basename(file, '.ts')}`);
    for (const value of Object.values(exported)) if (isCall(value)) calls.push(`${value.method} ${value.path}`);
  }
  const events = [
    ...Object.keys(clientEvents).map((name) => `sends ${name}`),
    ...Object.keys(serverEvents).map((name) => `receives ${name}`),
  ];
  const decisions = readdirSync(join(root, 'docs/decisions')).map((file) => [file.slice(0, 3), file] as const);
  const texts = new Map<string, string | undefined>();
  const read = (path: string): string | undefined => {
    const place = join(root, path);
    if (!texts.has(path)) texts.set(path, existsSync(place) ? readFileSync(place, 'utf8') : undefined);
    return texts.get(path);
  };
  return { read, decisions: new Map(decisions), calls, events };
}

if (import.meta.main) {
  const table = readFileSync(join(root, TABLE), 'utf8');
  const faults = faultsOf(table, await readRepository());
  for (const fault of faults) console.error(fault);
  const counts = Object.entries(countsOf(table)).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${TABLE}: ${counts.join(', ')}; ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
