import type { Page } from '@playwright/test';
import { expect, expectReady, press, release, roomPath, talkButton, test } from '../fixtures.ts';
import { mouthEpoch, takeHeard } from '../harness/page-audio.ts';
import { openStallingPath } from '../harness/stalling-path.ts';
import { apart, lastSound, offsetInSweep, onset, recognise, SAMPLE_RATE } from '../harness/voice-signal.ts';

// The server is far away, and the people are close to each other: the voice goes straight. `npm run bench -- press-to-ear` tells to the
// millisecond how much is cut.

/** News of a grant take two of these. */
const AWAY_MS = 250;
/** Far below the time of the news, and far above what a busy machine adds. */
const CUT_LIMIT_MS = 150;
/** The moment from which a track is muted, as the ear has it. */
const SWITCH_MS = 60;

test.use({ awayMs: AWAY_MS });

/** Notes when the page's button is pressed. */
const watchPress = (page: Page) =>
  page.evaluate(() =>
    addEventListener('pointerdown', () => Object.assign(window, { pressedAt: Date.now() }), { capture: true }),
  );
const pressedAt = (page: Page) => page.evaluate(() => (window as unknown as { pressedAt: number }).pressedAt);

test('[TALK49] with a server that is far away nothing is cut from the start of a talk', async ({
  world,
  open,
  path,
}) => {
  const { api, admin } = world;
  const [ada, bob] = [await api.person('Ada', admin.token), await api.person('Bob', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Fern', [ada, bob]);
  const context = { baseURL: path.origin };
  const talker = await open(ada, roomPath(rtcSession), { context });
  const listener = await open(bob, roomPath(rtcSession), { context });
  for (const page of [talker, listener]) await expectReady(page, 2);
  await watchPress(talker);

  await takeHeard(listener);
  await press(talker);
  await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
  await expect(talkButton(listener)).toHaveAttribute('data-state', 'busy');
  const samples = (await takeHeard(listener)).find((one) => onset(one.samples) !== -1)?.samples ?? new Float32Array();
  await release(talker);
  const place = offsetInSweep(samples, onset(samples));
  const saidAtPress = ((await pressedAt(talker)) - ((await mouthEpoch(talker)) ?? 0)) % 1000;
  const cut = apart(place ?? Number.NaN, saidAtPress);
  test.info().annotations.push({ type: 'cut from the start, ms', description: cut.toFixed() });
  expect(cut).toBeLessThan(CUT_LIMIT_MS);
});

test('[TALK49] of two who press at once one is heard at any time, and in the end who has the floor', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [ada, bob, eva] = [
    await api.person('Ada', admin.token),
    await api.person('Bob', admin.token),
    await api.person('Eva', admin.token),
  ];
  const { rtcSession } = await api.channel(admin, 'Zugleich', [ada, bob, eva]);
  const slow = await openStallingPath(world.server.origin);
  const first = await open(ada, roomPath(rtcSession), { context: { baseURL: slow.origin } });
  const second = await open(bob, roomPath(rtcSession), { voice: 'down' });
  const listener = await open(eva, roomPath(rtcSession));
  for (const page of [first, second, listener]) await expectReady(page, 3);
  await talkButton(second).hover();
  /** The voices that the listener's tracks let through, and from when to when. */
  const tracks = new Map<number, { samples: Float32Array; from: number; to: number }>();
  const listen = async () => {
    for (const [index, { samples, startedAt }] of (await takeHeard(listener)).entries()) {
      if (onset(samples) === -1) continue;
      const at = (sample: number) => startedAt + (sample / SAMPLE_RATE) * 1000;
      const before = tracks.get(index);
      tracks.set(index, {
        samples: Float32Array.from([...(before?.samples ?? []), ...samples]),
        from: before?.from ?? at(onset(samples)),
        to: at(lastSound(samples)),
      });
    }
  };
  const spansOf = (voice: 'up' | 'down') => [...tracks.values()].filter(({ samples }) => recognise(samples)[voice] > 0);
  const expectToHear = (voice: 'up' | 'down') =>
    expect
      .poll(async () => {
        await listen();
        return spansOf(voice).length;
      })
      .toBe(1);

  await takeHeard(listener);
  // The request of the first page stands still on its way to the server.
  slow.stall();
  await press(first);
  await expectToHear('up');
  await second.mouse.down();
  await expect(talkButton(second)).toHaveAttribute('data-state', 'talking');
  await expectToHear('down');
  await slow.resume();
  await expect(talkButton(first)).not.toHaveAttribute('data-state', 'asking');
  await listen();
  await release(second);
  await release(first);
  await slow.close();
  const [[refused], [granted]] = [spansOf('up'), spansOf('down')];
  if (refused === undefined || granted === undefined) throw new Error('one of them was not heard');
  test
    .info()
    .annotations.push({ type: 'heard of the refused one, ms', description: (refused.to - refused.from).toFixed() });
  expect(refused.to).toBeLessThan(granted.from + SWITCH_MS);
});
