/**
 * The process that makes images, one at a time. It is separate from the server because a decoder can't be interrupted, only
 * killed, and because its faults would be the server's. The server starts and kills it: see `maker.ts`.
 */
import { type ImageJob, type MakerReply, type ProcessLimits, Refusal } from './job.ts';
import { makeImages, setUpDecoders } from './make-images.ts';

const limits: ProcessLimits = JSON.parse(process.argv[2] ?? '');
const CHECK_MS = 100;

const reply = (message: MakerReply): void => void process.send?.(message);
// Not `process.exit`, which waits for the decoder.
const end = (): void => void process.kill(process.pid, 'SIGKILL');
const hasGrown = () => process.memoryUsage.rss() > limits.keptBytes;

setUpDecoders();
process.on('message', async (job: ImageJob) => {
  const before = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > limits.cpuMs) reply({ state: 'exceeded', what: 'time' });
    else if (process.memoryUsage.rss() > limits.memoryBytes) reply({ state: 'exceeded', what: 'memory' });
  }, CHECK_MS);
  try {
    const images = await makeImages(job);
    reply({ state: 'made', images, isSpent: hasGrown() });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reply({ state: 'refused', code: error.code, reason: error.message, isSpent: hasGrown() });
  } finally {
    clearInterval(watch);
  }
});
// The server is gone, however it ended.
process.on('disconnect', end);
