import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { S3Config } from '#src/config/config.ts';
import type { FileStore } from './file-store.ts';
import { createBucket, openBucket } from './s3.ts';

const SECRET = 'a-secret-key-of-the-bucket';
const PATIENCE = { answerMs: 300, pauseMs: 1, probeMs: 50 };
const IMAGE = Buffer.from('image');
const MESSAGE_NAME = 'messages/0123456789abcdef0123456789abcdef.webp';
const OK = { status: 200, body: '' };
const refusal = (status: number, code: string) => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${SECRET} ${MESSAGE_NAME}</Message></Error>`,
});
const EMPTY_LIST = { status: 200, body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>' };

/** A store with scripted answers, one after the other; the last one repeats for ever. */
describe('a store that is in trouble', () => {
  let server: Server;
  let config: S3Config;
  let files: FileStore;
  let answers: ({ status: number; body: string } | 'nothing' | 'hang up' | 'half')[];
  let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[];
  const log = { error: vi.fn(), info: vi.fn() };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    if (next === 'hang up') return request.socket.destroy();
    if (next === 'half') {
      response.writeHead(200, { 'content-length': '100' }).write('half of it');
      return;
    }
    if (next === 'nothing' || next === undefined) return;
    response.writeHead(next.status, { 'content-type': 'application/xml' }).end(next.body);
  };
  beforeEach(async () => {
    answers = [OK];
    asked = [];
    log.error.mockClear();
    log.info.mockClear();
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    config = {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...{ region: 'garage', bucket: 'radio', prefix: 'north/', accessKeyId: 'AKID', secretAccessKey: SECRET },
    };
    files = createBucket(config, { log, patience: PATIENCE });
  });
  afterEach(() => {
    files.close();
    server.closeAllConnections();
    server.close();
  });
  const unavailable = { code: 'unavailable', params: { retryAfterSeconds: expect.any(Number) } };
  const put = () => files.put(MESSAGE_NAME, IMAGE);

  test('FILE1: what is sent has a checksum within the signature, so that a damaged upload is refused', async () => {
    await put();
    const [{ method, url, headers, body } = asked[0] as never] = asked;
    expect([method, url, body]).toEqual(['PUT', `/radio/north/${MESSAGE_NAME}`, IMAGE]);
    expect(headers['content-md5']).toBe(createHash('md5').update(IMAGE).digest('base64'));
    expect(headers.authorization).toMatch(
      /Credential=AKID\/\d{8}\/garage\/s3\/aws4_request, SignedHeaders=content-md5;/u,
    );
  });

  test.each([
    ['is busy', refusal(503, 'SlowDown')],
    ['fails', refusal(500, 'InternalError')],
    ['got a damaged upload', refusal(400, 'BadDigest')],
    ['hangs up', 'hang up' as const],
  ])('FILE5: one that %s is asked again, and nobody notices', async (_what, first) => {
    answers = [first, first, OK];
    await put();
    expect(asked.map(({ body }) => body)).toEqual([IMAGE, IMAGE, IMAGE]);
    expect(log.error).not.toHaveBeenCalled();
  });

  test.each([
    ['that is busy', refusal(503, 'SlowDown'), '503 SlowDown'],
    ['that hangs up', 'hang up' as const, expect.any(String)],
    ['that never answers', 'nothing' as const, 'NoAnswerInTime'],
    ['whose bucket is gone', refusal(404, 'NoSuchBucket'), '404 NoSuchBucket'],
    ['that lets us in no more', refusal(403, 'AccessDenied'), '403 AccessDenied'],
    ['that answers what nobody knows', { status: 418, body: 'tea' }, '418 418'],
  ])(
    'FILE5: of one %s every call is unavailable, with a time to wait, and the log has neither name nor secret',
    async (_what, given, reason) => {
      answers = [given];
      await expect(put()).rejects.toMatchObject(unavailable);
      await expect(files.get(MESSAGE_NAME)).rejects.toMatchObject(unavailable);
      await expect(files.head(MESSAGE_NAME)).rejects.toMatchObject(unavailable);
      await expect(files.remove([MESSAGE_NAME])).rejects.toMatchObject(unavailable);
      await expect(files.ping()).rejects.toMatchObject(unavailable);
      expect(log.error.mock.calls).toEqual([[{ reason }, 'files_unavailable']]);
      expect(JSON.stringify(log.error.mock.calls)).not.toMatch(/secret|0123456789abcdef/u);
    },
  );

  test('FILE5: the error itself has neither name nor secret, whoever logs it', async () => {
    answers = [refusal(403, 'AccessDenied')];
    const error: Error = await put().then(
      () => new Error('stored'),
      (failure) => failure,
    );
    expect(`${error.stack}${(error.cause as Error).stack}`).not.toMatch(/a-secret|0123456789abcdef|AKID/u);
  });

  test('FILE6: while it is away, one request in a while asks for it and all others fail at once; then all is as before', async () => {
    answers = [refusal(503, 'SlowDown')];
    await expect(put()).rejects.toMatchObject(unavailable);
    // The next request probes the store; those that come meanwhile don't.
    await Promise.allSettled(Array.from({ length: 20 }, put));
    expect(asked).toHaveLength(4);
    answers = [OK];
    await vi.waitFor(put);
    await Promise.all(Array.from({ length: 5 }, put));
    expect(log.info.mock.calls).toEqual([['files_back']]);
    expect(log.error).toHaveBeenCalledTimes(1);
  });

  test('FILE6: one file that is refused keeps no other from being asked for', async () => {
    answers = [refusal(400, 'KeyTooLongError'), OK];
    await expect(put()).rejects.toMatchObject(unavailable);
    await put();
  });

  test('an answer that stops in the middle ends as a failure, not as a shorter file', async () => {
    answers = ['half'];
    const found = await files.get(MESSAGE_NAME);
    expect(found?.bytes).toBe(100);
    if (found === null) throw new Error('Not found');
    await expect(buffer(found.stream)).rejects.toThrow();
  });

  test('a file that is not there is null, and what could not be removed is a failure', async () => {
    answers = [refusal(404, 'NoSuchKey')];
    expect(await files.get(MESSAGE_NAME)).toBeNull();
    answers = [
      { status: 200, body: `<DeleteResult><Error><Key>x</Key><Code>InternalError</Code></Error></DeleteResult>` },
    ];
    await expect(files.remove([MESSAGE_NAME])).rejects.toMatchObject(unavailable);
  });

  test('an end of the process waits for no answer', async () => {
    answers = ['nothing'];
    files = createBucket(config, { log, patience: { ...PATIENCE, answerMs: 60_000 } });
    const stored = put();
    stored.catch(() => undefined);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    files.close();
    await expect(stored).rejects.toMatchObject(unavailable);
    expect(log.error).not.toHaveBeenCalled();
  });

  test.each([
    [refusal(403, 'SignatureDoesNotMatch'), 'AWS_SECRET_ACCESS_KEY'],
    [refusal(403, 'InvalidAccessKeyId'), 'AWS_ACCESS_KEY_ID'],
    [refusal(404, 'NoSuchBucket'), 'has no bucket radio. Make it'],
    [refusal(400, 'AuthorizationHeaderMalformed'), 'AWS_REGION'],
    [refusal(301, 'PermanentRedirect'), 'AWS_REGION'],
    [{ status: 404, body: 'no S3 here' }, 'AWS_ENDPOINT_URL_S3'],
    [{ status: 200, body: '<html>a page</html>' }, 'AWS_ENDPOINT_URL_S3'],
  ])('FILE7: a start says in one sentence what to correct', async (given, words) => {
    answers = [given];
    const opening = openBucket(config, { log, patience: PATIENCE });
    await expect(opening).rejects.toThrow(words);
    await expect(opening).rejects.not.toThrow(SECRET);
  });

  test('FILE7: a start waits for no store that is away, and the log says so', async () => {
    answers = ['hang up'];
    const opened = await openBucket(config, { log, patience: PATIENCE });
    expect(log.error).toHaveBeenCalledWith({ reason: expect.any(String) }, 'files_unavailable');
    answers = [EMPTY_LIST];
    await vi.waitFor(() => opened.ping());
    opened.close();
  });
});
