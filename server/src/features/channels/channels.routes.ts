import {
  addUserToChannel,
  createChannel,
  deleteChannel,
  deleteUserFromChannel,
  getAllChannels,
  getUsersInChannel,
  updateChannel,
  updateUserChannels,
} from '@pressel/contract/channels';
import type { ServeCall } from '#src/shared/calls.ts';
import { presentMember } from '#src/shared/present-user.ts';
import type { ChannelService } from './channels.service.ts';

export interface ChannelRouteDeps {
  channels: ChannelService;
  listSockets(userIds: readonly string[]): Promise<{ userId: string; channelId: string | null; socketId: string }[]>;
}

export function channelRoutes(serve: ServeCall, { channels, listSockets }: ChannelRouteDeps): void {
  serve(getAllChannels, async (_body, { session }) => {
    const found = await channels.list(session);
    const res = found.map(({ row, users, connected }) => ({
      id: row.id,
      name: row.name,
      rtcSession: row.rtcSession,
      talkMode: row.talkMode,
      createdAt: row.createdAt.toISOString(),
      version: row.version,
      users,
      userCount: users.length,
      connected,
    }));
    return { success: true as const, res, totalRecords: res.length };
  });

  serve(getUsersInChannel, async ({ channelId }, { session }) => {
    const members = await channels.members(session, channelId);
    const sockets = await listSockets(members.map((member) => member.id));
    const socketsOf = Map.groupBy(sockets, (socket) => socket.userId);
    return {
      success: true,
      res: members.map((member) => presentMember(member, socketsOf.get(member.id) ?? [], channelId)),
      totalRecords: members.length,
    };
  });

  serve(createChannel, async (body, { session }) => ({
    success: true as const,
    result: 'Channel created successfully',
    res: await channels.create(session, body),
  }));

  serve(updateChannel, async (body, { session }) => ({
    success: true as const,
    result: 'Channel updated successfully',
    res: await channels.update(session, body),
  }));

  serve(deleteChannel, async ({ channelId }, { session }) => {
    await channels.remove(session, channelId);
    return { success: true, result: 'Channel has been deleted' };
  });

  serve(updateUserChannels, async ({ channelId, userList }) => {
    await channels.replaceMembers(channelId, userList);
    return { success: true, result: 'Channel updated successfully' };
  });

  serve(addUserToChannel, async ({ userId, channelId }) => {
    await channels.addMember(userId, channelId);
    return { success: true, result: 'User Added To Channel' };
  });

  serve(deleteUserFromChannel, async ({ userId, channelId }) => {
    await channels.removeMember(userId, channelId);
    return { success: true, result: 'User Deleted from Channel' };
  });
}
