import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX } from '@pressel/contract/limits';
import type { PastTalk } from '@pressel/contract/voice';
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { orPatience } from '#src/db/rounds.ts';
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
  since(channelId: ChannelId, userId: UserId, version: number, now: () => number): Promise<PastTalk[] | null>;
  forget(channelId: ChannelId): Promise<void>;
  /** Stores what waits. From then on nothing is gathered any more. */
  close(): Promise<void>;
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
          : [{ id, name, beganMsAgo: now() - entry.beganAt, endedMsAgo: now() - entry.endedAt }],
      );
    },
    forget: async (channelId) => void pages.delete(channelId),
    close: async () => undefined,
  };
}

/** Begins and ends of talks are gathered this long, ms, so that a busy process stores them in ten statements a second. */
const GATHER_MS = 100;
/** How long a reader waits first, ms: by then each process has stored what it gathered before. */
const READ_AFTER_MS = 2 * GATHER_MS;
/** Surplus talks are deleted at the first talk of a channel and then at each so many of them. */
const TIDY_EVERY = 50;

const given = sql.placeholder;
/** Rows of other processes' statements are locked in the same order. */
const put = prepared(
  () => sql`
  insert into ${floorTalks} as known (channel_id, participant_id, user_id, name, began_at, version, ended_at)
  select * from unnest(${given('channelIds')}::uuid[], ${given('participantIds')}::text[], ${given('userIds')}::uuid[],
    ${given('names')}::text[], ${given('beganAts')}::bigint[], ${given('versions')}::bigint[], ${given('endedAts')}::bigint[])
    as given (channel_id, participant_id, user_id, name, began_at, version, ended_at)
  order by channel_id, participant_id, began_at
  on conflict (channel_id, participant_id, began_at) do update set
    version = coalesce(excluded.version, known.version), ended_at = coalesce(excluded.ended_at, known.ended_at)`,
);
const tidy = prepared(
  () => sql`
  delete from ${floorTalks} where channel_id = ${given('channelId')}::uuid and version < (
    select version from ${floorTalks} where channel_id = ${given('channelId')}::uuid and version is not null
    order by version desc offset ${sql.raw(String(PAST_TALKS_MAX))} limit 1)`,
);

/** The news of a talk since the last statement. */
interface Note extends Talker {
  readonly channelId: ChannelId;
  readonly version: number | null;
  readonly endedAt: number | null;
  /** Whether surplus talks of its channel are deleted then. */
  readonly isTidied: boolean;
}

/**
 * The journal of several processes, in their database. Begin and end of one talk may come in either order, from two processes.
 * @param pause waits so many ms
 */
export function createSharedTalkJournal(
  db: Db,
  log: FastifyBaseLogger,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): TalkJournal {
  let waiting = new Map<string, Note>();
  const underWay = new Set<Promise<unknown>>();
  let isGathering = false;
  let isEnding = false;
  /** How many talks began in each channel, as far as this process knows. */
  const begun = new Map<ChannelId, number>();

  /** Talks whose statement fails are missing, which is better than a floor that waits. No statement waits for an earlier one. */
  async function store(): Promise<void> {
    if (waiting.size === 0) return;
    const notes = [...waiting.values()];
    waiting = new Map();
    const column = <T>(of: (note: Note) => T) => notes.map(of);
    const storing = put(db, {
      channelIds: column(({ channelId }) => channelId),
      participantIds: column(({ id }) => id),
      userIds: column(({ userId }) => userId),
      names: column(({ name }) => name),
      beganAts: column(({ since }) => since),
      versions: column(({ version }) => version),
      endedAts: column(({ endedAt }) => endedAt),
    })
      .then(() => Promise.all(notes.filter(({ isTidied }) => isTidied).map(({ channelId }) => tidy(db, { channelId }))))
      .catch((error: unknown) => log.warn({ err: error }, 'talk_journal_failed'));
    underWay.add(storing);
    await storing;
    underWay.delete(storing);
  }
  async function gather(): Promise<void> {
    isGathering = true;
    if (!isEnding) await pause(GATHER_MS);
    isGathering = false;
    await store();
  }
  const note = (
    channelId: ChannelId,
    talker: Talker,
    news: Partial<Pick<Note, 'version' | 'endedAt' | 'isTidied'>>,
  ) => {
    const { id, userId, name, since } = talker;
    const key = `${channelId} ${id} ${since}`;
    const known = waiting.get(key) ?? { channelId, id, userId, name, since, ...UNKNOWN };
    waiting.set(key, { ...known, ...news });
    if (!isGathering) void gather();
  };

  /** One more than is told: it says up to which version talks are not known any more. */
  const newest = (channelId: ChannelId) =>
    db
      .select()
      .from(floorTalks)
      .where(and(eq(floorTalks.channelId, channelId), isNotNull(floorTalks.version)))
      .orderBy(desc(floorTalks.version))
      .limit(PAST_TALKS_MAX + 1);

  return {
    began(channelId, talker, version) {
      const count = begun.get(channelId) ?? 0;
      begun.set(channelId, count + 1);
      note(channelId, talker, { version, ...(count % TIDY_EVERY === 0 && { isTidied: true }) });
    },
    ended: (channelId, talker, endedAt) => note(channelId, talker, { endedAt }),
    async since(channelId, userId, version, now) {
      await Promise.all([store(), pause(READ_AFTER_MS)]);
      const talks = await newest(channelId);
      const at = now();
      const dropped = talks[PAST_TALKS_MAX]?.version ?? 0;
      if (version < dropped) return null;
      return talks
        .slice(0, PAST_TALKS_MAX)
        .flatMap((talk) => {
          if (Number(talk.version) <= version || talk.userId === userId || talk.endedAt === null) return [];
          const { participantId, name, beganAt, endedAt } = talk;
          // It may have ended by the clock of another process, or after the question.
          const [beganMsAgo, endedMsAgo] = [Math.max(0, at - beganAt), Math.max(0, at - endedAt)];
          return [{ id: participantId as ParticipantId, name, beganMsAgo, endedMsAgo }];
        })
        .toReversed();
    },
    async forget(channelId) {
      for (const [key, one] of waiting) if (one.channelId === channelId) waiting.delete(key);
      begun.delete(channelId);
      await db.delete(floorTalks).where(eq(floorTalks.channelId, channelId));
    },
    async close() {
      isEnding = true;
      void store();
      await orPatience(Promise.all(underWay).then(() => undefined));
    },
  };
}

const UNKNOWN = { version: null, endedAt: null, isTidied: false };
