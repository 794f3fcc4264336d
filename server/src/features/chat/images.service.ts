import { fileName as cleanName, type Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { MESSAGE_IMAGE_MAX_PX, THUMBNAIL_SIZE_PX } from '@pressel/contract/limits';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import type { UploadedFile } from '#src/http/multipart.ts';
import type { SignedPaths } from '#src/http/signed-paths.ts';
import type { Images } from '#src/images/images.ts';
import { AppError } from '#src/shared/app-error.ts';
import { requireChannelAccess } from './channel-access.repository.ts';
import { IMAGE_ENDING, MESSAGE_FILES_PATH, type MessageFiles, storedNameOf } from './message-files.store.ts';
import { findFile } from './messages.repository.ts';
import type { Sending } from './sending.ts';

const FULL_SIZE = { width: MESSAGE_IMAGE_MAX_PX, height: MESSAGE_IMAGE_MAX_PX, fit: 'inside' } as const;
const THUMBNAIL_SIZE = { width: THUMBNAIL_SIZE_PX, height: THUMBNAIL_SIZE_PX, fit: 'inside' } as const;
const DEFAULT_NAME = 'image';

export interface ImagesDeps {
  db: Db;
  images: Images;
  files: MessageFiles;
  paths: SignedPaths;
  sending: Sending;
}

export interface ImageDraft {
  channelId: ChannelId;
  text: string;
  clientId: string | undefined;
  file: UploadedFile;
}

export type ImagesService = ReturnType<typeof createImagesService>;

export function createImagesService({ db, images, files, paths, sending }: ImagesDeps) {
  return {
    /**
     * Stores an image as a message: first the files, then the rows, so that every message has its image. `signal`: aborted when
     * nobody waits for it any more.
     */
    async send(session: Session, { file, ...draft }: ImageDraft, signal: AbortSignal): Promise<Message> {
      // Checked before the costly part, and again in the transaction that stores.
      await requireChannelAccess(db, draft.channelId, session);
      const sent = await sending.alreadySent(session, draft);
      if (sent !== null) return sent;
      const { image, thumbnail } = await images.makeWithThumbnail(
        { owner: session.userId, signal },
        file.bytes,
        FULL_SIZE,
        THUMBNAIL_SIZE,
      );
      const storedName = await files.put(image.bytes, thumbnail.bytes);
      const { width, height, bytes } = { ...image, bytes: image.bytes.length };
      const row = { storedName, fileName: servedName(file.name), width, height, bytes };
      const outcome = await sending.send(session, { ...draft, file: row }).catch(async (error: unknown) => {
        // If the database went away, nobody knows whether it was stored. A sweep removes files without a row later.
        if (error instanceof AppError || violatedConstraint(error) !== null) await files.remove(storedName);
        throw error;
      });
      if (!outcome.isNew) await files.remove(storedName);
      return outcome.message;
    },

    /** Reads a file by its signed path. @throws AppError not_found for any invalid path */
    async read(file: string, query: unknown) {
      const storedName = storedNameOf(file);
      const secondsLeft = paths.secondsLeft(`${MESSAGE_FILES_PATH}${file}`, query);
      // The row decides: a file may be there a little longer than its message.
      const row = storedName === null || secondsLeft === null ? null : await findFile(db, storedName);
      const found = row === null ? null : await files.read(file);
      if (row === null || found === null || secondsLeft === null) throw new AppError('not_found', { what: 'file' });
      return { ...found, fileName: row.fileName, secondsLeft };
    },
  };
}

/** The name under which an image is served: the sender's, with the ending of its present format. */
const servedName = (name: string): string => {
  const base = cleanName()
    .parse(name)
    .replace(/\.[^.]{1,10}$/u, '');
  return `${base === '' ? DEFAULT_NAME : base}${IMAGE_ENDING}`;
};
