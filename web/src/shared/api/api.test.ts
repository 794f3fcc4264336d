import { exportActivities } from '@pressel/contract/activities';
import { getServerInfo, logIn, logOut } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { uploadFile } from '@pressel/contract/chat';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CHANNEL, messageOf } from '#test/chat-bench.ts';
import { type ApiDeps, createApi, type UploadRequest } from './api.ts';
import { errorCodeOf } from './api-error.ts';

const reply = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const refusal = (code: string, status: number) => reply({ success: false, result: 'no', code, params: {} }, status);

function start(answer: ApiDeps['fetch'], part: Partial<ApiDeps> = {}) {
  const refused: string[] = [];
  const api = createApi({
    fetch: answer,
    readToken: () => 'the-token',
    onUnauthenticated: (token) => refused.push(token),
    ...part,
  });
  return { api, refused };
}

const codeOf = (promise: Promise<unknown>) => promise.then(() => 'no error', errorCodeOf);

test('sends the token in its header and the body as JSON', async () => {
  const requests: Request[] = [];
  const { api } = start(async (path, init) => {
    requests.push(new Request(new URL(String(path), 'http://x'), init));
    return reply({ success: true, res: [], totalRecords: 0 });
  });
  await expect(api.call(getAllChannels, {})).resolves.toEqual({ success: true, res: [], totalRecords: 0 });
  expect(requests[0]?.headers.get('x-access-token')).toBe('the-token');
  await expect(requests[0]?.json()).resolves.toEqual({});
});

test('a call without a body is a plain GET', async () => {
  const inits: (RequestInit | undefined)[] = [];
  const { api } = start(async (_, init) => {
    inits.push(init);
    return refusal('internal', 500);
  });
  expect(await codeOf(api.call(getServerInfo, undefined))).toBe('internal');
  expect(inits[0]?.method).toBe('GET');
  expect(inits[0]?.body).toBeUndefined();
});

test('a session that the server ended is told with the token that was refused', async () => {
  const { api, refused } = start(async () => refusal('unauthenticated', 401));
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('unauthenticated');
  expect(refused).toEqual(['the-token']);
});

test('[AUTH23] the call that ends a session has its token, also again after a refusal, when the page has forgotten it and goes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let token: string | undefined = 'the-token';
  const sent: unknown[] = [];
  const { api } = start(
    async (_, init) => {
      sent.push([new Headers(init?.headers).get('x-access-token'), init?.keepalive]);
      return sent.length === 1 ? tooMany(1) : reply({ success: true });
    },
    { readToken: () => token },
  );
  const leaving = api.call(logOut, {}, { leaving: token });
  token = undefined;
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(leaving).resolves.toEqual({ success: true });
  expect(sent).toEqual(Array(2).fill(['the-token', true]));
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('unauthenticated');
  expect(sent).toHaveLength(2);
});

test('a wrong password at sign-in ends no session', async () => {
  const { api, refused } = start(async () => refusal('bad_credentials', 401));
  expect(await codeOf(api.call(logIn, { user_email: 'a@b.fr', user_password: 'x' }))).toBe('bad_credentials');
  expect(refused).toEqual([]);
});

test.each([
  ['no network', async () => Promise.reject(new TypeError('failed')), 'unreachable'],
  ["a proxy's error page", async () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unreachable'],
  ['a page instead of an answer', async () => new Response('<!doctype html>'), 'bad_reply'],
  ['an answer of another shape', async () => reply({ success: true, res: [{ id: 1 }] }), 'bad_reply'],
])('%s is its own failure', async (_, answer, code) => {
  expect(await codeOf(start(answer).api.call(getAllChannels, {}))).toBe(code);
});

test('silence ends as a timeout', async () => {
  const { api } = start(
    (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
    { timeoutMs: 5 },
  );
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('timeout');
});

test('a stream comes in parts, with how many records it has', async () => {
  const { api } = start(async () => new Response('a\r\nb\r\n', { headers: { 'x-total-records': '1' } }));
  const { total, parts } = await api.stream(exportActivities, {}, { signal: new AbortController().signal });
  let text = '';
  for await (const part of parts) text += new TextDecoder().decode(part);
  expect({ total, text }).toEqual({ total: 1, text: 'a\r\nb\r\n' });
});

test('a refused stream has the code of its refusal, one that breaks off is unreachable', async () => {
  const { signal } = new AbortController();
  const refusing = start(async () => refusal('unauthenticated', 401));
  expect(await codeOf(refusing.api.stream(exportActivities, {}, { signal }))).toBe('unauthenticated');
  expect(refusing.refused).toEqual(['the-token']);
  const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('reset')) });
  const { parts } = await start(async () => new Response(body)).api.stream(exportActivities, {}, { signal });
  const read = async () => {
    for await (const part of parts) expect.unreachable(`a part: ${part}`);
  };
  expect(await codeOf(read())).toBe('unreachable');
});

