import { STAND_INS } from '@pressel/contract/examples';
import * as z from 'zod';

/** Example values of named types. */
const BY_TYPE: Readonly<Record<string, unknown>> = {
  UserId: STAND_INS.userId,
  CallId: STAND_INS.callId,
  ChannelId: STAND_INS.channelId,
  ParticipantId: STAND_INS.socketId,
  MessageId: STAND_INS.messageId,
  GuestLinkId: STAND_INS.guestLinkId,
  Login: STAND_INS.login,
  Password: STAND_INS.password,
  NewPassword: STAND_INS.password,
  Token: STAND_INS.token,
};

/** Makes an example from a schema; objects get only their required fields. */
export function exampleOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): unknown {
  const name = componentOf(schema);
  if (name !== undefined) return BY_TYPE[name] ?? exampleOf(components[name] ?? {}, components);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [option] = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  if (option !== undefined) return exampleOf(option, components);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const required = schema.required ?? [];
      return Object.fromEntries(required.map((key) => [key, exampleOf(schema.properties?.[key] ?? {}, components)]));
    }
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [exampleOf(schema.items ?? {}, components)] : [];
    case 'string':
      return textOf(schema);
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

const textOf = ({ format }: JsonSchema): string => {
  if (format === 'uuid') return STAND_INS.userId;
  if (format === 'email') return STAND_INS.login;
  if (format === 'date-time') return '2026-11-22T15:00:00.000Z';
  return 'text';
};

/** JSON Schema (2020-12) as far as the contract's schemas need it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** `input`: what a client may send. `output`: what the server answers. */
type Side = 'input' | 'output';

export interface JsonSchemas {
  /** One schema for each that was asked for, under its key. */
  of: ReadonlyMap<string, JsonSchema>;
  /** The named schemas to which these refer as `#/components/schemas/…`. */
  components: Record<string, JsonSchema>;
}

const REF = '#/$defs/';
/** The keywords that may stand beside the name of a schema. */
const BESIDE_NAME = ['$ref', 'description', 'default'];
const COMPONENT = '#/components/schemas/';

const pascal = (name: string): string => name.replace(/^./u, (first) => first.toUpperCase());
export const componentOf = ({ $ref }: JsonSchema): string | undefined => $ref?.slice(COMPONENT.length);

/**
 * Converts the contract's schemas that it exports under their names. A schema whose two sides differ, because of defaults, is
 * there twice: what a client sends as `…Input`.
 */
export function toJsonSchemas(
  wanted: ReadonlyMap<string, { schema: z.ZodType; side: Side }>,
  named: ReadonlyMap<string, z.ZodType>,
): JsonSchemas {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of named) registry.add(schema, { id: pascal(name) });
  const convert = (side: Side) => {
    const ofSide = [...wanted]
      .filter(([, one]) => one.side === side)
      .map(([key, { schema }]) => [key, schema] as const);
    const all = z.toJSONSchema(z.object(Object.fromEntries(ofSide)), {
      metadata: registry,
      io: side,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as Record<string, unknown>),
    });
    return JSON.parse(JSON.stringify({ of: all.properties ?? {}, defs: all.$defs ?? {} })) as Converted;
  };
  const input = convert('input');
  const output = convert('output');
  const twice = differing(input.defs, output.defs);
  const inputName = (id: string) => (twice.has(id) ? `${id}Input` : id);
  const same = (id: string) => id;
  const components = {
    ...entriesOf(output.defs, same),
    ...entriesOf(input.defs, inputName),
  };
  const of = new Map([
    ...Object.entries(input.of).map(([key, schema]) => [key, finish(schema, inputName)] as const),
    ...Object.entries(output.of).map(([key, schema]) => [key, finish(schema, same)] as const),
  ]);
  return { of, components: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

interface Converted {
  of: Record<string, JsonSchema>;
  defs: Record<string, JsonSchema>;
}

const entriesOf = (defs: Converted['defs'], rename: (id: string) => string) =>
  Object.fromEntries(Object.entries(defs).map(([id, schema]) => [rename(id), finish(schema, rename)]));

/** Removes what says nothing, and adds the description. */
function tidy(zod: z.core.$ZodType, json: Record<string, unknown>): void {
  // New fields may come: clients ignore what they don't know.
  delete json.additionalProperties;
  delete json.id;
  if (json.format !== undefined) delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  const description = z.globalRegistry.get(zod)?.description;
  if (description !== undefined) json.description = description;
}

/** Ids of schemas whose two sides differ, by themselves or by what they refer to. */
function differing(input: Converted['defs'], output: Converted['defs']): Set<string> {
  const both = Object.keys(input).filter((id) => id in output);
  const text = (id: string) => JSON.stringify(input[id]);
  const found = new Set(both.filter((id) => text(id) !== JSON.stringify(output[id])));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const id of both) if ([...found].some((other) => text(id).includes(`"${REF}${other}"`))) found.add(id);
  }
  return found;
}

/** Renames what is referred to. */
function finish(schema: JsonSchema, rename: (id: string) => string): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    // A named schema with a description of its own: the rest stands where its name leads to.
    const own =
      '$ref' in value ? Object.entries(value).filter(([key]) => BESIDE_NAME.includes(key)) : Object.entries(value);
    const entries = own.map(([key, part]) => {
      if (key === '$ref') return [key, COMPONENT + rename(String(part).slice(REF.length))];
      // A default or an example is a value, not a schema.
      return [key, key === 'default' || key === 'const' || key === 'enum' ? part : walk(part)];
    });
    return Object.fromEntries(entries);
  };
  return walk(schema) as JsonSchema;
}
