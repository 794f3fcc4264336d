import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { slowPng } from '#test/hostile-images.ts';
import { waitUntil } from '#test/wait-until.ts';
import type { ImageJob, ProcessLimits } from './job.ts';
import { createMaker, type Maker, startImageProcess } from './maker.ts';

const jobOf = (bytes: Buffer): ImageJob => ({
  bytes,
  sizes: [{ width: 4_096, height: 4_096, fit: 'inside' }],
  isAnimationKept: false,
});
const SMALL = jobOf(
  await sharp({ create: { width: 40, height: 20, channels: 3, background: '#40a060' } })
    .png()
    .toBuffer(),
);
/** Takes seconds, so that the test acts while it is under way. */
const SLOW = jobOf(slowPng());

describe('CHAT36: the process that makes images', () => {
  let children: ChildProcess[];
  let warnings: unknown[];
  let maker: Maker;
  const create = (limits?: Partial<ProcessLimits>) =>
    createMaker({
      log: { warn: (...line: unknown[]) => warnings.push(line) },
      start: () => {
        const child = startImageProcess(limits);
        children.push(child);
        return child;
      },
    });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    children = [];
    warnings = [];
    maker = create();
  });
  afterEach(() => {
    maker.close();
    vi.useRealTimers();
  });
  const isAlive = (child: ChildProcess | undefined) => child?.exitCode === null && child.signalCode === null;
  const ended = async (child: ChildProcess | undefined) => {
    if (child !== undefined && isAlive(child)) await once(child, 'exit');
  };

  test('starts with the first image, makes the next too, and ends when there is none for a while', async () => {
    expect(children).toEqual([]);
    for (let round = 0; round < 3; round += 1)
      expect(await maker.make(SMALL)).toMatchObject([{ width: 40, height: 20 }]);
    expect(children).toHaveLength(1);
    vi.advanceTimersByTime(59_000);
    expect(isAlive(children[0])).toBe(true);
    await maker.make(SMALL);
    vi.advanceTimersByTime(59_000);
    expect(isAlive(children[0])).toBe(true);
    vi.advanceTimersByTime(1_000);
    await ended(children[0]);
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
    expect(children).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  test('is killed from outside when the time of an image is over; the next one gets another', async () => {
    const making = maker.make(SLOW);
    vi.advanceTimersByTime(29_999);
    expect(isAlive(children[0])).toBe(true);
    vi.advanceTimersByTime(1);
    await expect(making).rejects.toMatchObject({ code: 'too_large' });
    await ended(children[0]);
    expect(children[0]?.signalCode).toBe('SIGKILL');
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
    expect(children).toHaveLength(2);
    expect(warnings).toEqual([[{ reason: 'time' }, 'image_process_killed']]);
  });

  test.each([
    ['time', { cpuMs: 1 }],
    ['memory', { memoryBytes: 1 }],
  ] as const)('is killed when an image takes more %s than it may', async (reason, limits) => {
    maker = create(limits);
    await expect(maker.make(SLOW)).rejects.toMatchObject({ code: 'too_large' });
    await ended(children[0]);
    expect(warnings).toEqual([[{ reason }, 'image_process_killed']]);
  });

  test('is replaced when it keeps much memory, so that no later image pays for an earlier one', async () => {
    maker = create({ keptBytes: 1 });
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
    await ended(children[0]);
    await expect(maker.make(jobOf(Buffer.from('no image')))).rejects.toMatchObject({ code: 'wrong_type' });
    await ended(children[1]);
    expect([children.length, warnings]).toEqual([2, []]);
  });

  // Only where the system shows a process's settings: the rest is the same everywhere.
  test.runIf(process.platform === 'linux')(
    'has a lower priority, and nothing of the server’s environment',
    async () => {
      await maker.make(SMALL);
      const pid = children[0]?.pid ?? 0;
      const variables = (await readFile(`/proc/${pid}/environ`, 'latin1'))
        .split('\0')
        .map((line) => line.split('=')[0]);
      expect(variables.toSorted()).toEqual([
        '',
        'NODE_CHANNEL_FD',
        'NODE_CHANNEL_SERIALIZATION_MODE',
        'UV_THREADPOOL_SIZE',
      ]);
      expect(getPriority(pid)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    },
  );

  test.each([
    ['SIGSEGV', 'wrong_type'],
    ['SIGABRT', 'wrong_type'],
    ['SIGKILL', 'unavailable'],
    ['SIGTERM', 'unavailable'],
  ] as const)('that dies of %s says %s of what it made, and the next image gets another', async (signal, code) => {
    await maker.make(SMALL);
    const making = maker.make(SLOW);
    children[0]?.kill(signal);
    await expect(making).rejects.toMatchObject({ code });
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
    expect(warnings).toEqual([[{ cause: signal }, 'image_process_died']]);
  });

  test('that dies while it is idle is replaced', async () => {
    await maker.make(SMALL);
    children[0]?.kill('SIGKILL');
    await ended(children[0]);
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
  });

  test('that says what nobody understands is killed, and the next image gets another', async () => {
    const speak = `process.on('message', () => process.send({ state: 'made', images: 'none' }))`;
    const speaking = spawn(process.execPath, ['--eval', speak], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const starts = [() => speaking, startImageProcess];
    maker = createMaker({
      log: { warn: (...line: unknown[]) => warnings.push(line) },
      start: () => starts.shift()?.() ?? startImageProcess(),
    });
    await expect(maker.make(SMALL)).rejects.toMatchObject({ code: 'unavailable' });
    await ended(speaking);
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
    expect(warnings).toEqual([[{ cause: 'unknown reply' }, 'image_process_died']]);
  });

  test('that can’t be started makes an image unavailable, and the next one tries again', async () => {
    const failing = spawn('/nowhere/node', { stdio: 'ignore' });
    let isFailing = true;
    maker = createMaker({
      log: { warn: () => undefined },
      start: () => {
        if (isFailing) return failing;
        return startImageProcess();
      },
    });
    await expect(maker.make(SMALL)).rejects.toMatchObject({ code: 'unavailable' });
    await new Promise((resolve) => setImmediate(resolve));
    isFailing = false;
    expect(await maker.make(SMALL)).toMatchObject([{ width: 40 }]);
  });

  test('ends with what it does when the server ends, and makes nothing more', async () => {
    const making = maker.make(SLOW);
    maker.close();
    await expect(making).rejects.toMatchObject({ code: 'unavailable' });
    await expect(maker.make(SMALL)).rejects.toMatchObject({ code: 'unavailable' });
    await ended(children[0]);
    expect([children.length, warnings]).toEqual([1, []]);
  });
});

test('CHAT36: it ends with its server, however that ends, in the middle of an image', async () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import { startImageProcess } from ${JSON.stringify(fileURLToPath(new URL('./maker.ts', import.meta.url)))};
    const child = startImageProcess();
    child.on('message', () => console.log('made'));
    child.send({ bytes: readFileSync(0), sizes: [{ width: 4096, height: 4096, fit: 'inside' }], isAnimationKept: false });
    console.log(child.pid);
  `;
  const server = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  server.stdin.end(SLOW.bytes);
  const [line] = await once(server.stdout, 'data');
  const pid = Number(line);
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  expect(isThere()).toBe(true);
  server.kill('SIGKILL');
  await waitUntil(() => !isThere());
});
