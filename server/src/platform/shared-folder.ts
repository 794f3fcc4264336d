import * as z from 'zod';
import { FilesStartError, PART_ENDING } from '#src/files/file-store.ts';
import type { Platform } from '#src/platform/platform.ts';

/** Names a file, and the process that put it there. */
const lookingFor = z.object({ by: z.string(), name: z.string() });

/**
 * Lets processes without a bucket find out whether they have the same folder (FILE11). Each answers whether it has a file that
 * another one has just stored. Processes that run have compared their folders, so one answer is enough.
 * @returns compares this process's folder with that of the others. @throws FilesStartError: it is another one
 */
export function compareFolders({
  askAll,
  files,
  processId,
  log,
}: Pick<Platform, 'askAll' | 'files' | 'processId' | 'log'>): () => Promise<void> {
  const ask = askAll('files.seen', lookingFor, ({ by, name }) =>
    by === processId ? null : files.head(name).then((found) => ({ isHere: found !== null })),
  );
  return async () => {
    // By this ending no backup includes it, if a crash leaves it behind.
    const name = `probes/${processId}${PART_ENDING}`;
    try {
      await files.put(name, Buffer.from(processId));
      // Processes of an earlier version don't answer.
      const answer = await ask({ by: processId, name });
      if (answer?.isHere === false) throw new FilesStartError(OTHER_FOLDER);
    } catch (error) {
      if (error instanceof FilesStartError) throw error;
      // A full disk, or a Redis that is away: the others start with that, too.
      log.warn({ err: error }, 'folders_not_compared');
    } finally {
      await files.remove([name]).catch(() => undefined);
    }
  };
}

const OTHER_FOLDER =
  'DATA_DIR/files is not the folder of the processes that run on this database: give all of them the same folder as DATA_DIR, or keep the files in a bucket (FILES_URL).';
