/**
 * How much a talker notices of images being made: floor requests over sockets, first alone, then while sixteen people
 * send a photo as large as the server takes, again and again. Clients and server share the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGE_MAX_BYTES } from '@pressel/contract/limits';
import { type Api, createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { enterFloor, type FloorClient } from '../shared/floor-client.ts';
import { noisyPng } from '../shared/png.ts';
import { conclude, percentile, round } from '../shared/report.ts';
import { uploadTogether } from '../shared/uploaders.ts';

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
