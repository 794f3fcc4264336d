import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call } from '@pressel/contract/call';
import { clientEvents, serverEvents } from '@pressel/contract/realtime';
import type { ClientEvent, ServerEvent } from '@pressel/contract/socket';
import type { OnDemand } from '@pressel/contract/zod';
import * as z from 'zod';

export interface NamedCall {
  /** The call's name, as the contract exports it. */
  name: string;
  /** The name of the contract's file, which is the feature. */
  feature: string;
  call: Call;
}

/** All that the contract says, as it is exported. */
export interface Contract {
  /** By feature; features that readers need first come before the others. */
  calls: readonly NamedCall[];
  sent: Readonly<Record<string, ClientEvent>>;
  received: Readonly<Record<string, ServerEvent>>;
  /** Exported schemas, by their names. */
  schemas: ReadonlyMap<string, z.ZodType>;
  /** Exported numbers and lists of limits.ts, by their names. */
  limits: ReadonlyMap<string, Limit>;
}

export interface Limit {
  value: number | readonly unknown[];
  /** The comment before it: a number carries no description. Empty: none. */
  text: string;
}

const FIRST = ['auth', 'channels', 'users', 'presence', 'voice', 'chat', 'positions'];
const rank = (feature: string) => (FIRST.includes(feature) ? FIRST.indexOf(feature) : FIRST.length);

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

/** Whether it is a schema that is made on demand. */
const isSchema = (value: unknown): value is OnDemand<z.ZodType> =>
  typeof value === 'function' && 'isOnDemand' in value && value() instanceof z.ZodType;

/** A constant that a module exports, with a comment right before it. */
const EXPORTED = /^(?:\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n)?export const (?<name>\w+)/gmu;

/** Returns the exported constants of a source in their order, each with its comment. */
const constantsOf = (source: string): Map<string, string> =>
  new Map([...source.matchAll(EXPORTED)].map(({ groups = {} }) => [groups.name ?? '', plain(groups.comment ?? '')]));

/** A comment as one line, without the numbers of rules and sections, which mean nothing outside of the repository. */
const plain = (comment: string): string =>
  comment
    .replace(/\n\s*\*/gu, '\n')
    .replace(/\s*\((?:spec §[^)]*|[A-Z]+\d+)\)/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** Sorts what a module exports as its source does: exports come by the alphabet, and somebody chose the order of the source. */
function inWrittenOrder<T>(
  exported: Readonly<Record<string, T>>,
  constants: ReadonlyMap<string, string>,
): [string, T][] {
  const names = [...constants.keys()];
  return Object.entries(exported).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
}

/** The names of events in an exported value. */
const eventsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).filter((name) => Object.hasOwn(clientEvents, name) || Object.hasOwn(serverEvents, name))
    : [];

/** Reads the contract's files, so that the reference has what is added to them without anybody thinking of it. */
export async function readContract(): Promise<Contract> {
  const folder = new URL('.', import.meta.resolve('@pressel/contract/call'));
  const files = readdirSync(fileURLToPath(folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const features = files.map((file) => basename(file, '.ts')).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const calls: NamedCall[] = [];
  const schemas = new Map<string, z.ZodType>();
  const places: string[] = [];
  const constants = (feature: string) => constantsOf(readFileSync(new URL(`${feature}.ts`, folder), 'utf8'));
  for (const feature of features) {
    const exported: Record<string, unknown> = await import(`@pressel/contract/${feature}`);
    for (const [name, value] of inWrittenOrder(exported, constants(feature))) {
      if (isCall(value)) calls.push({ name, feature, call: value });
      else if (isSchema(value)) schemas.set(name, value());
      else if (value instanceof z.ZodType) schemas.set(name, value);
    }
    places.push(...Object.values(exported).flatMap(eventsIn));
  }
  // Events are in the order of the features too: realtime.ts has all of them, but not in that order.
  const inOrder = <E>(events: Readonly<Record<string, E>>): Record<string, E> =>
    Object.fromEntries(Object.entries(events).sort(([a], [b]) => places.indexOf(a) - places.indexOf(b)));
  const limitTexts = constants('limits');
  const limits = inWrittenOrder(await import('@pressel/contract/limits'), limitTexts);
  return {
    calls,
    sent: inOrder(clientEvents),
    received: inOrder(serverEvents),
    schemas,
    limits: new Map(limits.map(([name, value]) => [name, { value, text: limitTexts.get(name) ?? '' }])),
  };
}
