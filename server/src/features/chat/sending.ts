import type { Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Sql } from '#src/db/connect.ts';
import { isCollision, violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { Batch, ChannelHosts } from '#src/sockets/channel-hosts.ts';
import { refusal } from './channel-access.repository.ts';
import type { MessageBroadcast } from './message-broadcast.ts';
import type { InsertMessage } from './messages.repository.ts';
import * as repository from './messages.repository.ts';

/** Maximum of messages per transaction: it locks their senders' rows, so that deleting one of them waits for it. */
const TOGETHER_MAX = 32;
/** Maximum wait of a message, or a deletion, for its turn, ms. */
export const TURN_MAX_MS = 5_000;

export interface SendingDeps {
  db: Db;
  insertMessage: InsertMessage;
  broadcast: Pick<MessageBroadcast, 'created'>;
  hosts: Pick<ChannelHosts, 'add'>;
  present(row: repository.MessageRow): Message;
  now: () => Date;
}

/** A message as somebody sends it. */
export interface Draft {
  channelId: ChannelId;
  text: string;
  clientId?: string | undefined;
  file?: repository.NewFile | null;
}

/** `isNew`: false for a message that was stored before. */
export interface Sent {
  message: Message;
  isNew: boolean;
}

export interface Sending {
  /**
   * The message that the sender stored under this id before (CHAT3), if any.
   * @throws AppError not_found: it was deleted since; conflict: it was for another channel
   */
  alreadySent(session: Session, draft: Draft): Promise<Message | null>;
  /** Stores a message and tells it; one that was stored before is returned, and not told again. */
  send(session: Session, draft: Draft): Promise<Sent>;
}

interface Stored {
  row: repository.MessageRow;
  channelName: string;
}

interface Waiting {
  session: Session;
  draft: Draft;
  resolve(sent: Sent): void;
  reject(reason: unknown): void;
}

/**
 * Stores messages of a channel that wait for their turn side by side together, so that a crowd doesn't wait for one commit
 * after the other. Each message stands for itself: a fault in one of them concerns its sender alone.
 */
export function createSending({ db, insertMessage, broadcast, hosts, present, now }: SendingDeps): Sending {
  /** Stores a message with its number and its activity; null if the author has no access to the channel. */
  async function store(sql: Sql, { session, draft }: Waiting): Promise<Stored | null> {
    const { channelId, text, clientId, file = null } = draft;
    const at = now();
    const id = uuidV7(at.getTime());
    const row = {
      id,
      channelId,
      userId: session.userId,
      userDisplayName: session.displayName,
      text,
      clientId: clientId ?? id,
      createdAt: at,
      file,
    };
    const stored = await insertMessage(sql, row, session);
    return stored && { row: { ...row, number: stored.number }, channelName: stored.channelName };
  }

  async function alreadySent(session: Session, { channelId, clientId }: Draft): Promise<Message | null> {
    if (clientId === undefined) return null;
    const sent = await repository.findSent(db, session.userId, clientId);
    if (sent === null) return null;
    if (sent === 'deleted') throw new AppError('not_found', { what: 'message' });
    if (sent.channelId !== channelId) throw new AppError('conflict', { what: 'message' });
    return present(sent);
  }

  async function answer({ session, draft, resolve }: Waiting, stored: Stored | null): Promise<void> {
    if (stored === null) throw await refusal(db, draft.channelId, session);
    const message = present(stored.row);
    broadcast.created(message, stored.channelName);
    resolve({ message, isNew: true });
  }

  async function storeAlone(one: Waiting): Promise<void> {
    let stored: Stored | null;
    try {
      stored = await store(db, one);
    } catch (error) {
      if (violatedConstraint(error) !== 'messages_client_key') throw error;
      const message = await alreadySent(one.session, one.draft);
      if (message === null) throw error;
      return one.resolve({ message, isNew: false });
    }
    await answer(one, stored);
  }

  /** @returns null when none of them is stored because of one among them, or of another transaction */
  async function storeTogether(batch: readonly Waiting[]): Promise<(Stored | null)[] | null> {
    try {
      return await db.transaction(async (tx) => {
        const rows: (Stored | null)[] = [];
        for (const one of batch) rows.push(await store(tx, one));
        return rows;
      });
    } catch (error) {
      if (violatedConstraint(error) !== null || isCollision(error)) return null;
      throw error;
    }
  }

  /**
   * Splits a batch into messages that can be stored together, and those that were perhaps sent before. So an outbox that begins
   * anew doesn't make everybody else's be stored one by one.
   */
  async function sorted(batch: readonly Waiting[]): Promise<{ first: Waiting[]; again: Waiting[] }> {
    const asked = batch.map(({ session, draft }) => ({ sender: session.userId, given: draft.clientId ?? null }));
    const known = new Set(await repository.findGiven(db, asked));
    const first: Waiting[] = [];
    const again: Waiting[] = [];
    for (const [place, one] of batch.entries()) {
      const { sender, given } = asked[place] ?? {};
      const key = `${sender} ${given}`;
      const isRepeated = given !== null && known.has(key);
      known.add(key);
      (isRepeated ? again : first).push(one);
    }
    return { first, again };
  }

  const together: Batch<Waiting> = {
    most: TOGETHER_MAX,
    waitMaxMs: TURN_MAX_MS,
    async work(batch) {
      const { first, again } = batch.length > 1 ? await sorted(batch) : { first: [], again: batch };
      const rows = first.length > 1 ? await storeTogether(first) : null;
      for (const [index, one] of first.entries()) {
        await (rows === null ? storeAlone(one) : answer(one, rows[index] ?? null)).catch(one.reject);
      }
      for (const one of again) await storeAlone(one).catch(one.reject);
    },
    refuse: ({ reject }, reason) => reject(reason),
  };

  return {
    alreadySent,

    send(session, draft) {
      const { promise, resolve, reject } = Promise.withResolvers<Sent>();
      hosts.add(draft.channelId, together, { session, draft, resolve, reject });
      return promise;
    },
  };
}
