import { sendMessage, uploadFile } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { CHANNEL, ME, messageOf, OTHER } from '#test/chat-bench.ts';
import { createDevice, createServer } from '#test/outbox-bench.ts';
import { sampleId } from '#test/samples.ts';
import { verdictOn } from './outbox.ts';

const ELSEWHERE = sampleId(901) as ChannelId;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

test('[CHATS20][CHATS21] messages show at once, are sent in their order one after the other, and go when confirmed', async () => {
  const { outbox, api, shown, texts } = createDevice().open();
  const answers: (() => void)[] = [];
  const server = createServer();
  api.on(sendMessage, async (input) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return server.answer(input);
  });
  for (const text of ['a', 'b', 'c']) outbox.send({ channelId: CHANNEL, channelName: 'Nord', text });
  expect(shown()).toEqual(['a: waiting', 'b: waiting', 'c: waiting']);
  await settle();
  expect(texts()).toEqual(['a']);
  expect(shown()).toEqual(['a: sending', 'b: waiting', 'c: waiting']);
  answers[0]?.();
  await settle();
  expect(texts()).toEqual(['a', 'b']);
  expect(shown()).toEqual(['b: sending', 'c: waiting']);
  answers[1]?.();
  await settle();
  answers[2]?.();
  await settle();
  expect(shown()).toEqual([]);
  expect(server.texts()).toEqual(['a', 'b', 'c']);
});

test('[CHATS22] an attempt whose answer was lost is repeated with the same id', async () => {
  const { outbox, api } = createDevice().open();
  const server = createServer();
  let isLost = true;
  api.on(sendMessage, (input) => {
    const answer = server.answer(input);
    if (isLost) throw new ApiError('timeout');
    return answer;
  });
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'once' });
  await settle();
  isLost = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(api.inputs(sendMessage)).toHaveLength(2);
  expect(server.texts()).toEqual(['once']);
  expect(outbox.getSnapshot().entries).toEqual([]);
});

test('[CHATS20][CHATS23] what is written without a link outlives the page and is sent once, in order, when it is back', async () => {
  const device = createDevice();
  const before = device.open();
  before.realtime.setLink('down');
  before.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'one' });
  before.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'two' });
  await settle();
  expect(before.texts()).toEqual([]);
  before.outbox.close();

  const after = device.open();
  after.realtime.setLink('down');
  await settle();
  expect(after.shown()).toEqual(['one: waiting', 'two: waiting']);
  after.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'three' });
  await settle();
  const server = createServer();
  after.api.on(sendMessage, server.answer);
  after.realtime.setLink('up');
  await settle();
  expect(after.texts()).toEqual(['one', 'two', 'three']);
  expect(device.kept.size).toBe(0);
});

test('[CHATS23] another user of the same browser neither sees nor sends them', async () => {
  const device = createDevice();
  const mine = device.open();
  mine.realtime.setLink('down');
  mine.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'private' });
  await settle();
  mine.outbox.close();
  const theirs = device.open({ userId: OTHER });
  await settle();
  expect(theirs.shown()).toEqual([]);
  expect(theirs.texts()).toEqual([]);
  expect(device.kept.size).toBe(1);
});

test('[CHATS23] another user who signed in meanwhile, in another tab, sends nothing in their own name: it is refused, and kept', async () => {
  const device = createDevice();
  const { outbox, api, realtime, shown } = device.open();
  realtime.setLink('down');
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'by me' });
  outbox.send({
    channelId: CHANNEL,
    channelName: 'Nord',
    text: 'my picture',
    image: { blob: new Blob(['x']), name: 'a.png', width: 1, height: 1 },
  });
  await settle();
  // From here on the calls use the new session, and the server knows whose session it is.
  const asOther = ({ userId }: { userId?: string | undefined }) => {
    if (userId !== OTHER) throw new ApiError('forbidden');
    return { success: true, message: messageOf(1, { userId: OTHER }) };
  };
  api.on(sendMessage, asOther);
  api.on(uploadFile, asOther);
  realtime.setLink('up');
  await settle();
  expect([...api.inputs(sendMessage), ...api.inputs(uploadFile)].map(({ userId }) => userId)).toEqual([ME, ME]);
  expect(shown()).toEqual(['by me: failed', 'my picture: failed']);
  const theirs = device.open({ userId: OTHER });
  theirs.realtime.setLink('up');
  await settle();
  expect(theirs.shown()).toEqual([]);
  expect([...theirs.api.inputs(sendMessage), ...theirs.api.inputs(uploadFile)]).toEqual([]);
  expect([...device.kept.values()].map(({ userId, text }) => [userId, text])).toEqual([
    [ME, 'by me'],
    [ME, 'my picture'],
  ]);
});

