import { expect, expectHeard, expectReady, press, release, roomPath, talkButton, test } from '../fixtures.ts';
import { openJitterPath } from '../harness/jitter-path.ts';
import { mouthEpoch, takeHeard } from '../harness/page-audio.ts';
import { apart, lastSound, offsetInSweep, recognise, SAMPLE_RATE } from '../harness/voice-signal.ts';

const WINDOW_MS = 15;
/** The pitch of a window is known to about this. */
const RESOLUTION_MS = 10;

const join = (parts: readonly Float32Array[]): Float32Array => Float32Array.from(parts.flatMap((part) => [...part]));

test('[TALK51] over a path that holds packets up, what was said until the release is heard, although a successor talks at once', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [ada, bob, eva] = [
    await api.person('Ada', admin.token),
    await api.person('Bob', admin.token),
    await api.person('Eva', admin.token),
  ];
  const { rtcSession } = await api.channel(admin, 'Passage', [ada, bob, eva]);
  let stalledUntil = 0;
  // The path is like a busy Wi-Fi: now and then nothing passes for a while, and then all of it at once.
  const path = openJitterPath(() => {
    if (Date.now() > stalledUntil + 250) stalledUntil = Date.now() + 380 + Math.random() * 40;
    return 10 + Math.max(0, stalledUntil - Date.now());
  });
  const prepare = path.leadThrough;
  const talker = await open(ada, roomPath(rtcSession), { prepare });
  const successor = await open(bob, roomPath(rtcSession), { prepare, voice: 'down' });
  const listener = await open(eva, roomPath(rtcSession), { prepare });
  for (const page of [talker, successor, listener]) await expectReady(page, 3);
  await talker.evaluate(() => {
    addEventListener('pointerup', () => Object.assign(window, { releasedAt: Date.now() }), { capture: true });
  });

  await press(talker);
  // Long enough for the listener's jitter buffer to adapt to this path.
  await expectHeard(listener, 'up', 3_000);
  await press(successor);
  await expect(talkButton(successor)).toHaveAttribute('data-state', 'queued');
  await takeHeard(listener);
  await release(talker);
  /** The sound that each voice's track let through since then. */
  const tracks: Float32Array[][] = [];
  // At the end, everything that the talker said has been played or cut.
  await expect
    .poll(async () => {
      for (const [index, { samples }] of (await takeHeard(listener)).entries()) {
        tracks[index] = [...(tracks[index] ?? []), samples];
      }
      return Math.max(...tracks.map((parts) => recognise(join(parts)).down));
    })
    .toBeGreaterThan(800);
  const said = tracks.map(join).find((samples) => recognise(samples).up > 0) ?? new Float32Array();
  const place = offsetInSweep(said, lastSound(said) - (SAMPLE_RATE * WINDOW_MS) / 1000);
  const releasedAt = await talker.evaluate(() => (window as unknown as { releasedAt: number }).releasedAt);
  const placeAtRelease = (releasedAt - ((await mouthEpoch(talker)) ?? 0)) % 1000;
  await release(successor);
  path.close();
  expect(place, 'something of it is heard').not.toBeNull();
  const heardAfterRelease = apart((place ?? 0) + WINDOW_MS, placeAtRelease);
  test.info().annotations.push({ type: 'heard after the release, ms', description: heardAfterRelease.toFixed() });
  expect(heardAfterRelease).toBeGreaterThanOrEqual(-RESOLUTION_MS);
});
