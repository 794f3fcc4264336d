import { filesOf, MESSAGES_FOLDER, storedNameOf } from '../features/chat/message-files.store.ts';
import { PHOTOS_FOLDER, photoIdOf } from '../features/users/user-photos.store.ts';

/** Files of one kind, and the rows that they belong to. */
export interface FileKind {
  /** What messages about faults call such a file. */
  what: string;
  folder: string;
  /** The name of the row that a file belongs to; null when the file's name is not one of ours. */
  rowOf(file: string): string | null;
  /** The row's files. The row stores the size of the first one. */
  filesOf(row: string): readonly [string, ...string[]];
  /** Selects `name` and `bytes` of at most $2 rows after the name $1. */
  rows: string;
  /** Selects those of the names $1 that have a row. */
  known: string;
}

export const FILE_KINDS: readonly FileKind[] = [
  {
    ...{ what: 'an image of a message', folder: MESSAGES_FOLDER, rowOf: storedNameOf, filesOf },
    rows: 'select stored_name as name, bytes from message_files where stored_name > $1 order by 1 limit $2',
    known: 'select stored_name as name from message_files where stored_name = any($1)',
  },
  {
    ...{ what: 'a photo', folder: PHOTOS_FOLDER, rowOf: photoIdOf, filesOf: (photoId) => [photoId] },
    rows: `select photo_id::text as name, octet_length(image) as bytes from user_photos
      where stored_id = photo_id and photo_id::text > $1 order by 1 limit $2`,
    known: 'select photo_id::text as name from user_photos where photo_id = any($1::uuid[])',
  },
];
