import type { ChannelId, UserId } from '@pressel/contract/ids';
import { splitChannelNames } from '@pressel/contract/import-rules';
import { roomKey } from '@pressel/contract/text';
import type { Db, Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './memberships.repository.ts';

/** A membership that began or ended. */
export interface MembershipChange extends repository.Membership {
  isMember: boolean;
}

export interface MembershipDeps {
  db: Db;
  /** Held until the transaction ends: see there. */
  lockAccounts(sql: Sql): Promise<void>;
  findUser(sql: Sql, id: string): Promise<{ id: string } | null>;
  findUserByLogin(sql: Sql, login: string): Promise<{ id: string } | null>;
  /** Live sockets begin or cease to hear of channels, and leave rooms that are theirs no more. */
  follow(changes: readonly MembershipChange[]): void;
  /** Who may see these channels, and these users, should read memberships again. */
  announce(channelIds: readonly ChannelId[], userIds: readonly UserId[]): void;
}

export type MembershipService = ReturnType<typeof createMembershipService>;

/** The channels and users of some changes, each once. */
export const touchedBy = (changes: readonly MembershipChange[]) => ({
  channelIds: [...new Set(changes.map(({ channelId }) => channelId))],
  userIds: [...new Set(changes.map(({ userId }) => userId))],
});

const without = <T>(list: readonly T[], others: readonly T[]): T[] => {
  const excluded = new Set(others);
  return list.filter((entry) => !excluded.has(entry));
};

/**
 * Who belongs to which channel. What takes `sql` is for transactions of others, which hold the lock of accounts and
 * call `tell` with all that changed after they are stored.
 */
export function createMembershipService(deps: MembershipDeps) {
  const { db } = deps;

  /** @throws AppError not_found: there is no such user, or channel */
  async function add(sql: Sql, userIds: readonly UserId[], channelIds: readonly ChannelId[]) {
    await requireChannels(sql, channelIds);
    try {
      return marked(await repository.insertMemberships(sql, userIds, channelIds), true);
    } catch (error) {
      const missing = violatedConstraint(error);
      if (missing === null) throw error;
      throw new AppError('not_found', { what: missing.includes('user_id') ? 'user' : 'channel' }, { cause: error });
    }
  }

  /** @throws AppError not_found: there is no such channel. Memberships that are not there are no fault. */
  async function remove(sql: Sql, userIds: readonly UserId[], channelIds: readonly ChannelId[]) {
    await requireChannels(sql, channelIds);
    return marked(await repository.deleteMemberships(sql, userIds, channelIds), false);
  }

  async function requireChannels(sql: Sql, channelIds: readonly ChannelId[]): Promise<void> {
    if (channelIds.length === 0) return;
    const there = await repository.existingChannelIds(sql, channelIds);
    if (there.length < new Set(channelIds).size) throw new AppError('not_found', { what: 'channel' });
  }

  /** Makes the members of a channel exactly these. */
  async function setMembers(sql: Sql, channelId: ChannelId, userIds: readonly UserId[]) {
    const before = await repository.listMemberIds(sql, channelId);
    const removed = await remove(sql, without(before, userIds), [channelId]);
    return [...removed, ...(await add(sql, without(userIds, before), [channelId]))];
  }

  /** Makes the channels of a user exactly these. */
  async function setChannels(sql: Sql, userId: UserId, channelIds: readonly ChannelId[]) {
    const before = await repository.channelIdsOf(sql, userId);
    const removed = await remove(sql, [userId], without(before, channelIds));
    return [...removed, ...(await add(sql, [userId], without(channelIds, before)))];
  }

  function tell(changes: readonly MembershipChange[]): void {
    if (changes.length === 0) return;
    deps.follow(changes);
    const { channelIds, userIds } = touchedBy(changes);
    deps.announce(channelIds, userIds);
  }

  async function change(work: (sql: Sql) => Promise<MembershipChange[]>): Promise<void> {
    const changes = await db.transaction(async (tx) => {
      await deps.lockAccounts(tx);
      return work(tx);
    });
    tell(changes);
  }

  const idOf = (user: { id: string } | null): UserId => {
    if (user === null) throw new AppError('not_found', { what: 'user' });
    return user.id as UserId;
  };
  const named = async (sql: Sql, login: string): Promise<UserId> => idOf(await deps.findUserByLogin(sql, login.trim()));

  return {
    add,
    remove,
    setMembers,
    tell,
    follow: deps.follow,
    /** The channels that any of these users is a member of: those whose members' lists they stand in. */
    channelsOf: (sql: Sql, userIds: readonly UserId[]) => repository.channelIdsOfAny(sql, userIds),

    replaceMembers: (channelId: ChannelId, userIds: readonly UserId[]) =>
      change((tx) => setMembers(tx, channelId, userIds)),

    replaceChannels: (userId: UserId, channelIds: readonly ChannelId[]) =>
      change(async (tx) => setChannels(tx, idOf(await deps.findUser(tx, userId)), channelIds)),

    /** Names are a list or the text of a sheet's cell; two that mean one room are one. */
    replaceChannelsByName: (login: string, names: string | readonly string[]) =>
      change(async (tx) => {
        const userId = await named(tx, login);
        const list = typeof names === 'string' ? splitChannelNames(names) : names;
        const keys = [...new Set(list.map(roomKey))];
        const channelIds = await repository.channelIdsByKey(tx, keys);
        if (channelIds.length < keys.length) throw new AppError('not_found', { what: 'channel' });
        return setChannels(tx, userId, channelIds);
      }),

    removeAllChannels: (login: string) => change(async (tx) => setChannels(tx, await named(tx, login), [])),

    addMember: (userId: UserId, channelId: ChannelId) => change((tx) => add(tx, [userId], [channelId])),

    removeMember: (userId: UserId, channelId: ChannelId) =>
      change(async (tx) => {
        const removed = await remove(tx, [userId], [channelId]);
        if (removed.length === 0) throw new AppError('not_found', { what: 'member' });
        return removed;
      }),
  };
}

const marked = (memberships: readonly repository.Membership[], isMember: boolean): MembershipChange[] =>
  memberships.map(({ userId, channelId }) => ({ userId, channelId, isMember }));
