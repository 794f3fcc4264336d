/** People who send their photo, in a thread of their own, so that the cost of sending is no talker's wait. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { uploadUserPhoto } from '@pressel/contract/users';
import type { Person } from '@pressel/e2e/harness/api';

interface Task {
  origin: string;
  people: readonly Pick<Person, 'id' | 'token'>[];
  photo_url: string;
  /** How often all of them send their photos at the same moment. */
  rounds: number;
}

/** @returns how long each upload took, in ms */
export function uploadTogether(task: Task): Promise<number[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(await work(workerData as Task));

async function work({ origin, people, photo_url, rounds }: Task): Promise<number[]> {
  const durations: number[] = [];
  const requests = people.map(({ id, token }) => ({ token, body: JSON.stringify({ userId: id, photo_url }) }));
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      requests.map(async ({ token, body }) => {
        const begun = performance.now();
        const response = await fetch(`${origin}${uploadUserPhoto.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
          body,
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.arrayBuffer();
        durations.push(performance.now() - begun);
      }),
    );
  }
  return durations;
}
