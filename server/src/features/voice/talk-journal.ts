import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX } from '@pressel/contract/limits';
import type { PastTalk } from '@pressel/contract/voice';
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { floorTalks } from '#src/db/schema/floors.ts';
import type { Holder } from './floor-state.ts';

interface Entry {
  readonly id: ParticipantId;
  readonly userId: UserId;
  readonly name: string;
  /** The version of the floor that named them first. */
  readonly version: number;
  readonly beganAt: number;
  endedAt: number | null;
}

interface Page {
  readonly entries: Entry[];
  /** Version of the newest talk that was dropped; 0 without one. */
  droppedVersion: number;
}

type Talker = Pick<Holder, 'id' | 'userId' | 'name' | 'since'>;

/** The latest talks of each channel, for users who missed some of them (TALK105). Times are ms of the floors' clock. */
export interface TalkJournal {
  began(channelId: ChannelId, talker: Talker, version: number): void;
  ended(channelId: ChannelId, talker: Talker, now: number): void;
  /** The talks of other users that began after a version and are over, oldest first. Null: some are not known any more. */
  since(channelId: ChannelId, userId: UserId, version: number, now: number): Promise<PastTalk[] | null>;
  forget(channelId: ChannelId): Promise<void>;
}

/** The journal of a process that is alone, in memory. */
export function createTalkJournal(): TalkJournal {
  const pages = new Map<ChannelId, Page>();

  return {
    began(channelId, { id, userId, name, since }, version) {
      const page = pages.get(channelId) ?? { entries: [], droppedVersion: 0 };
      pages.set(channelId, page);
      page.entries.push({ id, userId, name, version, beganAt: since, endedAt: null });
      if (page.entries.length > PAST_TALKS_MAX) page.droppedVersion = page.entries.shift()?.version ?? 0;
    },
    ended(channelId, { id }, now) {
      const entry = pages.get(channelId)?.entries.findLast((one) => one.id === id);
      if (entry !== undefined) entry.endedAt ??= now;
    },
    async since(channelId, userId, version, now) {
      const page = pages.get(channelId);
      if (page === undefined) return [];
      if (version < page.droppedVersion) return null;
      return page.entries.flatMap(({ id, name, ...entry }) =>
        entry.version <= version || entry.userId === userId || entry.endedAt === null
          ? []
          : [{ id, name, beganMsAgo: now - entry.beganAt, endedMsAgo: now - entry.endedAt }],
      );
    },
    forget: async (channelId) => void pages.delete(channelId),
  };
}

const given = sql.placeholder;
const put = (column: 'version' | 'ended_at', value: string) => sql`
  insert into ${floorTalks} (channel_id, participant_id, user_id, name, began_at, ${sql.raw(column)})
  values (${given('channelId')}::uuid, ${given('participantId')}, ${given('userId')}::uuid, ${given('name')},
    ${given('beganAt')}::bigint, ${given(value)}::bigint)
  on conflict (channel_id, participant_id, began_at) do update set ${sql.raw(column)} = excluded.${sql.raw(column)}`;
/** Also drops surplus talks, except the one that is being stored. */
const begin = prepared(
  () => sql`
  with dropped as (
    delete from ${floorTalks} where channel_id = ${given('channelId')}::uuid and version < (
      select version from ${floorTalks} where channel_id = ${given('channelId')}::uuid and version is not null
      order by version desc offset ${sql.raw(String(PAST_TALKS_MAX))} limit 1))
  ${put('version', 'version')}`,
);
const end = prepared(() => put('ended_at', 'endedAt'));

/** The journal of several processes, in their database. Begin and end of one talk may come in either order, from two processes. */
export function createSharedTalkJournal(db: Db, log: FastifyBaseLogger): TalkJournal {
  /**
   * Statements of a channel don't wait for each other: a talk whose statement fails is missing, which is better than a floor
   * that waits.
   */
  const orLog = (work: Promise<unknown>) => {
    work.catch((error: unknown) => log.warn({ err: error }, 'talk_journal_failed'));
  };
  const valuesOf = (channelId: ChannelId, { id: participantId, userId, name, since }: Talker) => ({
    ...{ channelId, participantId, userId, name, beganAt: since },
  });
  /** One more than is told: it says up to which version talks are not known any more. */
  const newest = (channelId: ChannelId) =>
    db
      .select()
      .from(floorTalks)
      .where(and(eq(floorTalks.channelId, channelId), isNotNull(floorTalks.version)))
      .orderBy(desc(floorTalks.version))
      .limit(PAST_TALKS_MAX + 1);

  return {
    began: (channelId, talker, version) => orLog(begin(db, { ...valuesOf(channelId, talker), version })),
    ended: (channelId, talker, endedAt) => orLog(end(db, { ...valuesOf(channelId, talker), endedAt })),
    async since(channelId, userId, version, now) {
      const talks = await newest(channelId);
      const dropped = talks[PAST_TALKS_MAX]?.version ?? 0;
      if (version < dropped) return null;
      return talks
        .slice(0, PAST_TALKS_MAX)
        .flatMap((talk) => {
          if (Number(talk.version) <= version || talk.userId === userId || talk.endedAt === null) return [];
          const { participantId, name, beganAt, endedAt } = talk;
          return [{ id: participantId as ParticipantId, name, beganMsAgo: now - beganAt, endedMsAgo: now - endedAt }];
        })
        .toReversed();
    },
    async forget(channelId) {
      await db.delete(floorTalks).where(eq(floorTalks.channelId, channelId));
    },
  };
}
