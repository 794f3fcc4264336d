import type { createChannel, TalkMode, updateChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import type * as z from 'zod';
import type { Db, Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { Session } from '#src/shared/session.ts';
import * as repository from './channels.repository.ts';

export interface ChannelDeps {
  db: Db;
  record(
    sql: Sql,
    activity: {
      type: 'channel_creation' | 'channel_update' | 'channel_delete';
      user: { id: string; firstName: string; displayName: string };
      channel: { id: string; name: string };
    },
  ): Promise<void>;
  /** A channel came to be or its members changed: those who may see it should read again. */
  announce(what: 'channels' | 'memberships', channelId: ChannelId): void;
  /** A user became a member, or is one no longer. */
  membershipChanged(userId: UserId, channelId: ChannelId, isMember: boolean): void;
  talkModeChanged(channelId: ChannelId, mode: TalkMode): void;
  /** The channel is no more: whoever is in its room must leave it. */
  deleted(channelId: ChannelId): void;
}

export type ChannelService = ReturnType<typeof createChannelService>;

const actor = (session: Session) => ({
  id: session.userId,
  firstName: session.firstName,
  displayName: session.displayName,
});

export function createChannelService(deps: ChannelDeps) {
  const { db } = deps;

  const existing = async (id: string): Promise<repository.ChannelRow> => {
    const channel = await repository.findChannel(db, id);
    if (channel === null) throw new AppError('not_found', { what: 'channel' });
    return channel;
  };

  /** The one rule of who may enter, read or hear a channel: its members, and administrators. */
  const requireAccess = async (session: Session, channel: repository.ChannelRow): Promise<void> => {
    if (session.role === 'admin') return;
    if (!(await repository.isMember(db, channel.id, session.userId))) throw new AppError('not_a_member');
  };

  const changeMembership = async (userId: UserId, channelId: ChannelId, isMember: boolean): Promise<void> => {
    await existing(channelId);
    if (isMember) await insertMembersOrRefuse(db, channelId, [userId]);
    else if (!(await repository.deleteMember(db, channelId, userId)))
      throw new AppError('not_found', { what: 'member' });
    deps.membershipChanged(userId, channelId, isMember);
    deps.announce('memberships', channelId);
  };

  /** Makes the members exactly these. Call it inside a transaction. @returns who came and who went */
  const setMembers = async (sql: Sql, channelId: ChannelId, wanted: readonly UserId[]) => {
    if (!(await repository.lockChannel(sql, channelId))) throw new AppError('not_found', { what: 'channel' });
    const before = new Set((await repository.listMemberships(sql, [channelId])).map(({ userId }) => userId));
    const after = new Set<string>(wanted);
    const added = [...after].filter((id) => !before.has(id)) as UserId[];
    const removed = [...before].filter((id) => !after.has(id)) as UserId[];
    await repository.deleteMembers(sql, channelId, removed);
    await insertMembersOrRefuse(sql, channelId, added);
    return { added, removed };
  };

  const announceMembers = (channelId: ChannelId, { added, removed }: { added: UserId[]; removed: UserId[] }): void => {
    for (const userId of added) deps.membershipChanged(userId, channelId, true);
    for (const userId of removed) deps.membershipChanged(userId, channelId, false);
    deps.announce('memberships', channelId);
  };

  return {
    /** What the caller may see: everything for an administrator, their own channels for a member. */
    async list(session: Session) {
      const rows = await repository.listChannels(db, session.role === 'admin' ? undefined : session.userId);
      const ids = rows.map((row) => row.id);
      const memberships = ids.length === 0 ? [] : await repository.listMemberships(db, ids);
      const membersOf = Map.groupBy(memberships, (membership) => membership.channelId);
      const connected = await repository.countConnected(db);
      return rows.map((row) => ({
        row,
        users: membersOf.get(row.id)?.map(({ userId }) => ({ id: userId })) ?? [],
        connected: connected.get(row.id) ?? 0,
      }));
    },

    async members(session: Session, channelId: ChannelId) {
      const channel = await existing(channelId);
      await requireAccess(session, channel);
      return repository.listMembers(db, channelId);
    },

    /** The channel that a room key names, when the caller may enter it. */
    async enterable(session: Session, target: { key: string } | { id: ChannelId }): Promise<repository.ChannelRow> {
      const channel =
        'id' in target
          ? await repository.findChannel(db, target.id)
          : await repository.findChannelByKey(db, roomKey(target.key));
      if (channel === null) throw new AppError('not_found', { what: 'channel' });
      await requireAccess(session, channel);
      return channel;
    },

    async create(session: Session, input: z.output<(typeof createChannel)['body']>) {
      const channel = {
        id: uuidV7(),
        name: input.channelName,
        rtcSession: roomKey(input.channelName),
        talkMode: input.talkMode,
      };
      const members = [...new Set(input.userList)];
      await refuseDuplicates(() =>
        db.transaction(async (tx) => {
          await repository.insertChannel(tx, channel);
          await insertMembersOrRefuse(tx, channel.id, members);
          await deps.record(tx, { type: 'channel_creation', user: actor(session), channel });
        }),
      );
      const id = channel.id as ChannelId;
      for (const userId of members) deps.membershipChanged(userId, id, true);
      deps.announce('channels', id);
      return { id, rtcSession: channel.rtcSession };
    },

    async update(session: Session, input: z.output<(typeof updateChannel)['body']>) {
      const { channelId, talkMode } = input;
      const named = { name: input.channelName, rtcSession: roomKey(input.channelName) };
      const change = talkMode === undefined ? named : { ...named, talkMode };
      const members = await refuseDuplicates(() =>
        db.transaction(async (tx) => {
          if (!(await repository.updateChannelRow(tx, channelId, change))) {
            throw new AppError('not_found', { what: 'channel' });
          }
          const channel = { id: channelId, name: named.name };
          await deps.record(tx, { type: 'channel_update', user: actor(session), channel });
          return input.userList === undefined ? null : await setMembers(tx, channelId, input.userList);
        }),
      );
      if (talkMode !== undefined) deps.talkModeChanged(channelId, talkMode);
      deps.announce('channels', channelId);
      if (members !== null) announceMembers(channelId, members);
      return { id: channelId, rtcSession: named.rtcSession };
    },

    async remove(session: Session, channelId: ChannelId): Promise<void> {
      await db.transaction(async (tx) => {
        const channel = await repository.deleteChannelRow(tx, channelId);
        if (channel === null) throw new AppError('not_found', { what: 'channel' });
        await deps.record(tx, { type: 'channel_delete', user: actor(session), channel });
      });
      deps.announce('channels', channelId);
      deps.deleted(channelId);
    },

    async replaceMembers(channelId: ChannelId, userList: readonly UserId[]): Promise<void> {
      announceMembers(channelId, await db.transaction((tx) => setMembers(tx, channelId, userList)));
    },

    addMember: (userId: UserId, channelId: ChannelId) => changeMembership(userId, channelId, true),
    removeMember: (userId: UserId, channelId: ChannelId) => changeMembership(userId, channelId, false),
  };
}

/** Two names with one room key are one name. */
async function refuseDuplicates<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'channels_rtc_session_key') throw error;
    throw new AppError('duplicate_channel', {}, { cause: error });
  }
}

async function insertMembersOrRefuse(sql: Sql, channelId: string, userIds: readonly string[]): Promise<void> {
  try {
    await repository.insertMembers(sql, channelId, userIds);
  } catch (error) {
    if (violatedConstraint(error)?.includes('user_id'))
      throw new AppError('not_found', { what: 'user' }, { cause: error });
    throw error;
  }
}
