import { type Access, COMMON_ERRORS, TOKEN_HEADER } from '@pressel/contract/call';
import { ERRORS, type ErrorCode, failure } from '@pressel/contract/errors';
import { CALL_EXAMPLES, EVENT_EXAMPLES, EXAMPLE_FILE } from '@pressel/contract/examples';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import { type ClientEvent, COMMON_EVENT_ERRORS, type ServerEvent } from '@pressel/contract/socket';
import type { Contract, NamedCall } from './contract.ts';
import { exampleOf, type JsonSchema, toJsonSchemas } from './json-schemas.ts';

/** The errors of any call: the first two come before it is looked at, `unauthenticated` and `forbidden` unless it is public. */
export const ANY_CALL: readonly ErrorCode[] = ['wrong_host', 'too_slow', ...COMMON_ERRORS];

/** The callers that each access admits, in words. */
export const ACCESS: Readonly<Record<Access, string>> = {
  public: 'anybody, without a session',
  guest: 'guests alone, with a guest token',
  member: 'anybody signed in, for what is theirs',
  admin: 'administrators',
};

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, never[]>[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, { description: string; headers?: object; content: Record<string, MediaType> }>;
  'x-access': Access;
  'x-max-bytes': number;
  'x-cost': number;
  'x-errors': readonly ErrorCode[];
  /** The meaning of some of the errors here. */
  'x-errors-note'?: string;
}

/** An event, as `x-events` has it. OpenAPI has no words for sockets. */
export interface EventItem {
  description: string;
  forGuests: boolean;
  payload: JsonSchema;
  /** The answer to an event that a client sends. */
  ack?: JsonSchema;
  errors?: readonly ErrorCode[];
  example?: unknown;
}

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; summary: string; license: object };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: object };
  'x-events': { sent: Record<string, EventItem>; received: Record<string, EventItem> };
}

const JSON_TYPE = 'application/json';

/** The whole contract as an OpenAPI 3.1 document, the events of the socket as its extension `x-events`. */
export function makeOpenApi(contract: Contract, version: string): OpenApi {
  const { calls, sent, received } = contract;
  const wanted = new Map<string, { schema: Contract['calls'][number]['call']['body']; side: 'input' | 'output' }>();
  for (const { name, call } of calls) {
    wanted.set(`${name} body`, { schema: call.body, side: 'input' });
    wanted.set(`${name} reply`, { schema: call.reply, side: 'output' });
  }
  for (const [name, { payload, ack }] of Object.entries(sent)) {
    wanted.set(`${name} payload`, { schema: payload, side: 'input' });
    wanted.set(`${name} ack`, { schema: ack, side: 'output' });
  }
  for (const [name, { payload }] of Object.entries(received))
    wanted.set(`${name} received`, { schema: payload, side: 'output' });
  wanted.set('failure', { schema: failure, side: 'output' });
  const { of, components } = toJsonSchemas(wanted, contract.schemas);
  const schemaOf = (key: string): JsonSchema => of.get(key) ?? {};

  const paths: OpenApi['paths'] = {};
  for (const { name, feature, call } of calls) {
    const operation = operationOf({ name, feature, call }, schemaOf(`${name} reply`));
    if (call.errorsNote !== undefined) operation['x-errors-note'] = call.errorsNote;
    if (call.method !== 'GET') operation.requestBody = requestOf({ name, call }, schemaOf(`${name} body`), components);
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation };
  }
  const payloadOf = (key: string): JsonSchema => {
    const { description: _ofEvent, ...payload } = schemaOf(key);
    return payload;
  };
  const common = (event: ClientEvent | ServerEvent) => ({
    // The description of an event stands at its payload.
    description: event.payload.description ?? '',
    forGuests: event.forGuests === true,
  });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pressel',
      version,
      summary: 'Calls and socket events of a push-to-talk console.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Calls go to the server that this document came from.
    servers: [{ url: '/' }],
    tags: [...new Set(calls.map(({ feature }) => feature))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        session: { type: 'apiKey', in: 'header', name: TOKEN_HEADER, description: 'The authToken of a login.' },
        guest: { type: 'apiKey', in: 'header', name: TOKEN_HEADER, description: 'The guestToken of enterAsGuest.' },
      },
    },
    'x-events': {
      sent: mapValues(sent, (event, name) => ({
        ...common(event),
        payload: payloadOf(`${name} payload`),
        ack: schemaOf(`${name} ack`),
        errors: [...new Set([...event.errors, ...COMMON_EVENT_ERRORS])],
        example: EVENT_EXAMPLES[name] ?? exampleOf(schemaOf(`${name} payload`), components),
      })),
      received: mapValues(received, (event, name) => ({
        ...common(event),
        payload: payloadOf(`${name} received`),
      })),
    },
  };
}

const mapValues = <T, U>(from: Readonly<Record<string, T>>, make: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, make(value, key)]));

const SECURITY: Readonly<Record<Access, Record<string, never[]>[]>> = {
  public: [],
  guest: [{ guest: [] }],
  member: [{ session: [] }],
  admin: [{ session: [] }],
};

function operationOf({ name, feature, call }: NamedCall, reply: JsonSchema): Operation {
  const codes = errorsOf(call);
  return {
    operationId: name,
    summary: call.summary,
    description: `For ${ACCESS[call.access]}.`,
    tags: [feature],
    security: SECURITY[call.access],
    responses: {
      '200': {
        description: 'Done.',
        content: call.streams
          ? { 'text/csv': { schema: { type: 'string' } }, 'application/x-ndjson': { schema: { type: 'string' } } }
          : { [JSON_TYPE]: { schema: reply } },
      },
      ...refusals(codes),
    },
    'x-access': call.access,
    'x-max-bytes': call.maxBytes ?? CALL_MAX_BYTES,
    'x-cost': call.cost,
    'x-errors': codes,
  };
}

/** The errors of a call: nobody needs a session for a public one. */
function errorsOf({ access, errors }: Pick<NamedCall['call'], 'access' | 'errors'>): ErrorCode[] {
  const hasSession = (code: ErrorCode) => access !== 'public' || (code !== 'unauthenticated' && code !== 'forbidden');
  return [...new Set([...errors, ...ANY_CALL.filter(hasSession)])];
}

function refusals(codes: readonly ErrorCode[]): Operation['responses'] {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  const responses = [...byStatus].map(([status, those]) => {
    const description = those.map((code) => `${code}: ${ERRORS[code].text}`).join(' ');
    const schema: JsonSchema = {
      allOf: [{ $ref: '#/components/schemas/Failure' }, { type: 'object', properties: { code: { enum: [...those] } } }],
    };
    return [String(status), { description, content: { [JSON_TYPE]: { schema } } }] as const;
  });
  return Object.fromEntries(responses.sort(([a], [b]) => Number(a) - Number(b)));
}

function requestOf(
  { name, call }: Pick<NamedCall, 'name' | 'call'>,
  body: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): NonNullable<Operation['requestBody']> {
  const example = CALL_EXAMPLES[name] ?? exampleOf(body, components);
  if (call.file === undefined) return { required: true, content: { [JSON_TYPE]: { schema: body, example } } };
  const schema: JsonSchema = {
    ...body,
    properties: { ...body.properties, [call.file]: { type: 'string', format: 'binary', description: 'The file.' } },
    required: [...(body.required ?? []), call.file],
  };
  const form = { ...(example as object), [call.file]: EXAMPLE_FILE.name };
  return { required: true, content: { 'multipart/form-data': { schema, example: form } } };
}
