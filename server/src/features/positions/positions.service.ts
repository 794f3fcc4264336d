import { type ChannelId, type UserId, userId } from '@pressel/contract/ids';
import { POSITION_AGE_MAX_MS, TRAIL_MAX_POINTS, TRAIL_MS } from '@pressel/contract/limits';
import type { LocationNews, ReportedPosition, reportedPosition, TrailPoint } from '@pressel/contract/positions';
import * as z from 'zod';
import { maySeePositions, seesEveryMap } from '#src/accounts/policies.ts';
import { presentPosition } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import { actorOf, type RecordActs } from '#src/history/change.ts';
import { listLastPositions } from '#src/history/latest.repository.ts';
import { type HastyLimit, isWithin, type RateLimit } from '#src/limits/rate-limit.ts';
import type { Relay } from '#src/processes/relay.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import { AppError } from '#src/shared/app-error.ts';
import { PORTION } from '#src/shared/in-pieces.ts';
import { createLastKnown } from './last-known.ts';
import type { PositionStore } from './position-store.ts';
import * as repository from './positions.repository.ts';
import { thinOut } from './thin-out.ts';

/**
 * When a position was recorded, ms: never later than now. Without a time of its own it gets the present time. It is then newer
 * than the last one in any case, for two may come within a millisecond (POS3).
 * @param last when the last known one was recorded, ms
 */
function recordedAtOf(
  { recordedAt, ageMs }: Pick<ReportedPosition, 'recordedAt' | 'ageMs'>,
  now: number,
  last: number,
): number {
  if (ageMs !== undefined) return now - ageMs;
  if (recordedAt !== undefined) return Math.min(Date.parse(recordedAt), now);
  return Math.max(now, last + 1);
}

/** Rows that one statement deletes: it holds nobody up. */
const PART_ROWS = 10_000;
/** Users whose old positions are deleted together. */
const PART_USERS = 100;
const DAY_MS = 86_400_000;

export interface PositionsDeps {
  db: Db;
  store: PositionStore;
  record: RecordActs;
  /** Limits positions of one user. They are shown at once, so they don't wait for the count of all processes. */
  reports: HastyLimit;
  /** Limits entries in the activity log of one user looking up another. */
  lookUps: Pick<RateLimit, 'take' | 'giveBack'>;
  /** @throws AppError not_found, not_a_member */
  enterable(session: Session, target: { id: ChannelId }): Promise<{ id: string; name: string }>;
  /** The relay between the processes; null: this one is alone. */
  relay: Pick<Relay, 'send' | 'on'> | null;
  /** Tells where somebody is to those who may see it. */
  tell(news: LocationNews, channelIds: readonly ChannelId[]): void;
  retentionDays: number;
  now: () => Date;
}

/** News of a position for other processes: its user, and its time, ms. */
const reported = z.object({ userId, at: z.number() });
const TOPIC = 'positions';

export type PositionsService = ReturnType<typeof createPositionsService>;
type Report = z.output<ReturnType<typeof reportedPosition>>;

