import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';

/** Whether one of a user's sockets is in the room of this channel. */
export const isInRoom = (
  { user_sockets: sockets }: Pick<ChannelMember, 'user_sockets'>,
  channelId: ChannelId,
): boolean => sockets.some((socket) => socket.channelId === channelId);
