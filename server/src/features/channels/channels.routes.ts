import {
  addUserToChannel,
  createChannel,
  deleteChannel,
  deleteChannels,
  deleteUserFromChannel,
  getAllChannels,
  getChannelIds,
  getUsersInChannel,
  removeUserChannels,
  updateChannel,
  updateChannelUsers,
  updateUserChannels,
  updateUserChannelsByChannelName,
} from '@pressel/contract/channels';
import type { UserId } from '@pressel/contract/ids';
import { maySeePositions } from '#src/accounts/policies.ts';
import { presentActivity, presentMember } from '#src/accounts/present-user.ts';
import type { ChannelActivity, LoggedTalk, PositionRow } from '#src/history/latest.repository.ts';
import type { ServeCall } from '#src/http/call-server.ts';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import { createYielder, mapInPieces, portionsOf } from '#src/shared/in-pieces.ts';
import type { ListedChannel } from './channels.repository.ts';
import type { ChannelService } from './channels.service.ts';
import type { MembershipService } from './memberships.service.ts';

export interface ChannelRouteDeps {
  channels: ChannelService;
  memberships: MembershipService;
  listSockets(userIds: readonly string[]): Promise<{ userId: string; channelId: string | null; socketId: string }[]>;
  listLastPositions(userIds: readonly string[]): Promise<Map<string, PositionRow>>;
  photoPaths: PhotoPaths;
  now: () => Date;
  /** The talkers of now, by channel. */
  onAir(): Promise<ReadonlyMap<string, readonly { userId: UserId; name: string }[]>>;
  /** Stores the talks that are over, so that they are found. */
  settleTalks(): Promise<void>;
}

const UPDATED = { success: true as const, result: 'Channel updated successfully' };

export function channelRoutes(serve: ServeCall, deps: ChannelRouteDeps): void {
  const { channels, memberships, listSockets } = deps;

  serve(getAllChannels, async (body, { session }) => {
    const { rows, total, membersOf } = await channels.list(session, body);
    const ids = rows.map(({ id }) => id);
    // Read before the log: somebody who stops talking meanwhile is in one of the two.
    const onAir = await deps.onAir();
    await deps.settleTalks();
    const { latest, isTold } = await channels.latestIn(session, ids);
    const lastTalks = body.limit === undefined ? null : await channels.lastTalksIn(ids);
    const pause = createYielder();
    const res = [];
    for (const row of rows) {
      const members =
        membersOf === null ? null : await mapInPieces(membersOf.get(row.id) ?? [], pause, (id) => ({ id }));
      res.push({
        ...presentChannel(row),
        talkers: (onAir.get(row.id) ?? []).map(({ userId, name }) => ({ userId, name })),
        ...(lastTalks === null ? {} : { lastTalk: presentTalk(lastTalks.get(row.id)) }),
        lastActivityAt: latest.get(row.id)?.createdAt.toISOString() ?? null,
        ...(isTold ? { userActivities: presentLatest(latest.get(row.id)) } : {}),
        ...(members === null ? {} : { users: members }),
      });
    }
    return { success: true as const, res, totalRecords: total };
  });

  serve(getUsersInChannel, async (body, { session }) => {
    const { ids, total } = await channels.members(session, body);
    const res = [];
    for (const portion of portionsOf(ids)) {
      const rows = await channels.readMembers(portion);
      const socketsOf = Map.groupBy(await listSockets(portion), (socket) => socket.userId);
      const positions = maySeePositions(session) ? await deps.listLastPositions(portion) : null;
      const latestOf = await channels.latestOf(session, body.channelId, portion, positions);
      for (const row of rows) {
        const seen = positions === null ? undefined : { position: positions.get(row.id), now: deps.now() };
        const photoUrl = deps.photoPaths.urlOf(row.photoId);
        const latest = latestOf === null ? undefined : (latestOf.get(row.id) ?? null);
        res.push(presentMember(row, socketsOf.get(row.id) ?? [], body.channelId, photoUrl, seen, latest));
      }
    }
    return { success: true, res, totalRecords: total };
  });

  serve(createChannel, async (body, { session }) => ({
    success: true as const,
    result: 'Channel created successfully',
    res: await channels.create(session, body),
  }));

  serve(updateChannel, async (body, { session }) => ({ ...UPDATED, res: await channels.update(session, body) }));

  serve(deleteChannel, async ({ channelId }, { session }) => {
    await channels.remove(session, channelId);
    return { success: true, result: 'Channel has been deleted' };
  });

  serve(getChannelIds, async (body) => ({ success: true as const, res: await channels.ids(body) }));

  serve(deleteChannels, async ({ channelIds }, { session }) => ({
    success: true as const,
    res: await channels.removeAll(session, channelIds),
  }));

  serve(updateUserChannels, async ({ channelId, userList }, { session }) => {
    await memberships.replaceMembers(session, channelId, userList);
    return UPDATED;
  });

  serve(updateChannelUsers, async ({ userId, channelList }, { session }) => {
    await memberships.replaceChannels(session, userId, channelList);
    return UPDATED;
  });

  serve(updateUserChannelsByChannelName, async ({ userIdentifier, channelNames }, { session }) => {
    await memberships.replaceChannelsByName(session, userIdentifier, channelNames);
    return UPDATED;
  });

  serve(removeUserChannels, async ({ userIdentifier }, { session }) => {
    await memberships.removeAllChannels(session, userIdentifier);
    return UPDATED;
  });

  serve(addUserToChannel, async ({ userId, channelId }, { session }) => {
    await memberships.addMember(session, userId, channelId);
    return { success: true, result: 'User Added To Channel' };
  });

  serve(deleteUserFromChannel, async ({ userId, channelId }, { session }) => {
    await memberships.removeMember(session, userId, channelId);
    return { success: true, result: 'User Deleted from Channel' };
  });
}

const presentTalk = (talk: Pick<LoggedTalk, 'name' | 'endedAt'> | undefined) =>
  talk === undefined ? null : { name: talk.name, endedAt: talk.endedAt.toISOString() };

const presentLatest = (latest: ChannelActivity | undefined) =>
  latest === undefined
    ? []
    : [
        {
          ...presentActivity(latest),
          user: latest.user && { firstName: latest.user.firstName, display_name: latest.user.displayName },
        },
      ];

const presentChannel = (row: ListedChannel) => ({
  id: row.id,
  name: row.name,
  rtcSession: row.rtcSession,
  talkMode: row.talkMode,
  createdAt: row.createdAt.toISOString(),
  version: row.version,
  userCount: row.userCount,
  connected: row.connected,
});
