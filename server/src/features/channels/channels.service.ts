import type { FieldChange } from '@pressel/contract/activities';
import type { createChannel, getChannelIds, updateChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import type * as z from 'zod';
import { mayEnterAnyChannel, seesAllActivities } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { withKnownTimeZone } from '#src/db/list-sql.ts';
import { inRounds } from '#src/db/rounds.ts';
import type { Act, Change, ChangeTx } from '#src/history/change.ts';
import { listLastTalkOfChannels, listLatestOfChannels, listLatestOfUsers } from '#src/history/latest.repository.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { readInPortions } from '#src/shared/in-pieces.ts';
import * as repository from './channels.repository.ts';
import type { MembershipService } from './memberships.service.ts';

export interface ChannelDeps {
  db: Db;
  change: Change;
  memberships: Pick<MembershipService, 'add' | 'remove' | 'setMembers'>;
}

/** Channels whose members are read at once: each may have thousands. */
const CHANNELS_OF_PORTION = 20;

export type ChannelService = ReturnType<typeof createChannelService>;

export function createChannelService({ db, change, memberships }: ChannelDeps) {
  const existing = async (sql: Sql, id: string): Promise<repository.ChannelRow> => {
    const channel = await repository.findChannel(sql, id);
    if (channel === null) throw new AppError('not_found', { what: 'channel' });
    return channel;
  };

  const forMember = inRounds((asked: readonly { id: string; userId: string }[]) =>
    repository.findForMembers(db, asked),
  );

  /** Reads in one statement, because somebody who enters a room waits for it twice. */
  const accessible = async (
    session: Session,
    target: { id: string } | { rtcSession: string },
  ): Promise<repository.ChannelRow> => {
    const { userId } = session;
    const found = await ('id' in target
      ? forMember({ id: target.id, userId })
      : repository.findForMemberByKey(db, target.rtcSession, userId));
    if (found === null) throw new AppError('not_found', { what: 'channel' });
    if (!found.isMember && !mayEnterAnyChannel(session)) throw new AppError('not_a_member');
    return found.channel;
  };

  return {
    /**
     * Lists all channels for an administrator, their own channels for a member. Without `limit` each channel comes with its
     * members.
     */
    async list(session: Session, input: repository.ChannelsQuery) {
      const memberId = mayEnterAnyChannel(session) ? undefined : session.userId;
      const { rows, total } = await withKnownTimeZone(input, (query) => repository.listChannels(db, query, memberId));
      if (input.limit !== undefined) return { rows, total, membersOf: null };
      const ids = rows.map(({ id }) => id);
      const read = (portion: readonly string[]) => repository.listMembersByChannel(db, portion);
      return { rows, total, membersOf: await readInPortions(ids, read, CHANNELS_OF_PORTION) };
    },

    /** The last events of these channels, by id, and whether the caller may see more of them than their time. */
    latestIn: async (session: Session, channelIds: readonly string[]) => ({
      latest: await readInPortions(channelIds, (portion) => listLatestOfChannels(db, portion)),
      isTold: seesAllActivities(session),
    }),

    /** The last talk in these channels, by id. */
    lastTalksIn: (channelIds: readonly string[]) =>
      readInPortions(channelIds, (portion) => listLastTalkOfChannels(db, portion)),

    /**
     * The last activities of these members, by id (POS13). Administrators see all of them. Others see what the map tells them:
     * what members with a position did in this channel. Null for callers who may not see the map.
     */
    async latestOf(
      session: Session,
      channelId: ChannelId,
      userIds: readonly string[],
      positions: ReadonlyMap<string, unknown> | null,
    ) {
      if (seesAllActivities(session)) return listLatestOfUsers(db, userIds);
      return positions === null ? null : listLatestOfUsers(db, [...positions.keys()], channelId);
    },

    /** Members of a channel: their ids in order, and the way to read some of them. */
    async members(session: Session, query: repository.MembersQuery) {
      await accessible(session, { id: query.channelId });
      return repository.findMemberIds(db, query);
    },
    readMembers: (ids: readonly string[]) => repository.readMembers(db, ids),

    /** The channel with this room key or id, if the caller may enter it. */
    enterable: (session: Session, target: { key: string } | { id: ChannelId }): Promise<repository.ChannelRow> =>
      accessible(session, 'id' in target ? target : { rtcSession: roomKey(target.key) }),

    /** The users among these who may enter the channel: its members, and administrators. */
    async entitled(channelId: ChannelId, userIds: readonly UserId[]): Promise<UserId[]> {
      const known = await repository.listAccess(db, channelId, userIds);
      return known.flatMap((one) => (one.isMember || mayEnterAnyChannel(one) ? [one.id as UserId] : []));
    },

    async create(session: Session, input: z.output<(typeof createChannel)['body']>) {
      const channel = {
        id: uuidV7() as ChannelId,
        name: input.channelName,
        rtcSession: roomKey(input.channelName),
        talkMode: input.talkMode,
      };
      await refuseDuplicates(() =>
        change(session, async (tx, act) => {
          await repository.insertChannel(tx, channel);
          await act.record({ type: 'channel_creation', channel, details: { members: new Set(input.userList).size } });
          const changes = await memberships.add(tx, act, input.userList, [channel.id]);
          act.after('channelCreated', { channel: { ...channel, version: 1 }, changes });
        }),
      );
      return { id: channel.id, rtcSession: channel.rtcSession };
    },

    async update(session: Session, input: z.output<(typeof updateChannel)['body']>) {
      const { channelId: id, channelName: name, userList, addUsers, removeUsers } = input;
      const rtcSession = roomKey(name);
      await refuseDuplicates(() =>
        change(session, async (tx, act) => {
          const before = await existing(tx, id);
          if (input.version !== undefined && input.version !== before.version) {
            throw new AppError('conflict', { what: 'channel' });
          }
          const { talkMode = before.talkMode } = input;
          if (before.name !== name || before.talkMode !== talkMode) {
            const version = await repository.updateChannelRow(tx, id, {
              ...{ name, rtcSession },
              // A field that isn't changed isn't written anew, as with a role.
              ...(talkMode === before.talkMode ? {} : { talkMode }),
            });
            act.after('channelChanged', { channel: { id, name, rtcSession, talkMode, version } });
          }
          const changed: FieldChange[] = [];
          if (before.name !== name) changed.push({ field: 'channelName', from: before.name, to: name });
          if (before.talkMode !== talkMode) {
            changed.push({ field: 'talkMode', from: before.talkMode, to: talkMode });
          }
          const leaving = new Set(removeUsers);
          const coming = [...(userList ?? []), ...addUsers].filter((userId) => !leaving.has(userId));
          const changes =
            userList === undefined
              ? [
                  ...(await memberships.remove(tx, act, removeUsers, [id])),
                  ...(await memberships.add(tx, act, coming, [id])),
                ]
              : await memberships.setMembers(tx, act, id, coming);
          if (changed.length > 0 || changes.length > 0) {
            await act.record({ type: 'channel_update', channel: { id, name }, details: { changes: changed } });
          }
          act.after('membershipsChanged', { changes });
        }),
      );
      return { id, rtcSession };
    },

    remove: (session: Session, channelId: ChannelId): Promise<void> =>
      change(session, async (tx, act) => {
        if (!(await deleteOne(tx, act, channelId))) throw new AppError('not_found', { what: 'channel' });
      }),

    /** Deletes several in one transaction. @returns the outcome for each, in their order */
    removeAll: (
      session: Session,
      channelIds: readonly ChannelId[],
    ): Promise<{ channelId: ChannelId; outcome: 'done' | 'not_found' }[]> =>
      change(session, async (tx, act) => {
        const gone = new Set<ChannelId>();
        for (const channelId of new Set(channelIds)) if (await deleteOne(tx, act, channelId)) gone.add(channelId);
        return channelIds.map((channelId) => ({ channelId, outcome: gone.has(channelId) ? 'done' : 'not_found' }));
      }),

    ids: (input: z.output<(typeof getChannelIds)['body']>) =>
      withKnownTimeZone(input, (query) => repository.listChannelIds(db, query)),
  };
}

/** @returns false when there is no channel of this id */
async function deleteOne(tx: ChangeTx, act: Act, channelId: ChannelId): Promise<boolean> {
  const members = await repository.countMembers(tx, channelId);
  const channel = await repository.deleteChannelRow(tx, channelId);
  if (channel === null) return false;
  await act.record({ type: 'channel_delete', channel, details: { members } });
  act.after('channelDeleted', { channelId });
  return true;
}

/** Turns a collision of room keys into `duplicate_channel`. */
async function refuseDuplicates<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'channels_rtc_session_key') throw error;
    throw new AppError('duplicate_channel', {}, { cause: error });
  }
}
