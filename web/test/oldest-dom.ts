import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CompatData, Identifier } from '@mdn/browser-compat-data';
import { parseSync } from 'vite';
import { lackedBy } from '../vite/oldest-browsers.ts';

type Statement = ReturnType<typeof parseSync>['program']['body'][number];
type Member = { start: number; end: number; name: string };

const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
/** TypeScript ships its libraries in a package for each platform. */
const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
const libraries = join(dirname(createRequire(typescript).resolve(platform)), 'lib');
/** The script that starts the compiler. */
export const COMPILER = join(dirname(typescript), 'bin/tsc');

/** Something in the library that MDN knows: its position in the text, and its MDN entries. */
type Entry = { start: number; end: number; features: Identifier[] };

/**
 * TypeScript's library of a browser (`dom`) or its workers, without the features that one of the oldest supported
 * browsers lacks. The compiler then refuses code that uses them. Dictionaries of options and names of events stay,
 * because MDN lists them otherwise.
 */
export function oldestLibrary(name: 'dom' | 'webworker', { api }: CompatData): string {
  const text = readFileSync(join(libraries, `lib.${name}.d.ts`), 'utf8');
  const { program } = parseSync(`lib.${name}.d.ts`, text);
  const usersOf = findUsers(program.body);
  const known = (...features: (Identifier | undefined)[]): Identifier[] =>
    features.filter((feature) => feature?.__compat !== undefined) as Identifier[];
  /** MDN lists a mixin's members at the interfaces that include it. */
  const owners = (owner: string): Identifier[] =>
    api[owner]?.__compat ? [api[owner]] : (usersOf.get(owner) ?? []).flatMap(owners);
  const ofMember = (owner: string, member: string): Identifier[] => [
    ...known(...owners(owner).map((one) => one[member] ?? one[`${member.replace(/^on/u, '')}_event`])),
    ...(owner === 'WindowOrWorkerGlobalScope' ? known(api[member]) : []),
  ];
  const ofGlobal = (global: string): Identifier[] =>
    known(api[global] ?? api.Window?.[global] ?? api.WorkerGlobalScope?.[global]).concat(
      global.startsWith('on') ? ofMember('Window', global) : [],
    );

  const entries: Entry[] = program.body.flatMap((statement) => {
    if (statement.type === 'TSInterfaceDeclaration') {
      return membersOf(statement.body.body).map((member) => ({
        ...member,
        features: ofMember(statement.id.name, member.name),
      }));
    }
    const declared = declaredBy(statement);
    if (declared === undefined) return [];
    const statics = declared.members.map((member) => ({
      ...member,
      features: known(api[declared.name]?.[`${member.name}_static`]),
    }));
    const whole = { start: statement.start, end: statement.end, features: ofGlobal(declared.name) };
    return isLacked(whole) ? [whole] : statics;
  });
  const kept: string[] = [];
  let at = 0;
  for (const { start, end } of entries.filter(isLacked)) {
    kept.push(text.slice(at, start));
    at = end;
  }
  return kept.concat(text.slice(at)).join('');
}

const isLacked = ({ features }: Entry): boolean =>
  features.length > 0 && features.every(({ __compat }) => __compat !== undefined && lackedBy(__compat).length > 0);

/** Returns, by interface, the interfaces that extend it. */
function findUsers(statements: readonly Statement[]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const statement of statements) {
    if (statement.type !== 'TSInterfaceDeclaration') continue;
    for (const { expression } of statement.extends) {
      if (expression.type === 'Identifier')
        users.set(expression.name, [...(users.get(expression.name) ?? []), statement.id.name]);
    }
  }
  return users;
}

/** The members that have a plain name. */
function membersOf(signatures: readonly { start: number; end: number; type: string; key?: unknown }[]): Member[] {
  return signatures.flatMap(({ start, end, key }) => {
    const { name, value } = (key ?? {}) as { name?: string; value?: unknown };
    const text = name ?? value;
    return typeof text === 'string' ? [{ start, end, name: text }] : [];
  });
}

/** A global variable or function: its name and its static members. */
function declaredBy(statement: Statement): { name: string; members: Member[] } | undefined {
  if (statement.type === 'TSDeclareFunction' && statement.id) return { name: statement.id.name, members: [] };
  const id = statement.type === 'VariableDeclaration' ? statement.declarations[0]?.id : undefined;
  if (id?.type !== 'Identifier') return undefined;
  const type = id.typeAnnotation?.typeAnnotation;
  return { name: id.name, members: type?.type === 'TSTypeLiteral' ? membersOf(type.members) : [] };
}
