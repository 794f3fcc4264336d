import type { MessageId, markMessagesRead } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { UNREAD_MAX } from '@pressel/contract/limits';
import type * as z from 'zod';
import { displayName } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Sql, Tx } from '#src/db/connect.ts';
import { actorOf, type RecordActs } from '#src/history/change.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type ChannelAccess, channelExists, refusal, requireChannelAccess } from './channel-access.repository.ts';
import type { MessageBroadcast } from './message-broadcast.ts';
import { countOthersBetween, findMessage } from './messages.repository.ts';
import * as repository from './reading.repository.ts';
import { type Range, unseenParts } from './reading.ts';

/** Maximum of numbers recorded as seen at once, counted from the end of a range: nobody has more on a screen. */
const SEEN_AT_ONCE_MAX = 1_000;
/** Messages seen within this time after those just before them become one entry with these: times are told by the minute. */
const MERGE_MS = 60_000;
/** Readers whose history is deleted together, and ranges that one statement deletes. */
const ERASED_READERS = 100;
const ERASED_ROWS = 5_000;
/** At most one activity message_read per user and channel within this time (CHAT11). */
const RECORD_EVERY_MS = 600_000;

export interface ReadingDeps {
  db: Db;
  record: RecordActs;
  broadcast: Pick<MessageBroadcast, 'read'>;
  now: () => Date;
}

export type ReadingService = ReturnType<typeof createReadingService>;

export function createReadingService({ db, record, broadcast, now }: ReadingDeps) {
  const unreadAfter = (sql: Sql, { channelId, userId }: repository.Reader, after: number) =>
    countOthersBetween(sql, { channel: channelId, reader: userId, after, limit: UNREAD_MAX });

  /** Stores which of these were not seen before, and joins them to what was seen just before. @returns those that are new */
  async function see(tx: Tx, reader: repository.Reader, wanted: Range, at: Date): Promise<Range[]> {
    const seen = await repository.listSeen(tx, reader, wanted);
    const parts = unseenParts(seen, wanted);
    const isRecent = ({ readAt }: { readAt: Date }) => at.getTime() - readAt.getTime() < MERGE_MS;
    const apart: Range[] = [];
    for (const part of parts) {
      const neighbour = seen.find((range) => range.last === part.first - 1 && isRecent(range));
      if (neighbour === undefined) apart.push(part);
      else await repository.extendSeen(tx, reader, { first: neighbour.first, last: part.last });
    }
    await repository.insertSeen(tx, reader, apart, at);
    return parts;
  }

  async function recordReading(
    tx: Tx,
    session: Session,
    access: ChannelAccess,
    recorded: { parts: readonly Range[]; recordedAt: Date | null; at: Date },
  ): Promise<void> {
    const { parts, recordedAt, at } = recorded;
    if (recordedAt !== null && at.getTime() - recordedAt.getTime() < RECORD_EVERY_MS) return;
    const reader = { channelId: access.id, userId: session.userId };
    let isOfOthers = false;
    for (const part of parts) isOfOthers ||= await repository.hasOthers(tx, reader, part);
    if (!isOfOthers) return;
    await repository.setRecordedAt(tx, reader, at);
    await record(tx, [{ type: 'message_read', user: actorOf(session), channel: access, at }]);
  }

  return {
    /** A user's state of reading in a channel. */
    async state(sql: Sql, { userId }: Session, channelId: ChannelId) {
      const { newest, readUpTo } = await repository.findMark(sql, { channelId, userId });
      return { newest, readUpTo, unread: await unreadAfter(sql, { channelId, userId }, readUpTo) };
    },

    /** Called when messages were on the screen: stores that, moves the mark, and tells the user's devices. */
    async mark(session: Session, { channelId, from, to }: z.output<(typeof markMessagesRead)['body']>) {
      const reader = { channelId, userId: session.userId };
      const state = await db.transaction(async (tx) => {
        const access = await requireChannelAccess(tx, channelId, session);
        const { newest, readUpTo: before } = await repository.findMark(tx, reader);
        const last = Math.min(to, newest);
        const moved = await repository.moveMark(tx, reader, Math.max(before, last));
        // The channel or user was deleted since the access was checked.
        if (moved === null) throw await refusal(tx, channelId, session);
        const { readUpTo, recordedAt } = moved;
        const at = now();
        const first = Math.max(from, last - SEEN_AT_ONCE_MAX + 1);
        const parts = first > last ? [] : await see(tx, reader, { first, last }, at);
        await recordReading(tx, session, access, { parts, recordedAt, at });
        return { readUpTo, unread: await unreadAfter(tx, reader, readUpTo) };
      });
      broadcast.read(session.userId, { channelId, ...state });
      return state;
    },

    unreadCounts: ({ userId }: Session) => repository.listUnread(db, userId, UNREAD_MAX),

    /** Deletes what deleted users read, or what was read in deleted channels. @returns false when it was told to stop */
    async erase(kind: 'user' | 'channel', ownerIds: readonly string[], goesOn: GoesOn): Promise<boolean> {
      while (await goesOn()) {
        const readers = await repository.listReadersOf(db, kind, ownerIds, ERASED_READERS);
        if (readers.length === 0) return true;
        await repository.deleteReading(db, readers, ERASED_ROWS);
      }
      return false;
    },

    async readers(messageId: MessageId) {
      const message = await findMessage(db, messageId);
      if (message === null || !(await channelExists(db, message.channelId))) {
        throw new AppError('not_found', { what: 'message' });
      }
      const rows = await repository.listReaders(db, message);
      return {
        res: rows.map((row) => ({
          userId: row.id,
          display_name: displayName(row),
          readAt: row.readAt.toISOString(),
        })),
        memberCount: await repository.countOtherMembers(db, message),
      };
    },
  };
}
