import type { ClientEvent, ServerEvent } from '@pressel/contract/socket';
import * as z from 'zod';
import type { Documented } from './doc-comments.ts';

/** The comments of the contract, by the parts that they describe. */
export interface Texts {
  /** The text of an exported schema, an event, a part of a call, or another exported name. */
  of(thing: object | string): string | undefined;
  ofField(object: z.ZodObject, key: string): string | undefined;
  /** Comments before keys of schemas that were found at no schema, by their paths: mistakes of this reader. */
  readonly lost: readonly string[];
}

/** A file of the contract. */
export interface ContractModule {
  exported: Readonly<Record<string, unknown>>;
  comments: readonly Documented[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isEvent = (value: unknown): value is ClientEvent | ServerEvent =>
  isRecord(value) && value.payload instanceof z.ZodType;

/** The schemas that a schema is made of, whatever its kind. */
const partsOf = (schema: z.ZodType): z.ZodType[] =>
  Object.values(schema._zod.def)
    .flatMap((part: unknown) =>
      part instanceof z.ZodType || !isRecord(part) ? [part] : Array.isArray(part) ? part : Object.values(part),
    )
    .filter((part) => part instanceof z.ZodType);

/** The objects that a schema is, or has as items, options or behind a default. */
const objectsIn = (schema: z.ZodType): z.ZodObject[] =>
  schema instanceof z.ZodObject ? [schema] : partsOf(schema).flatMap(objectsIn);

function everyObject(values: readonly unknown[]): Set<z.ZodObject> {
  const seen = new Set<unknown>();
  const objects = new Set<z.ZodObject>();
  const rest = [...values];
  while (rest.length > 0) {
    const value = rest.pop();
    if (!isRecord(value) || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof z.ZodObject) objects.add(value);
    rest.push(...(value instanceof z.ZodType ? partsOf(value) : Object.values(value)));
  }
  return objects;
}

/** Finds for each comment what it is about. */
export function createTexts(modules: readonly ContractModule[]): Texts {
  const ofThings = new Map<unknown, string>();
  const ofFields = new Map<z.ZodObject, Map<string, string>>();
  const lost: string[] = [];
  const everything = modules.flatMap(({ exported }) => Object.values(exported));
  const objects = everyObject(everything);

  const noteField = (object: z.ZodObject, key: string, text: string) => {
    const fields = ofFields.get(object) ?? new Map<string, string>();
    ofFields.set(object, fields.set(key, text));
  };
  /** Notes a text at the end of a path from a value. @returns whether it was found */
  const note = (value: unknown, [key = '', ...rest]: readonly string[], text: string): boolean => {
    if (value instanceof z.ZodType) {
      const holding = objectsIn(value).filter(({ shape }) => key in shape);
      for (const object of holding) {
        if (rest.length > 0) note(object.shape[key], rest, text);
        else noteField(object, key, text);
      }
      return holding.length > 0;
    }
    if (isEvent(value))
      return [value.payload, 'ack' in value && value.ack].some((part) => note(part, [key, ...rest], text));
    if (!isRecord(value) || !(key in value)) return false;
    if (rest.length > 0) return note(value[key], rest, text);
    ofThings.set(value[key], text);
    return true;
  };
  /** A part that isn't exported is in others that are: its keys identify its object. */
  const noteInside = (keys: ReadonlySet<string>, path: readonly string[], text: string): boolean => {
    const holding = [...objects].filter(({ shape }) => {
      const has = Object.keys(shape);
      return keys.size > 1 ? [...keys].every((key) => has.includes(key)) : has.length === 1 && keys.has(has[0] ?? '');
    });
    return holding.filter((object) => note(object, path, text)).length > 0;
  };

  for (const { exported, comments } of modules) {
    const keysOf = new Map<string, Set<string>>();
    for (const { path } of comments) {
      const [name = '', key] = path;
      if (key !== undefined) keysOf.set(name, (keysOf.get(name) ?? new Set()).add(key));
    }
    const ofConstants = new Map(comments.flatMap(({ path, text }) => (path.length === 1 ? [[path[0], text]] : [])));
    for (const { path, text: own, isShorthand } of comments) {
      const [name = '', ...keys] = path;
      const key = keys.at(-1) ?? '';
      // An exported name has its words where it is described itself.
      const text = own ?? (isShorthand && exported[key] === undefined ? (ofConstants.get(key) ?? null) : null);
      if (text === null) continue;
      if (keys.length === 0) {
        const value = exported[name];
        ofThings.set(isRecord(value) ? value : name, text);
      } else {
        const isFound = note(exported[name], keys, text) || noteInside(keysOf.get(name) ?? new Set(), keys, text);
        if (!isFound && own !== null) lost.push(path.join('.'));
      }
    }
  }

  const inherited = textsOfParts(ofFields, new Set(everything));
  return {
    of: (thing) => ofThings.get(thing),
    ofField: (object, key) => ofFields.get(object)?.get(key) ?? inherited(object.shape[key], key),
    lost,
  };
}

/**
 * The texts of fields in an object that extends another, by the field's own schema and key. Leaves out schemas that stand in
 * many places under one name, and those on which two comments disagree.
 */
function textsOfParts(
  ofFields: ReadonlyMap<z.ZodObject, ReadonlyMap<string, string>>,
  shared: ReadonlySet<unknown>,
): (field: unknown, key: string) => string | undefined {
  const texts = new Map<unknown, Map<string, Set<string>>>();
  for (const [{ shape }, fields] of ofFields) {
    for (const [key, text] of fields) {
      const field: unknown = shape[key];
      if (shared.has(field)) continue;
      const known = texts.get(field) ?? new Map<string, Set<string>>();
      texts.set(field, known.set(key, (known.get(key) ?? new Set()).add(text)));
    }
  }
  return (field, key) => {
    const [text, another] = texts.get(field)?.get(key) ?? [];
    return another === undefined ? text : undefined;
  };
}
