import { TOKEN_HEADER } from '@pressel/contract/call';
import { CALL_EXAMPLES, EVENT_EXAMPLES, EXAMPLE_FILE, EXAMPLES_AFTER } from '@pressel/contract/examples';
import { clientEvents, type ServerEventName } from '@pressel/contract/realtime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { exampleOf, toJsonSchemas } from '#src/features/reference/json-schemas.ts';
import type { OpenApi, Operation } from '#src/features/reference/openapi.ts';
import { buildTestApp, type Person } from './build-test-app.ts';
import { contractCalls } from './contract-calls.ts';
import { type ExampleWorld, makeExampleWorld } from './example-world.ts';
import { hasLastRelease, openContractOfLastRelease } from './last-release.ts';
import { documentChecker } from './openapi-document.ts';

const ADVICE =
  'Put one that works into packages/contract/src/examples.ts, under the name that the contract exports; what stands for ids and names is STAND_INS there.';

const OLDER =
  'Pages of the last release, which are open while the server is upgraded, can’t read this. Keep what they know, and add to it.';

/** Values for things that an example creates: they must not exist yet in the example's team. */
const NEW: Readonly<Record<string, object>> = {
  signUpUser: { email: 'amina@example.org' },
  createChannel: { channelName: 'Équipe de nuit' },
};

/** Reads the contract's calls and events, so that each new one is tested. */
const t = await buildTestApp();
const { body: served } = await t.app.inject({ url: '/docs/openapi.json' });
const document: OpenApi = JSON.parse(served);
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: operation.operationId, path, method, operation })),
);
const events = Object.entries(document['x-events'].sent).map(([name, event]) => ({ name, event }));
const check = documentChecker(document);
/** The contract of pages of the last release; null: this clone doesn't have it. */
const older = (await hasLastRelease()) ? await openContractOfLastRelease() : null;
/** The faults that a page of the last release finds; none in something that it doesn't know. */
const unread = (schema: z.ZodType | undefined, value: unknown) => schema?.safeParse(value).error?.issues ?? [];
afterAll(() => t.close());

describe('the examples of the reference, on a server that has just started', () => {
  let admin: Person;
  let world: ExampleWorld;
  let number = 0;
  beforeAll(async () => {
    admin = await t.signUp('Camille');
  });
  beforeEach(async () => {
    number += 1;
    world = await makeExampleWorld(t, admin, number);
    return () => world.close();
  });
  /** Events that came meanwhile, and that a page of the last release couldn't read. */
  const unreadEvents = () =>
    Object.entries(older?.received ?? {}).flatMap(([name, { payload }]) =>
      world.socket.waiting(name as ServerEventName).flatMap((event) => unread(payload, event)),
    );

  const send = async (path: string, method: string, operation: Operation, headers: Record<string, string>) => {
    const [[type, media] = ['', undefined]] = Object.entries(operation.requestBody?.content ?? {});
    if (media === undefined) return fetch(`${t.origin}${path}`, { method, headers });
    const filled = (await world.fill(media.example)) as Record<string, string>;
    const example = { ...filled, ...NEW[operation.operationId] };
    if (type === 'application/json') {
      const body = JSON.stringify(example);
      return fetch(`${t.origin}${path}`, { method, headers: { ...headers, 'content-type': type }, body });
    }
    const form = new FormData();
    for (const [field, value] of Object.entries(example)) {
      if (value !== EXAMPLE_FILE.name) form.append(field, value);
      else form.append(field, new Blob([Buffer.from(EXAMPLE_FILE.base64, 'base64')]), value);
    }
    return fetch(`${t.origin}${path}`, { method, headers, body: form });
  };
  const tokenOf = ({ 'x-access': access }: Operation) => (access === 'guest' ? world.guestToken : world.token);

  test.each(calls)(
    '[PROC97] $name: its example is answered as documented, also for older pages',
    async ({ name, path, method, operation }) => {
      for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
        const at = ['paths', path, method, 'requestBody', 'content', type, 'schema'];
        expect(check(at, example), `The example of ${name} breaks its schema. ${ADVICE}`).toEqual([]);
      }
      const response = await send(path, method, operation, { [TOKEN_HEADER]: tokenOf(operation) });
      const text = await response.text();
      expect(response.status, `${name} answers its example with ${text}. ${ADVICE}`).toBe(200);
      const type = response.headers.get('content-type')?.split(';')[0] ?? '';
      expect(Object.keys(operation.responses['200']?.content ?? {})).toContain(type);
      if (type !== 'application/json') return;
      const at = ['paths', path, method, 'responses', '200', 'content', type, 'schema'];
      expect(check(at, JSON.parse(text)), `The answer of ${name} breaks its schema`).toEqual([]);
      expect(unread(older?.calls[name]?.reply, JSON.parse(text)), OLDER).toEqual([]);
      expect(unreadEvents(), OLDER).toEqual([]);
    },
  );

  test.each(events)(
    '[PROC97] $name: its example is acknowledged as documented, also for older pages',
    async ({ name, event }) => {
      const at = ['x-events', 'sent', name];
      const { example } = event;
      expect(check([...at, 'payload'], example), `The example of ${name} breaks its schema. ${ADVICE}`).toEqual([]);
      const before = EXAMPLES_AFTER[name];
      if (before !== undefined) {
        const earlier = await world.fill(document['x-events'].sent[before]?.example);
        await world.socket.send(before as never, earlier as never);
      }
      const ack = await world.socket.send(name as never, (await world.fill(example)) as never);
      expect(ack, `${name} answers its example with a refusal. ${ADVICE}`).toMatchObject({ ok: true });
      if (!ack.ok) return;
      expect(check([...at, 'ack'], ack.data)).toEqual([]);
      expect(unread(older?.sent[name]?.ack, ack.data), OLDER).toEqual([]);
      expect(unreadEvents(), OLDER).toEqual([]);
    },
  );
});

