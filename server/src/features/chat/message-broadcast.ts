import type { ClientMessageId, Message, MessageId } from '@pressel/contract/chat';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ServerPayload } from '@pressel/contract/realtime';
import { audience, type Socket, type Sockets } from '#src/sockets/sockets.ts';
import { IMAGE_ENDING, MESSAGE_FILES_PATH, THUMBNAIL_ENDING } from './message-files.store.ts';
import type { MessageRow } from './messages.repository.ts';

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

export type MessageBroadcast = ReturnType<typeof createMessageBroadcast>;

/** Tells the sockets of a channel's messages. Each event is serialised once, however many hear it. */
export function createMessageBroadcast(sockets: Pick<Sockets, 'to'>) {
  return {
    created(message: Message, channelName: string): void {
      const { id, channelId, number, userId, user, textMsg, file } = message;
      const news = { channelId, channelName, id, number, userId, user, textMsg, hasImage: file !== null };
      const room = audience.inRoom(channelId);
      sockets.to(room).emit('messageResponse', message);
      // The room is left out here: a second packet to each of hundreds would double what a message costs.
      sockets.to(audience.membersOf(channelId)).except([room]).emit('onSendMessage', news);
    },
    deleted(message: Omit<ServerPayload<'room message changed'>, 'deleted'>): void {
      const { channelId } = message;
      // Members elsewhere may have counted it as unread.
      const hearing = [audience.inRoom(channelId), audience.membersOf(channelId)];
      sockets.to(hearing).emit('room message changed', { ...message, deleted: true });
    },
    read(userId: UserId, news: ServerPayload<'messages_read'>): void {
      sockets.to(audience.user(userId)).emit('messages_read', news);
    },
    typing(socket: Socket, channelId: ChannelId): void {
      const { userId, displayName: name } = socket.data.session;
      sockets.to(audience.inRoom(channelId)).except([socket.id]).emit('typingResponse', { channelId, userId, name });
    },
  };
}
