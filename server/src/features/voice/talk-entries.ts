import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import { sql } from 'drizzle-orm';
import { ownerOf, type Session } from '#src/accounts/session.ts';
import type { Db, Tx } from '#src/db/connect.ts';
import { IS_ANY_SERVING } from '#src/db/locks.ts';
import { floors } from '#src/db/schema/floors.ts';
import { actorOf, type LoggedAct, type RecordActs } from '#src/history/change.ts';
import { type Allowance, createAllowance } from '#src/limits/rate-limit.ts';
import { readFloor } from './floor-rows.ts';
import type { EndedTalk } from './floor-service.ts';
import { type Holder, isClaimed, type TalkAuthor } from './floor-state.ts';

/** A talk that was under way when the last of all processes ended. */
interface CutTalk {
  readonly id: ParticipantId;
  readonly channelId: ChannelId;
  /** When its page renewed it last, as far as any process heard. */
  readonly heardAt: Date;
  readonly durationMs: number;
}

export interface CutTalksDeps {
  db: Db;
  record: RecordActs;
  /**
   * Leaves a talk to the row of its participant: who comes back goes on with it, and otherwise it is logged (TALK162).
   * @returns false when there is no such row
   */
  keepTalk(tx: Tx, talk: CutTalk): Promise<boolean>;
  onUnreadable(channelId: ChannelId): void;
}

/** PostgreSQL ends the transaction of a process that hangs for this long, ms: the next one to begin waits for it. */
const SILENCE_MAX_MS = 5_000;

/**
 * Gives up the floors of earlier processes, of which none is left. Each talk under way is left to its participant's row, or logged. Both
 * happen in the transaction that deletes its floor, so that it happens once (PROC69).
 */
export const settleCutTalks = ({ db, record, keepTalk, onUnreadable }: CutTalksDeps): Promise<void> =>
  db.transaction(async (tx) => {
    const acts: LoggedAct[] = [];
    await tx.execute(sql`select set_config('idle_in_transaction_session_timeout', ${String(SILENCE_MAX_MS)}, true)`);
    // The process may have been stopped since it asked whether others serve.
    const isNobodyServing = sql.raw(`not ${IS_ANY_SERVING}`);
    const given = await tx
      .delete(floors)
      .where(isNobodyServing)
      .returning({ id: floors.channelId, state: floors.state });
    for (const row of given) {
      const channelId = row.id as ChannelId;
      const floor = readFloor(row.state);
      if (floor === null) onUnreadable(channelId);
      for (const talker of floor?.talkers ?? []) {
        if (!isClaimed(talker)) continue;
        const { heardAt, durationMs } = cutOff(talker);
        if (await keepTalk(tx, { id: talker.id, channelId, heardAt, durationMs })) continue;
        const { author } = talker;
        const details = { durationMs, end: 'left' } as const;
        if (author !== null)
          acts.push({ type: 'channel_talk', user: author.user, channel: author.channel, details, at: heardAt });
      }
    }
    await record(tx, acts);
  });

const cutOff = ({ since, leaseUntil, talkUntil }: Holder): Pick<CutTalk, 'heardAt' | 'durationMs'> => {
  const heardAt = Math.max(since, Math.min(leaseUntil - FLOOR_LEASE_MS, talkUntil));
  return { heardAt: new Date(heardAt), durationMs: heardAt - since };
};

/**
 * Limit of entries, burst and per second, of one user or of the guests of one link. It is not that of a socket, which
 * reconnecting would renew. Talks beyond it become one entry, which is written when the limit allows the next one.
 */
const ENTRIES_BURST = 60;
const ENTRIES_PER_SECOND = 0.5;
/** After this long without talks the whole burst is back, so that nothing needs to be kept, ms. */
const FORGET_MS = (ENTRIES_BURST / ENTRIES_PER_SECOND) * 1_000;
/** Hours begin at these steps in every zone: talks that began in one step began in one hour, wherever they are read. */
const HOUR_STEP_MS = 900_000;
/** Above this number of remembered owners, those without recent talks are removed. */
const KEPT_MAX = 1_000;

/** Logs talks when they end: who talked, how long, and how they ended (LOG4). */
export interface TalkEntries {
  ended(author: TalkAuthor, talk: EndedTalk): void;
  /** Writes what is left. */
  close(): void;
}

/** Talks of one person in one channel that wait to become one entry; it tells how and when the last of them ended. */
interface Unwritten extends EndedTalk {
  readonly author: TalkAuthor;
  readonly talks: number;
  /** The beginning of the first of them, ms. */
  readonly beganAt: number;
  readonly at: Date;
}

interface Owner {
  readonly allowance: Allowance;
  /** By person, channel and step of the hour (LOG63), in the order in which they began to wait. */
  readonly unwritten: Map<string, Unwritten>;
  lastAt: number;
}

/** @param channel the room, by the name that it has now */
export const authorOf = (session: Session, { id, name }: TalkAuthor['channel']): TalkAuthor => ({
  owner: ownerOf(session),
  user: actorOf(session),
  channel: { id, name },
});

export function createTalkEntries(deps: {
  add(act: LoggedAct): void;
  now: () => Date;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}): TalkEntries {
  const owners = new Map<string, Owner>();
  let timer: NodeJS.Timeout | undefined;

  const ownerOfTalk = ({ owner }: TalkAuthor): Owner => {
    const lastAt = deps.steadyNow();
    if (owners.size >= KEPT_MAX && !owners.has(owner)) {
      for (const [key, one] of owners) {
        if (one.unwritten.size === 0 && lastAt - one.lastAt >= FORGET_MS) owners.delete(key);
      }
    }
    const known = owners.get(owner) ?? {
      allowance: createAllowance(ENTRIES_BURST, ENTRIES_PER_SECOND, deps.steadyNow),
      unwritten: new Map<string, Unwritten>(),
      lastAt,
    };
    known.lastAt = lastAt;
    owners.set(owner, known);
    return known;
  };
  const write = ({ author: { user, channel }, durationMs, end, talks, beganAt, at }: Unwritten): void => {
    const details = { durationMs, end, ...(talks > 1 ? { talks, spanMs: at.getTime() - beganAt } : {}) };
    deps.add({ type: 'channel_talk', user, channel, details, at });
  };
  const writeSome = ({ allowance, unwritten }: Owner): void => {
    for (const [key, talks] of unwritten) {
      if (!allowance.take()) break;
      unwritten.delete(key);
      write(talks);
    }
    if (unwritten.size > 0) timer ??= setTimeout(writeWaiting, 1_000 / ENTRIES_PER_SECOND).unref();
  };
  const writeWaiting = (): void => {
    timer = undefined;
    for (const owner of owners.values()) if (owner.unwritten.size > 0) writeSome(owner);
  };

  return {
    ended(author, { durationMs, end }) {
      const owner = ownerOfTalk(author);
      const at = deps.now();
      const beganAt = at.getTime() - durationMs;
      const key = `${author.user.id} ${author.channel.id} ${Math.floor(beganAt / HOUR_STEP_MS)}`;
      const before = owner.unwritten.get(key);
      owner.unwritten.set(key, {
        author,
        end,
        durationMs: durationMs + (before?.durationMs ?? 0),
        talks: 1 + (before?.talks ?? 0),
        beganAt: before?.beganAt ?? beganAt,
        at,
      });
      writeSome(owner);
    },
    close() {
      clearTimeout(timer);
      for (const { unwritten } of owners.values()) {
        for (const talks of unwritten.values()) write(talks);
        unwritten.clear();
      }
    },
  };
}