test.skipIf(older === null)('[PROC97] whatever pages of the last release send is still known, and can be read', () => {
  const wanted = new Map<string, { schema: z.ZodType; side: 'input' }>();
  for (const [name, { body }] of Object.entries(older?.calls ?? {})) wanted.set(name, { schema: body, side: 'input' });
  for (const [name, { payload }] of Object.entries(older?.sent ?? {}))
    wanted.set(name, { schema: payload, side: 'input' });
  const { of, components } = toJsonSchemas(wanted, new Map());
  const exampleFor = (name: string): unknown => older?.examples[name] ?? exampleOf(of.get(name) ?? {}, components);
  const lost = Object.entries(older?.calls ?? {}).flatMap(([name, { method, path }]) => {
    const call = Object.values(contractCalls).find((one) => one.path === path && one.method === method);
    if (call === undefined) return [name];
    return method === 'GET' ? [] : unread(call.body, exampleFor(name)).map(({ message }) => `${name}: ${message}`);
  });
  expect(lost, OLDER).toEqual([]);
  const unknown = Object.keys(older?.sent ?? {}).flatMap((name) => {
    const event = Object.entries(clientEvents).find(([known]) => known === name)?.[1];
    return event === undefined
      ? [name]
      : unread(event.payload, exampleFor(name)).map(({ message }) => `${name}: ${message}`);
  });
  expect(unknown, OLDER).toEqual([]);
  expect(of.size, 'the contract of the last release was read').toBeGreaterThan(50);
});

test('the guide’s way from nothing to a channel is taken with the examples as they stand', async () => {
  const fresh = await buildTestApp();
  const take = async (name: string, { token = '', ...change }: Record<string, unknown> = {}) => {
    const one = calls.find((call) => call.name === name);
    const example = one?.operation.requestBody?.content['application/json']?.example;
    const response = await fetch(`${fresh.origin}${one?.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: String(token) },
      body: JSON.stringify({ ...Object(example), ...change }),
    });
    expect(response.status, name).toBe(200);
    return (await response.json()) as { user: { id: string; role: string; authToken: string }; res: unknown };
  };
  try {
    expect(await take('signUpUser')).toMatchObject({ user: { role: 'admin' } });
    const { authToken: token } = (await take('logIn')).user;
    const { user } = await take('signUpUser', { token, email: 'another@example.org' });
    const { res } = await take('createChannel', { token, userList: [user.id] });
    expect(res).toMatchObject({ rtcSession: Object(EVENT_EXAMPLES.join_room).room });
    expect((await take('getAllChannels', { token })).res).toMatchObject([{ ...Object(res), userCount: 1 }]);
  } finally {
    await fresh.close();
  }
});

describe('the reference and the contract', () => {
  test.each(calls)('$name: who has no session is refused as documented', async ({ path, method, operation }) => {
    if (operation['x-access'] === 'public') return;
    const response = await fetch(`${t.origin}${path}`, { method });
    expect(response.status).toBe(401);
    const at = ['paths', path, method, 'responses', '401', 'content', 'application/json', 'schema'];
    expect(check(at, await response.json())).toEqual([]);
  });

  test('there is one of every call of the contract that takes a payload', () => {
    const withPayload = Object.entries(contractCalls).filter(([, { method }]) => method === 'POST');
    const withExample = calls.filter(({ operation }) =>
      Object.values(operation.requestBody?.content ?? {}).some(({ example }) => example !== undefined),
    );
    expect(withExample.map(({ name }) => name).sort()).toEqual(withPayload.map(([name]) => name).sort());
  });

  test('there is none of a call or event that the contract no longer has', () => {
    const names = [...calls, ...events].map(({ name }) => name);
    const examples = [...Object.keys(CALL_EXAMPLES), ...Object.keys(EVENT_EXAMPLES)];
    expect(examples.filter((name) => !names.includes(name))).toEqual([]);
  });
});
