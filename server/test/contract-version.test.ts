import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failure } from '@pressel/contract/errors';
import { contractFingerprint } from '@pressel/contract/fingerprint';
import { serverEvents } from '@pressel/contract/realtime';
import { ackFailure } from '@pressel/contract/socket';
import { getAllUsers } from '@pressel/contract/users';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildTestApp, type Person, TEST_CONTRACT, type TestApp } from './build-test-app.ts';
import { makeChannel } from './factories.ts';
import { makeLink, visit } from './guests.ts';

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await buildTestApp();
  admin = await t.signUp('Camille');
});
afterAll(() => t.close());

const TOLD = { contract: TEST_CONTRACT, build: null };
/** Sends what an older or newer page may send, even if this contract doesn't have it. */
const sendAnything = (socket: Awaited<ReturnType<TestApp['connect']>>, event: string, payload: unknown) =>
  socket.raw.emitWithAck(event as 'message', payload as never) as Promise<unknown>;

test('[APP13] every socket is told which contract the server speaks, those of guests too', async () => {
  const id = await makeChannel(t, admin, 'Nord');
  const link = await makeLink(t, admin, id);
  for (const token of [admin.token, await visit(t, link)]) {
    const socket = await t.connect(token);
    expect(await socket.next('server_version')).toEqual(TOLD);
    socket.close();
  }
});

test('[APP19] an event that the server can’t read, or doesn’t know, is answered with its contract', async () => {
  const socket = await t.connect(admin.token);
  expect(await sendAnything(socket, 'join_room', { room: 7 })).toMatchObject({
    code: 'malformed',
    params: { contract: TEST_CONTRACT },
  });
  expect(await sendAnything(socket, 'enter_room', {})).toMatchObject({
    code: 'not_found',
    params: { what: 'event', contract: TEST_CONTRACT },
  });
  expect(await sendAnything(socket, 'beat', { version: 1 })).toEqual({ ok: false, code: 'not_in_room', params: {} });
});

test('[APP19] so is a call', async () => {
  const { status, body } = await t.post(getAllUsers.path, { limit: 'all' }, admin.token);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'malformed', params: { contract: TEST_CONTRACT } });
  const unknown = await t.post('/user/api/getEverything', {}, admin.token);
  expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', params: { contract: TEST_CONTRACT } } });
  const refused = await t.post(getAllUsers.path, {});
  expect(refused.body).toMatchObject({ code: 'unauthenticated', params: {} });
});

test('[APP13] whatever changes in the contract makes it another one', () => {
  const sources = dirname(fileURLToPath(import.meta.resolve('@pressel/contract/call')));
  const copy = mkdtempSync(join(tmpdir(), 'pressel-contract-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(sources, copy, { recursive: true });
  const own = contractFingerprint();
  expect(contractFingerprint(copy)).toBe(own);
  for (const file of readdirSync(copy)) {
    writeFileSync(join(copy, file), '// changed', { flag: 'a' });
    const isApart = /\.test\.ts$|^examples\.ts$/u.test(file);
    expect(contractFingerprint(copy) === own, file).toBe(isApart);
    cpSync(join(sources, file), join(copy, file));
  }
});

/**
 * Recorded from version 2.0.2. Pages of every version must be able to read these, and servers of every version must send them so: they
 * alone tell a page that it can't read the rest. Never change them.
 */
const RECORDED = {
  event: { contract: 'Yk3uQ0v1wZr8mT5x', build: 'V2lWGYmsYtdyyBqm' },
  ack: {
    ok: false,
    code: 'malformed',
    params: { issues: [{ path: 'room', code: 'invalid_type' }], contract: 'Yk3uQ0v1wZr8mT5x' },
  },
  refusal: {
    success: false,
    result: 'Not found.',
    code: 'not_found',
    params: { contract: 'Yk3uQ0v1wZr8mT5x' },
  },
};

test('[APP13] [APP19] what tells a page that it is apart is read by every version, whatever comes with it', () => {
  const { payload } = serverEvents.server_version;
  expect(payload.parse({ ...RECORDED.event, later: [1] })).toEqual(RECORDED.event);
  expect(payload.parse({ ...RECORDED.event, build: null })).toEqual({ ...RECORDED.event, build: null });
  expect(ackFailure.parse({ ...RECORDED.ack, later: 1 })).toEqual(RECORDED.ack);
  expect(failure.parse({ ...RECORDED.refusal, later: 1 })).toEqual(RECORDED.refusal);
});
