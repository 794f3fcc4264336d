import type { createChannel, TalkMode, updateChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import type * as z from 'zod';
import type { Db, Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { inItsTimeZone } from '#src/shared/list-sql.ts';
import type { Session } from '#src/shared/session.ts';
import * as lists from './channel-lists.repository.ts';
import * as repository from './channels.repository.ts';
import { type MembershipService, touchedBy } from './memberships.service.ts';

export interface ChannelDeps {
  db: Db;
  memberships: Pick<MembershipService, 'add' | 'remove' | 'setMembers' | 'follow' | 'tell'>;
  /** Held until the transaction ends: see there. */
  lockAccounts(sql: Sql): Promise<void>;
  record(
    sql: Sql,
    activity: {
      type: 'channel_creation' | 'channel_update' | 'channel_delete';
      user: { id: string; firstName: string; displayName: string };
      channel: { id: string; name: string };
    },
  ): Promise<void>;
  /** A channel came to be, changed or went: those who may see it should read again, and these users too. */
  announce(channelId: ChannelId, userIds: readonly UserId[]): void;
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
  const { db, memberships } = deps;

  const existing = async (sql: Sql, id: string): Promise<repository.ChannelRow> => {
    const channel = await repository.findChannel(sql, id);
    if (channel === null) throw new AppError('not_found', { what: 'channel' });
    return channel;
  };

  /** The one rule of who may enter, read or hear a channel: its members, and administrators. */
  const requireAccess = async (session: Session, channel: repository.ChannelRow): Promise<void> => {
    if (session.role === 'admin') return;
    if (!(await repository.isMember(db, channel.id, session.userId))) throw new AppError('not_a_member');
  };

  return {
    /**
     * What the caller may see: everything for an administrator, their own channels for a member. With their members
     * unless a page was asked for.
     */
    async list(session: Session, input: lists.ChannelsQuery) {
      const memberId = session.role === 'admin' ? undefined : session.userId;
      const { rows, total } = await inItsTimeZone(input, (query) => lists.listChannels(db, query, memberId));
      if (input.limit !== undefined) return { rows, total, membersOf: null };
      const ids = rows.map(({ id }) => id);
      return { rows, total, membersOf: await lists.listMembersByChannel(db, ids) };
    },

    async members(session: Session, query: lists.MembersQuery) {
      await requireAccess(session, await existing(db, query.channelId));
      return lists.listMembers(db, query);
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
      const id = uuidV7() as ChannelId;
      const channel = {
        id,
        name: input.channelName,
        rtcSession: roomKey(input.channelName),
        talkMode: input.talkMode,
      };
      const changes = await refuseDuplicates(() =>
        db.transaction(async (tx) => {
          await deps.lockAccounts(tx);
          await repository.insertChannel(tx, channel);
          await deps.record(tx, { type: 'channel_creation', user: actor(session), channel });
          return memberships.add(tx, input.userList, [id]);
        }),
      );
      // One piece of news: who is a member now learns of the channel and of being one at once.
      memberships.follow(changes);
      deps.announce(id, touchedBy(changes).userIds);
      return { id, rtcSession: channel.rtcSession };
    },

    async update(session: Session, input: z.output<(typeof updateChannel)['body']>) {
      const { channelId, userList, addUsers, removeUsers } = input;
      const rtcSession = roomKey(input.channelName);
      const { before, changes } = await refuseDuplicates(() =>
        db.transaction(async (tx) => {
          await deps.lockAccounts(tx);
          const row = await existing(tx, channelId);
          if (input.version !== undefined && input.version !== row.version) {
            throw new AppError('conflict', { what: 'channel' });
          }
          const { talkMode = row.talkMode } = input;
          if (row.name !== input.channelName || row.talkMode !== talkMode) {
            await repository.updateChannelRow(tx, channelId, { name: input.channelName, rtcSession, talkMode });
          }
          await deps.record(tx, {
            type: 'channel_update',
            user: actor(session),
            channel: { id: channelId, name: input.channelName },
          });
          const leaving = new Set(removeUsers);
          const coming = [...(userList ?? []), ...addUsers].filter((userId) => !leaving.has(userId));
          if (userList !== undefined)
            return { before: row, changes: await memberships.setMembers(tx, channelId, coming) };
          const removed = await memberships.remove(tx, removeUsers, [channelId]);
          return { before: row, changes: [...removed, ...(await memberships.add(tx, coming, [channelId]))] };
        }),
      );
      if (input.talkMode !== undefined) deps.talkModeChanged(channelId, input.talkMode);
      if (before.name !== input.channelName || (input.talkMode ?? before.talkMode) !== before.talkMode) {
        deps.announce(channelId, []);
      }
      memberships.tell(changes);
      return { id: channelId, rtcSession };
    },

    async remove(session: Session, channelId: ChannelId): Promise<void> {
      await db.transaction(async (tx) => {
        await deps.lockAccounts(tx);
        const channel = await repository.deleteChannelRow(tx, channelId);
        if (channel === null) throw new AppError('not_found', { what: 'channel' });
        await deps.record(tx, { type: 'channel_delete', user: actor(session), channel });
      });
      deps.announce(channelId, []);
      deps.deleted(channelId);
    },
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