export function createPositionsService(deps: PositionsDeps) {
  const { db, store, relay } = deps;
  const last = createLastKnown((userIds) => listLastPositions(db, userIds));
  relay?.on(TOPIC, reported, ({ userId, at }) => {
    deps.reports.heard(userId);
    last.heard(userId, at);
  });

  /** The channel, if the caller may see where its members are. @throws AppError forbidden, not_found, not_a_member */
  async function visibleChannel(session: Session, channelId: ChannelId) {
    if (!maySeePositions(session)) throw new AppError('forbidden');
    return deps.enterable(session, { id: channelId });
  }

  async function visibleMember(session: Session, channelId: ChannelId, userId: UserId) {
    const channel = await visibleChannel(session, channelId);
    if (!(await repository.isMember(db, channelId, userId))) throw new AppError('not_found', { what: 'member' });
    return channel;
  }

  /** Logs who looked up somebody, at most once in a while for each pair (POS9). */
  async function recordLookUp(session: Session, userId: UserId, channel: { id: string; name: string }): Promise<void> {
    if (userId === session.userId) return;
    const pair = `${session.userId} ${userId}`;
    if (!(await isWithin(deps.lookUps, pair))) return;
    try {
      const target = { id: userId, name: await repository.nameOf(db, userId) };
      await deps.record(db, [{ type: 'position_get', user: actorOf(session), target, channel, at: deps.now() }]);
    } catch (error) {
      await deps.lookUps.giveBack(pair);
      throw error;
    }
  }

  async function deleteOf(begin: repository.PositionsToDelete, goesOn: GoesOn): Promise<boolean> {
    const { before } = begin;
    let rest: Pick<repository.PositionsToDelete, 'userIds' | 'upTo'> = begin;
    while (rest.userIds.length > 0) {
      if (!(await goesOn())) return false;
      rest = await repository.deletePositions(db, { ...rest, before }, PART_ROWS);
    }
    return true;
  }

  return {
    /**
     * Reports a position of the session's user. It is shown at once; the answer comes when it is stored.
     * @param channelIds the channels of the user at the moment of telling: a membership may end while this waits (POS8)
     * @returns whether it was newer than the last one known
     */
    async report(session: Session, report: Report, channelIds: () => readonly ChannelId[]): Promise<boolean> {
      const { userId } = session;
      await deps.reports.take(userId);
      const known = await last.of(userId);
      const now = deps.now().getTime();
      const before = known.at;
      const at = recordedAtOf(report, now, before);
      // Told before anybody hears where they are, so that other processes compare their devices' positions with it. A position that is
      // too late counts too.
      relay?.send(TOPIC, { userId, at } satisfies z.infer<typeof reported>);
      if (at <= before || at < now - POSITION_AGE_MAX_MS) return false;
      known.at = at;
      const { lat, lng } = report;
      // One number that the database can't hold would make it refuse the positions that are stored with it.
      const accuracy = report.accuracy == null ? null : Math.fround(report.accuracy);
      const position = { userId, lat, lng, accuracy, recordedAt: new Date(at) };
      deps.tell({ userId, ...presentPosition(position, deps.now()) }, channelIds());
      try {
        const isStored = await store.put(position, session);
        // Another process knew a newer one, or the user is gone.
        if (!isStored) last.forget(userId);
        return isStored;
      } catch (error) {
        // The client may send it again.
        if (known.at === at) known.at = before;
        throw error;
      }
    },

    /** Somebody has connected, who may report where they are. */
    came: (userId: UserId): void => last.soon(userId),

    forget(userIds: readonly UserId[]): void {
      for (const userId of userIds) last.forget(userId);
    },

    /** @throws AppError forbidden, not_found, not_a_member */
    requireVisible: async (session: Session, channelId: ChannelId): Promise<void> =>
      void (await visibleChannel(session, channelId)),

    async list(session: Session, { channelId, userIds }: { channelId: ChannelId; userIds?: UserId[] | undefined }) {
      await visibleChannel(session, channelId);
      const isAdmin = seesEveryMap(session);
      const found: Awaited<ReturnType<typeof repository.listMemberPositions>> = [];
      for (let after: UserId | null = null; ; ) {
        const rows = await repository.listMemberPositions(db, { channelId, userIds, isAdmin, after, limit: PORTION });
        found.push(...rows);
        const last = rows.at(-1);
        if (last === undefined || rows.length < PORTION) return found;
        after = last.userId as UserId;
      }
    },

    /** Tells where one member is, and logs the look-up. @returns null when it is not known */
    async lookUp(session: Session, { channelId, userId }: { channelId: ChannelId; userId: UserId }) {
      const channel = await visibleMember(session, channelId, userId);
      await recordLookUp(session, userId, channel);
      const isAdmin = seesEveryMap(session);
      const [row] = await repository.listMemberPositions(db, {
        ...{ channelId, userIds: [userId], isAdmin },
        ...{ after: null, limit: 1 },
      });
      return row ?? null;
    },

    /** The positions of one member within the last hour. */
    async trail(session: Session, { channelId, userId }: { channelId: ChannelId; userId: UserId }) {
      const channel = await visibleMember(session, channelId, userId);
      await recordLookUp(session, userId, channel);
      const now = deps.now().getTime();
      const rows = await repository.listTrail(db, userId, new Date(now - TRAIL_MS));
      return thinOut(rows, TRAIL_MAX_POINTS).map(
        ({ lng, lat, recordedAt }): TrailPoint => [lng, lat, Math.max(0, now - recordedAt.getTime())],
      );
    },

    async close(): Promise<void> {
      last.close();
      await store.settled();
    },

    /** Deletes what is older than the retention, in parts. */
    async sweep(goesOn: GoesOn): Promise<void> {
      const before = new Date(deps.now().getTime() - deps.retentionDays * DAY_MS);
      await repository.deleteOldLastPositions(db, before);
      let userIds: string[] = [];
      do {
        userIds = await repository.listUserIds(db, userIds.at(-1) ?? null, PART_USERS);
        if (!(await deleteOf({ userIds, upTo: null, before }, goesOn))) return;
      } while (userIds.length === PART_USERS);
    },

    /** Deletes all positions of deleted users, in parts. @returns false when it was told to stop */
    async erase(userIds: readonly string[], goesOn: GoesOn): Promise<boolean> {
      // After a crash, millions of deleted rows may come before the first one. To pass those of one user at a time is quick; to pass
      // those of all together would take longer than a statement may.
      const firsts = new Map<string, number>();
      for (const userId of userIds) {
        if (!(await goesOn())) return false;
        const first = await repository.findFirstPosition(db, userId);
        if (first !== null) firsts.set(userId, first.getTime());
      }
      if (firsts.size === 0) return true;
      const upTo = new Date(Math.min(...firsts.values()) - 1).toISOString();
      return deleteOf({ userIds: [...firsts.keys()], upTo, before: null }, goesOn);
    },
  };
}
