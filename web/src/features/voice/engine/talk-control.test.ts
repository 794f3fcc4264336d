import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok, unavailable } from '#test/fake-signalling.ts';
import { denied, granted, holdAnswers, queued, type Request, sent } from '#test/floor-replies.ts';
import { checkRuns } from '#test/random-source.ts';
import { type Bench, CHANNEL, floorOf, openRoom } from '#test/voice-bench.ts';
import { UNHEARD_SHOWN_MS } from './talk-control.ts';

const talk = ({ room }: Bench) => room.getSnapshot().talk;
const take = (bench: Bench, ...talkers: string[]) => bench.signalling.emit('floor_changed', floorOf(2, talkers));

test('[TALK41] a press on an idle floor opens the microphone before the answer', async () => {
  const bench = await openRoom();
  const answer = holdAnswers(bench);
  bench.room.press();
  expect(bench.isMicOpen()).toBe(true);
  expect(talk(bench)).toMatchObject({ state: 'asking', open: true });
  await answer(granted({ seq: 1 }));
  expect(talk(bench)).toEqual({ state: 'talking', since: bench.clock.now(), endsAt: bench.clock.now() + 30_000 });
});

test('[TALK41] in an open channel too, whoever else talks', async () => {
  const bench = await openRoom({ others: ['bob'] });
  bench.signalling.emit('floor_changed', floorOf(2, ['bob'], { mode: 'open' }));
  bench.room.press();
  expect(bench.isMicOpen()).toBe(true);
});

