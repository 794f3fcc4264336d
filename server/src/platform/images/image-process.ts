/**
 * The process that makes images, one at a time. It is apart from the server's because a decoder can't be interrupted, only
 * killed, and because a fault in one would be a fault in the server. The server starts and kills it: see `maker.ts`.
 */
import { type ImageJob, Refusal } from './job.ts';
import { makeImages, setUpDecoders } from './make-images.ts';
import type { MakerReply } from './maker.ts';

const memoryMaxBytes = Number(process.argv[2]);
const MEMORY_CHECK_MS = 100;

const reply = (message: MakerReply): void => void process.send?.(message);
// Not process.exit: that waits for the decoder.
const end = (): void => void process.kill(process.pid, 'SIGKILL');

setUpDecoders();
process.on('message', async (job: ImageJob) => {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > memoryMaxBytes) reply({ state: 'overgrown' });
  }, MEMORY_CHECK_MS);
  try {
    reply({ state: 'made', images: await makeImages(job) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reply({ state: 'refused', code: error.code, reason: error.message });
  } finally {
    clearInterval(watch);
  }
});
// The server is gone, however it ended.
process.on('disconnect', end);
