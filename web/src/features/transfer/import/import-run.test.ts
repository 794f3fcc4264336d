import { cancelImport, createMultipleChannels, createMultipleUsers, getImport } from '@pressel/contract/transfer';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { createApiDouble, unreachable } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { POLL_MS, resumeImport, startImport } from './import-run.ts';

const importId = sampleId(900);
const rows = [{ row: 2, identifier: 'lea@example.org' }];
const created = [{ row: 2, id: sampleId(5), identifier: 'lea@example.org' }];
const outcome = { created, existing: [], rejected: [], repeated: [] };
const never = () => new Promise<never>(() => {});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start(kind: 'users' | 'channels' = 'users') {
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  api.on(createMultipleUsers, never);
  return { api, realtime, run: () => startImport({ api, realtime, kind, rows, withAdmins: false, importId }) };
}

test('the call’s answer ends the import', async () => {
  const { api, run } = start();
  api.on(createMultipleUsers, () => ({
    success: true,
    createdUsers: created,
    existingUsers: [],
    rejectedUsers: [],
    repeatedUsers: [],
  }));
  const running = run();
  await vi.advanceTimersByTimeAsync(0);
  expect(running.getSnapshot()).toEqual({ state: 'ended', end: { end: 'stored', outcome } });
  expect(api.inputs(createMultipleUsers)).toEqual([{ userData: rows, withAdmins: false, importId }]);
});

test('channels are sent by their name', async () => {
  const { api, run } = start('channels');
  api.on(createMultipleChannels, never);
  run().close();
  expect(api.inputs(createMultipleChannels)).toEqual([{ channelData: [{ row: 2, name: undefined }], importId }]);
});

test('progress events of this import update it and suspend polling; those of another are ignored', async () => {
  const { api, realtime, run } = start();
  const running = run();
  realtime.tell('import_progress', { importId, done: 3, total: 9 });
  realtime.tell('import_progress', { importId: sampleId(901), done: 8, total: 9 });
  await vi.advanceTimersByTimeAsync(POLL_MS - 1);
  realtime.tell('import_progress', { importId, done: 4, total: 9 });
  await vi.advanceTimersByTimeAsync(1);
  expect(running.getSnapshot()).toMatchObject({ state: 'running', done: 4, total: 9, isLost: false });
  expect(api.inputs(getImport)).toEqual([]);
  running.close();
});

test('[IMP17] while it is sent, however long that takes, the server is not asked for it', async () => {
  const { api, realtime, run } = start();
  api.on(getImport, () => ({ success: true, res: { state: 'running', done: 5, total: 9 } }));
  const running = run();
  await vi.advanceTimersByTimeAsync(POLL_MS * 5);
  expect(api.inputs(getImport)).toEqual([]);
  realtime.tell('import_progress', { importId, done: 0, total: 9 });
  await vi.advanceTimersByTimeAsync(POLL_MS * 2);
  expect(running.getSnapshot()).toMatchObject({ state: 'running', done: 5, total: 9 });
  running.close();
});

test('without a link, which brings the events, it polls, also when the link is back', async () => {
  const { api, realtime, run } = start();
  api.on(getImport, () => ({ success: true, res: { state: 'running', done: 5, total: 9 } }));
  const running = run();
  realtime.setLink('down');
  realtime.setLink('up');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(running.getSnapshot()).toMatchObject({ state: 'running', done: 5, total: 9 });
  running.close();
});

test.each(['unreachable', 'timeout', 'bad_reply', 'unavailable', 'internal'] as const)(
  'an answer lost as %s is asked for until the server says how it ended',
  async (code) => {
    const { api, run } = start();
    api.fail(createMultipleUsers, new ApiError(code));
    api.fail(getImport, unreachable());
    const running = run();
    await vi.advanceTimersByTimeAsync(POLL_MS * 3);
    expect(running.getSnapshot()).toMatchObject({ state: 'running', isLost: true });
    api.on(getImport, () => ({ success: true, res: { state: 'users', outcome } }));
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(running.getSnapshot()).toEqual({ state: 'ended', end: { end: 'stored', outcome } });
  },
);

test('two not_found answers mean that nothing was stored', async () => {
  const { api, run } = start();
  api.fail(createMultipleUsers, unreachable());
  api.fail(getImport, new ApiError('not_found'));
  const running = run();
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(running.getSnapshot().state).toBe('running');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(running.getSnapshot()).toEqual({ state: 'ended', end: { end: 'forgotten' } });
});

test('a refusal ends the import with its reason', async () => {
  const { api, run } = start();
  const refusal = new ApiError('import_running');
  api.fail(createMultipleUsers, refusal);
  const running = run();
  await vi.advanceTimersByTimeAsync(0);
  expect(running.getSnapshot()).toEqual({ state: 'ended', end: { end: 'failed', error: refusal } });
});

test('cancelling ends it when the server says so, or says that it is too late', async () => {
  const { api, run } = start();
  let refuse = (_: unknown): void => {};
  api.on(createMultipleUsers, () => new Promise((_, reject) => (refuse = reject)));
  api.on(cancelImport, () => ({ success: true, cancelled: false }));
  const running = run();
  await running.cancel();
  expect(running.getSnapshot()).toMatchObject({ state: 'running', cancel: 'too_late' });
  api.on(cancelImport, () => ({ success: true, cancelled: true }));
  await running.cancel();
  expect(running.getSnapshot()).toMatchObject({ state: 'running', cancel: 'asked' });
  refuse(new ApiError('import_cancelled'));
  await vi.advanceTimersByTimeAsync(0);
  expect(running.getSnapshot()).toEqual({ state: 'ended', end: { end: 'cancelled' } });
});

test('cancelling can be retried when the server was unreachable', async () => {
  const { api, run } = start();
  api.fail(cancelImport, unreachable());
  const running = run();
  await running.cancel();
  expect(running.getSnapshot()).toMatchObject({ cancel: 'no' });
  running.close();
});

test('a resumed import is polled at once, not sent again, and followed to its end', async () => {
  const { api, realtime } = start();
  api.on(getImport, () => ({ success: true, res: { state: 'running', done: 5, total: 9 } }));
  const resumed = resumeImport({ api, realtime, importId });
  await vi.advanceTimersByTimeAsync(0);
  expect(resumed.getSnapshot()).toMatchObject({ state: 'running', done: 5, total: 9 });
  api.on(getImport, () => ({ success: true, res: { state: 'users', outcome } }));
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(resumed.getSnapshot()).toEqual({ state: 'ended', end: { end: 'stored', outcome } });
  expect(api.inputs(createMultipleUsers)).toEqual([]);
});

test('a resumed import that the server never knew is dropped silently', async () => {
  const { api, realtime } = start();
  api.fail(getImport, new ApiError('not_found'));
  const resumed = resumeImport({ api, realtime, importId });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(resumed.getSnapshot()).toEqual({ state: 'ended', end: { end: 'unknown' } });
});

test('a resumed import that the server forgot while it ran has stored nothing', async () => {
  const { api, realtime } = start();
  api.on(getImport, () => ({ success: true, res: { state: 'running', done: 5, total: 9 } }));
  const resumed = resumeImport({ api, realtime, importId });
  await vi.advanceTimersByTimeAsync(0);
  api.fail(getImport, new ApiError('not_found'));
  await vi.advanceTimersByTimeAsync(POLL_MS * 2);
  expect(resumed.getSnapshot()).toEqual({ state: 'ended', end: { end: 'forgotten' } });
});
