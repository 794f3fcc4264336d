import type { getChannelMessages, Message, MessageId, searchMessages } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import type * as z from 'zod';
import { mayDeleteMessage } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Tx } from '#src/db/connect.ts';
import { actorOf, type RecordActs } from '#src/history/change.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { ChannelHosts } from '#src/sockets/channel-hosts.ts';
import { lockChannelAccessForShare, requireChannelAccess } from './channel-access.repository.ts';
import type { MessageBroadcast } from './message-broadcast.ts';
import * as repository from './messages.repository.ts';
import type { ReadingService } from './reading.service.ts';
import { TURN_MAX_MS } from './sending.ts';

export interface MessagesDeps {
  db: Db;
  record: RecordActs;
  broadcast: Pick<MessageBroadcast, 'deleted'>;
  hosts: Pick<ChannelHosts, 'run'>;
  present(row: repository.MessageRow): Message;
  reading: Pick<ReadingService, 'state'>;
  /** Removes the files of messages that were deleted. */
  dropFiles(storedNames: readonly string[]): Promise<void>;
  now: () => Date;
}

export type MessagesService = ReturnType<typeof createMessagesService>;

export function createMessagesService(deps: MessagesDeps) {
  const { db, broadcast, hosts, present, now } = deps;
  return {
    /** A page of a channel's messages with the caller's state of reading, all as of one moment. */
    history: (session: Session, query: z.output<(typeof getChannelMessages)['body']>) =>
      db.transaction(
        async (tx) => {
          await requireChannelAccess(tx, query.channelId, session);
          const state = await deps.reading.state(tx, session, query.channelId);
          const { rows, hasOlder, hasNewer } = await page(tx, query);
          return { discussion: rows.map(present), hasOlder, hasNewer, ...state };
        },
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      ),

    async search(session: Session, query: z.output<(typeof searchMessages)['body']>) {
      await requireChannelAccess(db, query.channelId, session);
      const { channelId, text, before = null, limit } = query;
      const rows = await repository.listContaining(db, channelId, text, before, limit + 1);
      return { res: rows.slice(0, limit).map(present), hasOlder: rows.length > limit };
    },

    /** Deletes a message with its image, for everybody. */
    async remove(session: Session, messageId: MessageId): Promise<void> {
      const found = await repository.findMessage(db, messageId);
      if (found === null) throw new AppError('not_found', { what: 'message' });
      const channelId = found.channelId as ChannelId;
      const erased = async () => {
        const file = await db.transaction((tx) => erase(tx, deps.record, session, messageId, now()));
        broadcast.deleted({ channelId, id: messageId, number: found.number });
        return file;
      };
      const storedName = await hosts.run(channelId, erased, TURN_MAX_MS);
      if (storedName !== null) await deps.dropFiles([storedName]);
    },
  };
}

/** @returns the stored name of its image, null without one */
async function erase(
  tx: Tx,
  record: RecordActs,
  session: Session,
  messageId: MessageId,
  at: Date,
): Promise<string | null> {
  const message = await repository.lockMessage(tx, messageId);
  if (message === null) throw new AppError('not_found', { what: 'message' });
  const access = await lockChannelAccessForShare(tx, message.channelId, session).catch((error: unknown) => {
    // Check reading first: its refusal must not tell whether the message is the caller's.
    throw error instanceof AppError && error.code === 'not_a_member' ? new AppError('forbidden') : error;
  });
  if (!mayDeleteMessage(session, message)) throw new AppError('forbidden');
  await record(tx, [
    {
      type: 'message_delete',
      user: actorOf(session),
      target: { id: message.userId, name: message.userDisplayName },
      channel: access,
      details: { createdAt: message.createdAt.toISOString() },
      at,
    },
  ]);
  return repository.eraseMessage(tx, messageId, at);
}

async function page(
  tx: Tx,
  { channelId, before, after, around, limit }: z.output<(typeof getChannelMessages)['body']>,
): Promise<{ rows: repository.MessageRow[]; hasOlder: boolean; hasNewer: boolean }> {
  const older = async (bound: number | null, most: number) => {
    const rows = await repository.listBefore(tx, channelId, bound, most + 1);
    return { rows: rows.slice(0, most).reverse(), hasMore: rows.length > most };
  };
  const newer = async (since: number, most: number) => {
    const rows = await repository.listSince(tx, channelId, since, most + 1);
    return { rows: rows.slice(0, most), hasMore: rows.length > most };
  };
  const hasAnySince = async (since: number) => (await repository.listSince(tx, channelId, since, 1)).length > 0;
  const hasAnyBefore = async (bound: number) => (await repository.listBefore(tx, channelId, bound, 1)).length > 0;

  if (around !== undefined) {
    const [left, right] = [await older(around, Math.floor(limit / 2)), await newer(around, Math.ceil(limit / 2))];
    return { rows: [...left.rows, ...right.rows], hasOlder: left.hasMore, hasNewer: right.hasMore };
  }
  if (after !== undefined) {
    const { rows, hasMore } = await newer(after + 1, limit);
    return { rows, hasOlder: await hasAnyBefore(after + 1), hasNewer: hasMore };
  }
  const { rows, hasMore } = await older(before ?? null, limit);
  return { rows, hasOlder: hasMore, hasNewer: before !== undefined && (await hasAnySince(before)) };
}