test('[CHATS24] the server says how long to wait, and is obeyed', async () => {
  const { outbox, api, texts, shown } = createDevice().open();
  api.fail(sendMessage, new ApiError('too_many', { retryAfterSeconds: 20 }));
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'patient' });
  await settle();
  expect(shown()).toEqual(['patient: waiting']);
  api.on(sendMessage, createServer().answer);
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'next' });
  await vi.advanceTimersByTimeAsync(19_000);
  expect(texts()).toEqual(['patient']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(texts()).toEqual(['patient', 'patient', 'next']);
});

test('[CHATS24] without an answer it waits longer each time, 1 s to 30 s, a third more or less', () => {
  const after = (attempt: number, random = 0.5) => verdictOn(new ApiError('unreachable'), attempt, () => random);
  const pauses = [1, 2, 3, 6, 50].map((attempt) => after(attempt));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 30_000, 30_000].map((afterMs) => ({ isFinal: false, afterMs })));
  expect(after(1, 0)).toEqual({ isFinal: false, afterMs: 667 });
});

test('[CHATS24] a link that is back is used at once', async () => {
  const { outbox, api, realtime, texts } = createDevice().open();
  api.fail(sendMessage, new ApiError('unreachable'));
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'now' });
  await settle();
  realtime.setLink('down');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts()).toEqual(['now']);
  api.on(sendMessage, createServer().answer);
  realtime.setLink('up');
  await settle();
  expect(texts()).toEqual(['now', 'now']);
  expect(outbox.getSnapshot().entries).toEqual([]);
});

test('[CHATS25][CHATS27] a refusal is final and keeps the text; others go on; it can be tried again or dropped by hand', async () => {
  const device = createDevice();
  const { outbox, api, shown } = device.open();
  const server = createServer();
  api.on(sendMessage, (input) => {
    if (input.channelId === CHANNEL) throw new ApiError('not_a_member');
    return server.answer(input);
  });
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'kept' });
  outbox.send({ channelId: ELSEWHERE, channelName: 'Sud', text: 'sent' });
  await settle();
  expect(shown()).toEqual(['kept: failed']);
  expect([...device.kept.values()]).toMatchObject([{ text: 'kept', failure: 'not_a_member' }]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(server.texts()).toEqual(['sent']);
  api.on(sendMessage, server.answer);
  const [entry] = outbox.getSnapshot().entries;
  if (entry !== undefined) outbox.retry(entry.clientId);
  await settle();
  expect(server.texts()).toEqual(['sent', 'kept']);
  expect(shown()).toEqual([]);
});

test('[CHATS25] a message that was dropped is never sent', async () => {
  const device = createDevice();
  const { outbox, realtime, texts } = device.open();
  realtime.setLink('down');
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'no' });
  const [entry] = outbox.getSnapshot().entries;
  if (entry !== undefined) outbox.discard(entry.clientId);
  await settle();
  realtime.setLink('up');
  await settle();
  expect([texts(), device.kept.size]).toEqual([[], 0]);
});

test.each([true, false])('[CHATS26] two tabs send each message once (locks: %s)', async (hasLocks) => {
  const device = createDevice();
  const tabs = [device.open({ hasLocks }), device.open({ hasLocks })];
  const server = createServer();
  for (const { api, realtime } of tabs) {
    realtime.setLink('down');
    api.on(sendMessage, async (input) => {
      await Promise.resolve();
      return server.answer(input);
    });
  }
  tabs[0]?.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'a' });
  await vi.advanceTimersByTimeAsync(1);
  tabs[1]?.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'b' });
  await settle();
  expect(tabs.map(({ shown }) => shown())).toEqual([
    ['a: waiting', 'b: waiting'],
    ['a: waiting', 'b: waiting'],
  ]);
  for (const { realtime } of tabs) realtime.setLink('up');
  await settle();
  expect(server.texts()).toEqual(['a', 'b']);
  expect(tabs.map(({ shown }) => shown())).toEqual([[], []]);
  if (hasLocks) expect(tabs.flatMap(({ texts }) => texts())).toHaveLength(2);
});

test('[CHATS28] a message that was stored and deleted before its answer came is gone', async () => {
  const { outbox, api, shown, texts } = createDevice().open();
  api.fail(sendMessage, new ApiError('not_found', { what: 'message' }));
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'gone' });
  await settle();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([shown(), texts()]).toEqual([[], ['gone']]);
});

