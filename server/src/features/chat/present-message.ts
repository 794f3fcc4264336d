import type { ClientMessageId, Message, MessageId } from '@pressel/contract/chat';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { MessageRow } from './messages.repository.ts';

/** Path prefix of images; the stored name and its ending follow. */
export const MESSAGE_FILES_PATH = '/files/messages/';
export const IMAGE_ENDING = '.webp';
export const THUMBNAIL_ENDING = '-small.webp';

/** @param sign signs a path: give the result only to users who may read the channel */
export const presentMessage = (row: MessageRow, sign: (path: string) => string): Message => ({
  id: row.id as MessageId,
  channelId: row.channelId as ChannelId,
  number: row.number,
  userId: row.userId as UserId,
  user: { display_name: row.userDisplayName },
  textMsg: row.text,
  createdAt: row.createdAt.toISOString(),
  clientId: row.clientId as ClientMessageId,
  file:
    row.file === null
      ? null
      : {
          path: sign(`${MESSAGE_FILES_PATH}${row.file.storedName}${IMAGE_ENDING}`),
          thumbnailPath: sign(`${MESSAGE_FILES_PATH}${row.file.storedName}${THUMBNAIL_ENDING}`),
          fileName: row.file.fileName,
          width: row.file.width,
          height: row.file.height,
          bytes: row.file.bytes,
        },
});