test('a cancelled stream rejects with the reason of its signal', async () => {
  const stop = new AbortController();
  const { api } = start(
    (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  );
  const asked = api.stream(exportActivities, {}, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

const tooMany = (retryAfterSeconds?: number) =>
  reply({ success: false, result: 'no', code: 'too_many', params: { retryAfterSeconds } }, 429);
const LIST = { success: true, res: [], totalRecords: 0 };

describe('a call beyond the allowance of its session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Creates an api whose server gives these answers one after the other, and repeats the last one. */
  function answering(...answers: (() => Response)[]) {
    let asked = 0;
    const { api } = start(async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      return answer?.() ?? expect.unreachable();
    });
    return { api, asked: () => asked };
  }
  const settled = <T>(promise: Promise<T>) => promise.then(() => 'done', errorCodeOf);

  test('[BUDGET7] is made again after the time that the server says, and nobody notices', async () => {
    const { api, asked } = answering(
      () => tooMany(2),
      () => reply(LIST),
    );
    const call = api.call(getAllChannels, {});
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked()).toBe(1);
    // Calls that were refused together don't all come back together.
    await vi.advanceTimersByTimeAsync(1_001);
    await expect(call).resolves.toEqual(LIST);
    expect(asked()).toBe(2);
  });

  test('[BUDGET7] says so where it would take long, as when passwords were tried', async () => {
    const { api, asked } = answering(() => tooMany(30));
    await expect(api.call(logIn, { user_email: 'a@b.fr', user_password: 'x' })).rejects.toMatchObject({
      code: 'too_many',
      params: { retryAfterSeconds: 30 },
    });
    expect(asked()).toBe(1);
  });

  test('[BUDGET7] says so where the server does not say how long to wait', async () => {
    const { api, asked } = answering(() => tooMany());
    expect(await settled(api.call(getAllChannels, {}))).toBe('too_many');
    expect(asked()).toBe(1);
  });

  test('[BUDGET7] gives up when it is refused again and again', async () => {
    const { api, asked } = answering(() => tooMany(1));
    const call = settled(api.call(getAllChannels, {}));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toBe('too_many');
    expect(asked()).toBe(4);
  });

  test('[BUDGET7] ends when it is cancelled while it waits', async () => {
    const { api, asked } = answering(() => tooMany(3));
    const cancelling = new AbortController();
    const call = api.call(getAllChannels, {}, { signal: cancelling.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    cancelling.abort(new Error('the page is gone'));
    await expect(call).rejects.toThrow('the page is gone');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(1);
  });

  test('[AUTH23] is not made again with the session of the next user', async () => {
    let token = 'the-token';
    let asked = 0;
    const answer = async () => {
      asked += 1;
      return tooMany(2);
    };
    const { api } = start(answer, { readToken: () => token });
    const call = settled(api.call(getAllChannels, {}));
    await vi.advanceTimersByTimeAsync(1_000);
    token = 'the-next-token';
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toBe('unauthenticated');
    expect(asked).toBe(1);
  });

  test('[BUDGET7] an export is asked for again, too', async () => {
    const { api, asked } = answering(
      () => tooMany(1),
      () => new Response('a\r\n'),
    );
    const stream = api.stream(exportActivities, {}, { signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await stream).toMatchObject({ parts: expect.anything() });
    expect(asked()).toBe(2);
  });
});

test('[APP19] a server that can’t read a call says which contract it speaks', async () => {
  const contracts: unknown[] = [];
  const body = { success: false, result: 'no', code: 'malformed', params: { contract: 'c2' } };
  const { api } = start(async () => reply(body, 400), { report: (contract) => contracts.push(contract) });
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('malformed');
  expect(contracts).toEqual(['c2']);
});

test.each([
  ['an answer of the server that can’t be read', 1, () => reply({ success: true, rows: [] })],
  ['a refusal that can’t be read', 1, () => refusal('a_newer_code', 409)],
  ['what comes from a proxy', 0, () => reply({ error: 'bad gateway' }, 400)],
  ['a page', 0, () => new Response('<!doctype html>')],
])('[APP14] %s is told as missed %i times', async (_, times, answer) => {
  let missed = 0;
  const { api } = start(async () => answer(), {
    report: () => {
      missed += 1;
    },
  });
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('bad_reply');
  expect(missed).toBe(times);
});

test('whoever has just signed out asks for nothing but what is public', async () => {
  const asked: string[] = [];
  const { api, refused } = start(
    async (path) => {
      asked.push(String(path));
      return refusal('internal', 500);
    },
    { readToken: () => undefined },
  );
  expect(await codeOf(api.call(getAllChannels, {}))).toBe('unauthenticated');
  expect(await codeOf(api.stream(exportActivities, {}, { signal: new AbortController().signal }))).toBe(
    'unauthenticated',
  );
  expect(asked).toEqual([]);
  expect(refused).toEqual([]);
  expect(await codeOf(api.call(getServerInfo, undefined))).toBe('internal');
  expect(asked).toEqual([getServerInfo.path]);
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function startUpload() {
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
  const { headers, sent, shares, done, answer, progress } = startUpload();
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
  const { done, answer, refused } = startUpload();
  answer(401, { success: false, result: 'no', code: 'unauthenticated', params: {} });
  expect(await done).toBe('unauthenticated');
  expect(refused).toEqual(['the-token']);
});

test('takes its time while it moves, and is given up when it does not', async () => {
  const { done, progress, aborts } = startUpload();
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
  const { done, answer, sent } = startUpload();
  answer(429, { success: false, result: 'no', code: 'too_many', params: { retryAfterSeconds: 1 } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toHaveLength(2);
  answer(200, { success: true, message: messageOf(1, { textMsg: 'South gate' }) });
  expect(await done).toBe('South gate');
});

test('can be cancelled', async () => {
  const { done, ending, aborts } = startUpload();
  ending.abort();
  expect(await done).toBe('internal');
  expect(aborts()).toBe(1);
});

test('a network that fails is unreachable', async () => {
  const { done, request } = startUpload();
  request.onerror?.call(request as XMLHttpRequest, new ProgressEvent('error'));
  expect(await done).toBe('unreachable');
});