test('[CHATS29] an image goes with its words, shows how much was sent, and can be cancelled', async () => {
  const device = createDevice();
  const { outbox, api } = device.open();
  const aborted: unknown[] = [];
  api.upload = (_call, _input, _file, options) =>
    new Promise((_, reject) => {
      options?.onProgress?.(0.25);
      options?.signal?.addEventListener('abort', () => {
        aborted.push(true);
        reject(options.signal?.reason);
      });
    });
  const image = { blob: new Blob(['x']), name: 'gate.jpg', width: 4, height: 3 };
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'South gate', image });
  await settle();
  const [entry] = outbox.getSnapshot().entries;
  expect(entry).toMatchObject({ state: 'sending', progress: 0.25 });
  if (entry !== undefined) outbox.discard(entry.clientId);
  await settle();
  expect([aborted, outbox.getSnapshot().entries, device.kept.size]).toEqual([[true], [], 0]);
});

test('[CHATS29] text and images of a channel keep their order', async () => {
  const { outbox, api } = createDevice().open();
  const server = createServer();
  api.on(sendMessage, server.answer);
  api.on(uploadFile, ({ textMsg, clientId }) => server.answer({ message: textMsg, clientId }));
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'before' });
  outbox.send({
    channelId: CHANNEL,
    channelName: 'Nord',
    text: 'image',
    image: { blob: new Blob(['x']), name: 'a.png', width: 1, height: 1 },
  });
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'after' });
  await settle();
  expect(server.texts()).toEqual(['before', 'image', 'after']);
  expect(api.files.map(({ name }) => name)).toEqual(['a.png']);
});

test('[CHATS30] what a store that can’t be read doesn’t name is neither forgotten nor stopped: it is sent, once', async () => {
  const device = createDevice();
  const { outbox, api, realtime, shown } = device.open();
  const server = createServer();
  const answers: (() => void)[] = [];
  api.on(sendMessage, async (input) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return server.answer(input);
  });
  realtime.setLink('down');
  for (const text of ['a', 'b']) outbox.send({ channelId: CHANNEL, channelName: 'Nord', text });
  await settle();
  device.setFailing(true);
  realtime.setLink('up');
  await settle();
  expect(shown()).toEqual(['a: sending', 'b: waiting']);
  expect(outbox.getSnapshot().isLasting).toBe(false);
  // News from another tab, while the device still can't be read.
  realtime.setLink('down');
  realtime.setLink('up');
  await settle();
  expect(shown()).toEqual(['a: sending', 'b: waiting']);
  answers[0]?.();
  await settle();
  answers[1]?.();
  await settle();
  expect([server.texts(), shown()]).toEqual([['a', 'b'], []]);
});

test('[CHATS30] what the device could not be asked for at first is sent as soon as it can', async () => {
  const device = createDevice();
  const before = device.open();
  before.realtime.setLink('down');
  before.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'late' });
  await settle();
  before.outbox.close();
  device.setFailing(true);
  const after = device.open();
  after.api.on(sendMessage, createServer().answer);
  await settle();
  expect([after.shown(), after.outbox.getSnapshot().isLasting]).toEqual([[], false]);
  device.setFailing(false);
  await settle();
  expect([after.texts(), after.shown(), after.outbox.getSnapshot().isLasting]).toEqual([['late'], [], true]);
});

test('[CHATS29] a waiting picture stays the same while the store is read again: it isn’t loaded anew', async () => {
  const device = createDevice();
  const [one, other] = [device.open(), device.open()];
  for (const { realtime } of [one, other]) realtime.setLink('down');
  const image = { blob: new Blob(['x']), name: 'gate.jpg', width: 4, height: 3 };
  one.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: '', image });
  await settle();
  const pictures = () => [one, other].map(({ outbox }) => outbox.getSnapshot().entries[0]?.image?.blob);
  const before = pictures();
  expect(before[0]).toBe(image.blob);
  other.outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'next' });
  await settle();
  expect(one.shown()).toEqual([': waiting', 'next: waiting']);
  for (const [index, blob] of pictures().entries()) expect(blob).toBe(before[index]);
});

test('[CHATS35] an image that the server cannot store for now steps aside: texts after it are sent, and it is sent later', async () => {
  const { outbox, api, shown, texts } = createDevice().open();
  const server = createServer();
  api.on(sendMessage, server.answer);
  let isAway = true;
  api.on(uploadFile, ({ textMsg, clientId }) => {
    if (isAway) throw new ApiError('unavailable', { retryAfterSeconds: 30 });
    return server.answer({ message: textMsg, clientId });
  });
  const image = { blob: new Blob(['x']), name: 'x.webp', width: 1, height: 1 };
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'image', image });
  outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'after it' });
  await settle();
  expect([texts(), shown()]).toEqual([['after it'], ['image: waiting']]);
  expect(outbox.getSnapshot().entries).toMatchObject([{ isAside: true }]);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(api.inputs(uploadFile)).toHaveLength(1);
  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([api.inputs(uploadFile).length, shown()]).toEqual([2, []]);
});
