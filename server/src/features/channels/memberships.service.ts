import type { ChannelId, UserId } from '@pressel/contract/ids';
import { splitChannelNames } from '@pressel/contract/import-rules';
import { roomKey } from '@pressel/contract/text';
import type { Session } from '#src/accounts/session.ts';
import type { Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import type { Act, Change, ChangeTx } from '#src/history/change.ts';
import type { MembershipChange } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './memberships.repository.ts';

export type MembershipService = ReturnType<typeof createMembershipService>;

const without = <T>(list: readonly T[], others: readonly T[]): T[] => {
  const excluded = new Set(others);
  return list.filter((entry) => !excluded.has(entry));
};

/** The thing that is missing when one of these constraints is violated. */
const MISSING: Readonly<Partial<Record<string, 'user' | 'channel'>>> = {
  channel_members_user_id_users_id_fk: 'user',
  channel_members_channel_id_channels_id_fk: 'channel',
};

/**
 * Memberships of users in channels. Functions that take a transaction log the changes and return them; their caller announces
 * them.
 */
export function createMembershipService({ change }: { change: Change }) {
  /** @throws AppError not_found when a user or channel does not exist */
  async function add(sql: ChangeTx, act: Act, userIds: readonly UserId[], channelIds: readonly ChannelId[]) {
    await requireChannels(sql, channelIds);
    try {
      const added = await repository.insertMemberships(sql, userIds, channelIds);
      await record(sql, act, 'membership_add', added);
      return marked(added, true);
    } catch (error) {
      const what = MISSING[violatedConstraint(error) ?? ''];
      if (what === undefined) throw error;
      throw new AppError('not_found', { what }, { cause: error });
    }
  }

  /** Memberships that don't exist are skipped. @throws AppError not_found when a channel does not exist */
  async function remove(sql: ChangeTx, act: Act, userIds: readonly UserId[], channelIds: readonly ChannelId[]) {
    await requireChannels(sql, channelIds);
    const removed = await repository.deleteMemberships(sql, userIds, channelIds);
    await record(sql, act, 'membership_remove', removed);
    return marked(removed, false);
  }

  async function record(
    sql: ChangeTx,
    act: Act,
    type: 'membership_add' | 'membership_remove',
    memberships: readonly repository.Membership[],
  ): Promise<void> {
    if (memberships.length === 0) return;
    const names = await repository.namesOf(sql, memberships);
    await act.record(
      ...memberships.map(({ userId, channelId }) => ({
        type,
        target: { id: userId, name: names.users.get(userId) ?? '' },
        channel: { id: channelId, name: names.channels.get(channelId) ?? '' },
      })),
    );
  }

  async function requireChannels(sql: Sql, channelIds: readonly ChannelId[]): Promise<void> {
    if (channelIds.length === 0) return;
    const there = await repository.existingChannelIds(sql, channelIds);
    if (there.length < new Set(channelIds).size) throw new AppError('not_found', { what: 'channel' });
  }

  /** Replaces the members of a channel by these. */
  async function setMembers(sql: ChangeTx, act: Act, channelId: ChannelId, userIds: readonly UserId[]) {
    const before = await repository.listMemberIds(sql, channelId);
    const removed = await remove(sql, act, without(before, userIds), [channelId]);
    return [...removed, ...(await add(sql, act, without(userIds, before), [channelId]))];
  }

  /** Replaces the channels of a user by these. */
  async function setChannels(sql: ChangeTx, act: Act, userId: UserId, channelIds: readonly ChannelId[]) {
    const before = await repository.channelIdsOf(sql, userId);
    const removed = await remove(sql, act, [userId], without(before, channelIds));
    return [...removed, ...(await add(sql, act, [userId], without(channelIds, before)))];
  }

  const changeBy = (session: Session, work: (tx: ChangeTx, act: Act) => Promise<MembershipChange[]>): Promise<void> =>
    change(session, async (tx, act) => act.after('membershipsChanged', { changes: await work(tx, act) }));

  const named = async (sql: Sql, login: string): Promise<UserId> => {
    const id = await repository.findUserIdByLogin(sql, login.trim());
    if (id === null) throw new AppError('not_found', { what: 'user' });
    return id;
  };

  return {
    add,
    remove,
    setMembers,
    /** Channels that any of these users is a member of. */
    channelsOf: (sql: Sql, userIds: readonly UserId[]) => repository.channelIdsOfAny(sql, userIds),

    replaceMembers: (session: Session, channelId: ChannelId, userIds: readonly UserId[]) =>
      changeBy(session, (tx, act) => setMembers(tx, act, channelId, userIds)),

    replaceChannels: (session: Session, userId: UserId, channelIds: readonly ChannelId[]) =>
      changeBy(session, async (tx, act) => {
        if (!(await repository.userExists(tx, userId))) throw new AppError('not_found', { what: 'user' });
        return setChannels(tx, act, userId, channelIds);
      }),

    /** `names`: a list, or the text of a sheet's cell. Names with the same room key count once. */
    replaceChannelsByName: (session: Session, login: string, names: string | readonly string[]) =>
      changeBy(session, async (tx, act) => {
        const userId = await named(tx, login);
        const list = typeof names === 'string' ? splitChannelNames(names) : names;
        const keys = [...new Set(list.map(roomKey))];
        const channelIds = await repository.channelIdsByKey(tx, keys);
        if (channelIds.length < keys.length) throw new AppError('not_found', { what: 'channel' });
        return setChannels(tx, act, userId, channelIds);
      }),

    removeAllChannels: (session: Session, login: string) =>
      changeBy(session, async (tx, act) => setChannels(tx, act, await named(tx, login), [])),

    addMember: (session: Session, userId: UserId, channelId: ChannelId) =>
      changeBy(session, (tx, act) => add(tx, act, [userId], [channelId])),

    removeMember: (session: Session, userId: UserId, channelId: ChannelId) =>
      changeBy(session, async (tx, act) => {
        const removed = await remove(tx, act, [userId], [channelId]);
        if (removed.length === 0) throw new AppError('not_found', { what: 'member' });
        return removed;
      }),
  };
}

const marked = (memberships: readonly repository.Membership[], isMember: boolean): MembershipChange[] =>
  memberships.map(({ userId, channelId }) => ({ userId, channelId, isMember }));