test('[TALK42] a press on a taken floor opens the microphone only when granted', async () => {
  const bench = await openRoom({ others: ['bob'] });
  take(bench, 'bob');
  const answer = holdAnswers(bench);
  bench.room.press();
  expect(bench.isMicOpen()).toBe(false);
  await answer(granted({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(true);
});

test.each([
  ['denied', denied, { state: 'denied', reason: 'taken', talkerName: 'bob' }],
  ['queued', queued, { state: 'queued', position: 1, size: 2 }],
] as const)(
  '[TALK43] %s closes at once a microphone that was opened before the answer',
  async (_name, reply, shown) => {
    const bench = await openRoom();
    const answer = holdAnswers(bench);
    bench.room.press();
    await answer(reply({ seq: 1 }));
    expect(bench.isMicOpen()).toBe(false);
    expect(talk(bench)).toMatchObject(shown);
    bench.room.release();
    expect(sent(bench)).toEqual(['request 1', 'release 2']);
    expect(talk(bench)).toEqual({ state: 'idle' });
  },
);

test('[TALK44] after a revocation a key that is still down does nothing', async () => {
  const bench = await openRoom();
  bench.room.press();
  await settle();
  bench.signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq: 1, reason: 'time_limit' });
  bench.room.press();
  bench.signalling.emit('floor_reply', granted({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(false);
  expect(sent(bench)).toEqual(['request 1']);
});

test('[TALK45] a grant that comes after the release opens nothing and sends nothing more', async () => {
  const bench = await openRoom({ others: ['bob'] });
  take(bench, 'bob');
  const answer = holdAnswers(bench);
  bench.room.press();
  bench.room.release();
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
  await answer(granted({ seq: 1 }));
  bench.signalling.emit('floor_reply', granted({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toEqual({ state: 'idle' });
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
});

test('[TALK45] answers about an earlier press change nothing', async () => {
  const bench = await openRoom({ others: ['bob'] });
  take(bench, 'bob');
  const first = holdAnswers(bench);
  bench.room.press();
  bench.room.release();
  holdAnswers(bench);
  bench.room.press();
  await first(granted({ seq: 1 }));
  bench.signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq: 1, reason: 'preempted' });
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench).state).toBe('asking');
  expect(sent(bench)).toEqual(['request 1', 'release 2', 'request 3']);
});

test('[TALK47] the tail keeps the microphone open after a release, then it closes before the server is told', async () => {
  const bench = await openRoom({ tailMs: 300 });
  bench.room.press();
  await settle();
  let wasOpen: boolean | null = null;
  bench.signalling.answer('floor_release', ({ seq }) => {
    wasOpen = bench.isMicOpen();
    return ok<'floor_release'>({ type: 'released', channelId: CHANNEL, seq });
  });
  bench.room.release();
  expect(talk(bench).state).toBe('ending');
  await bench.clock.advance(299);
  expect(bench.isMicOpen()).toBe(true);
  expect(sent(bench)).toEqual(['request 1']);
  await bench.clock.advance(1);
  expect(wasOpen).toBe(false);
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
});

test('[TALK47] a press within the tail goes on with the same talk', async () => {
  const bench = await openRoom();
  bench.room.press();
  await settle();
  const before = talk(bench);
  bench.room.release();
  await bench.clock.advance(150);
  bench.room.press();
  await bench.clock.advance(1_000);
  expect(bench.isMicOpen()).toBe(true);
  expect(talk(bench)).toEqual(before);
  expect(sent(bench)).toEqual(['request 1']);
});

test('[TALK47] the tail also applies before the answer, and a refusal closes the microphone at once', async () => {
  const bench = await openRoom();
  const answer = holdAnswers(bench);
  bench.room.press();
  await bench.clock.advance(100);
  bench.room.release();
  expect(bench.isMicOpen()).toBe(true);
  await answer(denied({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(false);
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
  expect(talk(bench)).toEqual({ state: 'unheard' });
});

test('[TALK47] stop has no tail, also when it comes within one', async () => {
  const bench = await openRoom();
  bench.room.press();
  await settle();
  bench.room.release();
  bench.room.stop();
  expect(bench.isMicOpen()).toBe(false);
  await bench.clock.advance(1_000);
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
});

test('[TALK48] a request without an answer closes the microphone and takes the request back', async () => {
  const bench = await openRoom();
  const answer = holdAnswers(bench);
  bench.room.press();
  await answer('lost');
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toMatchObject({ state: 'denied', reason: 'unanswered' });
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
  expect(bench.audio.tones).toEqual(['392,294,196']);
});

test('[TALK81] warns in the last five seconds, and ends by itself should the server not', async () => {
  const bench = await openRoom();
  bench.room.press();
  await bench.clock.advance(24_999);
  const tones = bench.audio.tones.length;
  await bench.clock.advance(1);
  expect(bench.audio.tones).toHaveLength(tones + 1);
  await bench.clock.advance(5_000);
  expect(bench.isMicOpen()).toBe(true);
  await bench.clock.advance(500);
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toMatchObject({ state: 'revoked', reason: 'time_limit' });
});

test('[TALK82] a queued press that is granted opens the microphone and says so', async () => {
  const bench = await openRoom({ others: ['bob'] });
  take(bench, 'bob');
  const answer = holdAnswers(bench);
  bench.room.press();
  await answer(queued({ seq: 1 }));
  const tones = bench.audio.tones.length;
  bench.signalling.emit('floor_reply', granted({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(true);
  expect(talk(bench).state).toBe('talking');
  expect(bench.audio.tones).toHaveLength(tones + 1);
});

test('tones can be switched off', async () => {
  const bench = await openRoom();
  bench.room.setPreferences({ tones: false, tailMs: 0, hearsOwnDevices: false, volumes: {}, roomVolume: 1 });
  bench.room.press();
  await settle();
  bench.room.release();
  expect(bench.audio.tones).toEqual([]);
  expect(bench.isMicOpen()).toBe(false);
});

test('a press without a microphone or without a link says so and asks for nothing', async () => {
  const bench = await openRoom();
  bench.microphones.permit('denied');
  bench.room.press();
  expect(talk(bench)).toMatchObject({ state: 'denied', reason: 'microphone' });
  bench.room.release();
  bench.signalling.setLink('down');
  bench.room.press();
  expect(talk(bench)).toMatchObject({ state: 'denied', reason: 'link' });
  bench.room.release();
  expect(talk(bench)).toEqual({ state: 'idle' });
  expect(sent(bench)).toEqual([]);
});

test('[TALK40] whatever happens in whatever order, an open microphone means pressed or in the tail', async () => {
  let opened = 0;
  await checkRuns({ runs: 60, steps: 250 }, async (random, steps) => {
    const { pick, below } = random;
    const tailMs = pick(0, 100, 200, 1_000);
    const bench = await openRoom({ others: ['bob'], tailMs });
    const { clock, room, signalling, microphones } = bench;
    let isDown = false;
    let releasedAt = Number.NEGATIVE_INFINITY;
    let version = 10;
    let sentBefore = 0;
    const reply = (request: Request) => pick<typeof granted>(granted, granted, queued, denied)(request);
    signalling.answer('floor_request', async (request) => {
      await new Promise<void>((resolve) => clock.after(below(600), resolve));
      return random.next() < 0.1 ? unavailable : ok<'floor_request'>(reply(request));
    });
    const acts: (() => void)[] = [
      () => {
        room.press();
        isDown = true;
      },
      () => {
        room.release();
        if (isDown) releasedAt = clock.now();
        isDown = false;
      },
      () => {
        room.stop();
        if (isDown) releasedAt = Number.NEGATIVE_INFINITY;
        isDown = false;
        expect(bench.isMicOpen()).toBe(false);
      },
      () => {
        version += 1;
        signalling.emit('floor_changed', floorOf(version, pick([], ['bob'], ['self'])));
      },
      () => signalling.emit('floor_reply', reply({ seq: below(40) })),
      () =>
        signalling.emit('floor_reply', {
          type: 'revoked',
          channelId: CHANNEL,
          seq: below(40),
          reason: 'preempted',
        }),
      () => {
        signalling.setLink(pick<'down' | 'up'>('down', 'up'));
        sentBefore = sent(bench).length;
      },
      () => microphones.given.at(-1)?.end(),
      () => void room.selectMicrophone(pick('built-in', 'headset', 'gone')),
    ];
    for (const _step of steps) {
      const index = random.next() < 0.7 ? below(2) : below(acts.length);
      acts[index]?.();
      await clock.advance(below(300));
      if (!bench.isMicOpen()) continue;
      opened += 1;
      expect(isDown || clock.now() - releasedAt <= tailMs).toBe(true);
    }
    signalling.setLink('up');
    await clock.advance(2_000);
    room.release();
    await clock.advance(1_000 + UNHEARD_SHOWN_MS);
    expect(bench.isMicOpen()).toBe(false);
    expect(talk(bench)).toEqual({ state: 'idle' });
    // Every end was sent to the server, except by sockets that were lost before.
    expect(sent(bench).slice(sentBefore).at(-1) ?? 'release').toMatch(/^release/);
  });
  // Otherwise the rule was not put to the test.
  expect(opened).toBeGreaterThan(60);
});
