import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGE_MAX_BYTES } from '@pressel/contract/limits';
import { type Api, createApi, type Person } from '@pressel/e2e/harness/api';
import { encodePng, ROW_FILTER_BYTES } from '@pressel/e2e/harness/png';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { enterFloor, type FloorClient } from '../shared/floor-client.ts';
import { conclude, percentile, round } from '../shared/report.ts';
import { uploadTogether } from '../shared/uploaders.ts';

/** This many rows of noise repeat: as slow to decode as any picture, and still a small file. */
const ROWS_OF_NOISE = 8;

/** A PNG of 24 bits a pixel, of noise that repeats. */
function noisyPng(width: number, height: number): Buffer {
  const row = ROW_FILTER_BYTES + width * 3;
  const pixels = Buffer.alloc(row * height);
  let seed = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    if (at >= row * ROWS_OF_NOISE) break;
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The first byte of a row names its filter: 2 adds the row above, which is work for the decoder.
    pixels[at] = at % row === 0 ? 2 : (seed >> 16) & 7;
  }
  for (let at = row * ROWS_OF_NOISE; at < pixels.length; at += row * ROWS_OF_NOISE)
    pixels.copy(pixels, at, 0, row * ROWS_OF_NOISE);
  return encodePng(width, height, pixels);
}

const UPLOADERS = 16;
const TALKERS = 10;
const ROUNDS = 4;
const QUIET_MS = 15_000;
const PRESS_EVERY_MS = 200;
const LIMIT_P95_MS = 50;
const PIXELS_EACH_WAY = 4_900;

const server = await startPressel({ LOG_LEVEL: 'error' });
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const people = await Promise.all(
    Array.from({ length: UPLOADERS }, (_, index) => api.person(`Member${index}`, admin.token)),
  );
  const talkers = await Promise.all(
    people.slice(0, TALKERS).map((person, index) => talkerIn(api, admin, person, index)),
  );
  const png = noisyPng(PIXELS_EACH_WAY, PIXELS_EACH_WAY);
  if (png.length > IMAGE_MAX_BYTES) throw new Error(`The picture has ${png.length} bytes`);
  const photo_url = `data:image/png;base64,${png.toString('base64')}`;
  // One upload comes before, so that the decoder is loaded and the code is compiled.
  await uploadTogether({ origin: server.origin, people: people.slice(0, 1), photo_url, rounds: 1 });
  await press(talkers, () => true, performance.now() + 2_000);

  const quiet = await press(talkers, () => true, performance.now() + QUIET_MS);
  let isUploading = true;
  const uploading = uploadTogether({ origin: server.origin, people, photo_url, rounds: ROUNDS }).finally(() => {
    isUploading = false;
  });
  const busy = await press(talkers, () => isUploading, Number.POSITIVE_INFINITY);
  const uploads = await uploading;

  for (const talker of talkers) talker.close();
  const figures = {
    picture: { bytes: png.length, megapixels: round(PIXELS_EACH_WAY ** 2 / 1e6) },
    quietRequestToAnswerMs: spreadOf(quiet),
    busyRequestToAnswerMs: spreadOf(busy),
    uploadMs: spreadOf(uploads),
  };
  console.log(JSON.stringify(figures, null, 2));
  conclude('images', figures, [
    {
      what: 'floor request to answer while 16 upload, p95',
      value: percentile(busy, 0.95),
      limit: LIMIT_P95_MS,
      unit: 'ms',
    },
  ]);
} finally {
  await server.dispose();
}

async function talkerIn(world: Api, owner: Person, person: Person, index: number): Promise<FloorClient> {
  const { rtcSession } = await world.channel(owner, `Channel ${index}`, [person]);
  const watch = { holders: new Set<FloorClient>(), violations: 0, releasedAt: 0 };
  return enterFloor(server.origin, person.token, rtcSession, watch, () => undefined);
}

/** Everybody presses and lets go, now and then. @returns how long each answer took, ms */
async function press(talkers: readonly FloorClient[], goesOn: () => boolean, until: number): Promise<number[]> {
  const answers: number[] = [];
  await Promise.all(
    talkers.map(async (talker) => {
      while (goesOn() && performance.now() < until) {
        const { answerMs } = await talker.press(false);
        answers.push(answerMs);
        await talker.release();
        await sleep(Math.random() * 2 * PRESS_EVERY_MS);
      }
    }),
  );
  return answers;
}

function spreadOf(durations: readonly number[]) {
  const at = (share: number) => round(percentile(durations, share));
  return { count: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
