import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call } from '@pressel/contract/call';
import { clientEvents, serverEvents } from '@pressel/contract/realtime';
import type { ClientEvent, ServerEvent } from '@pressel/contract/socket';
import * as z from 'zod';
import { type Documented, readDocComments } from './doc-comments.ts';
import { type ContractModule, createTexts, type Texts } from './texts.ts';

export interface NamedCall {
  /** The call's name, as the contract exports it. */
  name: string;
  /** The name of the contract's file, which is the feature. */
  feature: string;
  call: Call;
}

/** All that the contract says, as it is exported, with the comments of its sources. */
export interface Contract {
  /** By feature; features that readers need first come before the others. */
  calls: readonly NamedCall[];
  sent: Readonly<Record<string, ClientEvent>>;
  received: Readonly<Record<string, ServerEvent>>;
  /** Exported schemas, by their names. */
  schemas: ReadonlyMap<string, z.ZodType>;
  /** Exported numbers and lists of limits.ts, by their names. */
  limits: ReadonlyMap<string, number | readonly unknown[]>;
  texts: Texts;
}

const FIRST = ['auth', 'channels', 'users', 'presence', 'voice', 'chat', 'positions'];
const rank = (feature: string) => (FIRST.includes(feature) ? FIRST.indexOf(feature) : FIRST.length);

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

/** Sorts what a module exports as its sources do: exports come by the alphabet, and somebody chose the order of the sources. */
function inWrittenOrder<T>(exported: Readonly<Record<string, T>>, comments: readonly Documented[]): [string, T][] {
  const names = comments.flatMap(({ path }) => (path.length === 1 ? path : []));
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
  const modules: ContractModule[] = [];
  for (const feature of features) {
    const exported: Record<string, unknown> = await import(`@pressel/contract/${feature}`);
    const comments = readDocComments(readFileSync(new URL(`${feature}.ts`, folder), 'utf8'));
    modules.push({ exported, comments });
    for (const [name, value] of inWrittenOrder(exported, comments)) {
      if (isCall(value)) calls.push({ name, feature, call: value });
      else if (value instanceof z.ZodType) schemas.set(name, value);
    }
  }
  // Events are in the order of the features too: realtime.ts has all of them, but not in that order.
  const places = modules.flatMap(({ exported }) => Object.values(exported).flatMap(eventsIn));
  const inOrder = <E>(events: Readonly<Record<string, E>>): Record<string, E> =>
    Object.fromEntries(Object.entries(events).sort(([a], [b]) => places.indexOf(a) - places.indexOf(b)));
  const limits: [string, number | readonly unknown[]][] = inWrittenOrder(
    await import('@pressel/contract/limits'),
    modules[features.indexOf('limits')]?.comments ?? [],
  );
  return {
    calls,
    sent: inOrder(clientEvents),
    received: inOrder(serverEvents),
    schemas,
    limits: new Map(limits),
    texts: createTexts(modules),
  };
}
