import { uploadFile } from '@pressel/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHANNEL, messageOf } from '#test/chat-bench.ts';
import { createApi } from './api.ts';
import { errorCodeOf } from './api-error.ts';
import type { UploadRequest } from './upload.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const headers: Record<string, string> = {};
  const sent: FormData[] = [];
  let aborts = 0;
  const request = {
    status: 0,
    responseText: '',
    upload: { onprogress: null, onload: null },
    onload: null,
    onerror: null,
    onabort: null,
    open() {},
    setRequestHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    send: (form: FormData) => sent.push(form),
    abort: () => {
      aborts += 1;
    },
  } as unknown as UploadRequest & { status: number; responseText: string };
  const refused: string[] = [];
  const api = createApi({
    fetch: () => Promise.reject(new Error('not by fetch')),
    readToken: () => 'the-token',
    onUnauthenticated: (token) => refused.push(token),
    openRequest: () => request,
  });
  const shares: number[] = [];
  const ending = new AbortController();
  const done = api
    .upload(
      uploadFile,
      { channelId: CHANNEL, textMsg: 'South gate' },
      { blob: new Blob(['image']), name: 'gate.jpg' },
      { signal: ending.signal, onProgress: (share) => shares.push(share) },
    )
    .then((reply) => reply.message.textMsg, errorCodeOf);
  const answer = (status: number, body: unknown) => {
    Object.assign(request, { status, responseText: JSON.stringify(body) });
    request.onload?.call(request as XMLHttpRequest, new ProgressEvent('load'));
  };
  const progress = (loaded: number) =>
    request.upload.onprogress?.call(
      request as XMLHttpRequest,
      new ProgressEvent('progress', { lengthComputable: true, loaded, total: 100 }),
    );
  return { request, headers, sent, shares, ending, done, answer, progress, refused, aborts: () => aborts };
}

test('sends the fields, then the file, with the token, and tells how much was sent', async () => {
  const { headers, sent, shares, done, answer, progress } = start();
  progress(25);
  progress(100);
  answer(200, { success: true, message: messageOf(1, { textMsg: 'South gate' }) });
  expect(await done).toBe('South gate');
  expect([...(sent[0]?.keys() ?? [])]).toEqual(['channelId', 'textMsg', 'image']);
  expect(sent[0]?.get('image')).toMatchObject({ name: 'gate.jpg' });
  expect(headers['x-access-token']).toBe('the-token');
  expect(shares).toEqual([0.25, 1]);
});

test('a refusal has its code, and ends a session that the server ended', async () => {
  const { done, answer, refused } = start();
  answer(401, { success: false, result: 'no', code: 'unauthenticated', params: {} });
  expect(await done).toBe('unauthenticated');
  expect(refused).toEqual(['the-token']);
});

test('takes its time while it moves, and is given up when it does not', async () => {
  const { done, progress, aborts } = start();
  for (let share = 1; share <= 20; share += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    progress(share);
  }
  expect(aborts()).toBe(0);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await done).toBe('timeout');
  expect(aborts()).toBe(1);
});

test('[BUDGET7] beyond the allowance is sent again after the time that the server says', async () => {
  const { done, answer, sent } = start();
  answer(429, { success: false, result: 'no', code: 'too_many', params: { retryAfterSeconds: 1 } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toHaveLength(2);
  answer(200, { success: true, message: messageOf(1, { textMsg: 'South gate' }) });
  expect(await done).toBe('South gate');
});

test('can be cancelled', async () => {
  const { done, ending, aborts } = start();
  ending.abort();
  expect(await done).toBe('internal');
  expect(aborts()).toBe(1);
});

test('a network that fails is unreachable', async () => {
  const { done, request } = start();
  request.onerror?.call(request as XMLHttpRequest, new ProgressEvent('error'));
  expect(await done).toBe('unreachable');
});
