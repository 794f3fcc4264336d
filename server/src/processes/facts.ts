import { talkMode } from '@pressel/contract/channels';
import { channelId, userId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import type { Db, Tx } from '#src/db/connect.ts';
import { currentRequest, forRequest, requestId } from '#src/logs/log.ts';
import type { Outbox } from './outbox.ts';

const membershipChange = z.object({ userId, channelId, isMember: z.boolean() }).readonly();
/** A membership that was added (`isMember`) or removed. */
export type MembershipChange = z.infer<typeof membershipChange>;

const channelState = z
  // An unknown talk mode is read as in the channel's row.
  .object({
    id: channelId,
    name: z.string(),
    rtcSession: z.string(),
    talkMode: talkMode.catch('single'),
    version: z.int(),
  })
  .readonly();
/** A channel's fields that a room needs. `version` grows with each change, so that outdated facts can be discarded. */
export type ChannelState = z.infer<typeof channelState>;

const changes = z.array(membershipChange).readonly();
const userIds = z.array(userId).readonly();
const channelIds = z.array(channelId).readonly();

/**
 * Facts by name. They are announced after the commit, among processes of this and other versions: fields may be added but
 * never removed.
 */
const schemas = {
  channelCreated: z.object({ channel: channelState, changes }),
  /** The name, the talk mode or both changed. */
  channelChanged: z.object({ channel: channelState }),
  channelDeleted: z.object({ channelId }),
  /** An import created channels, without members. */
  channelsImported: z.object({}),
  membershipsChanged: z.object({ changes }),
  /** New accounts. `channelIds`: the channels that they are members of. */
  usersCreated: z.object({ userIds, channelIds }),
  /** Fields of accounts changed. `channelIds`: the channels whose lists of members show them. */
  usersChanged: z.object({ userIds, channelIds }),
  roleChanged: z.object({ userId }),
  /** The right to the map was given to these users, or taken from them. */
  mapRightChanged: z.object({ userIds, mapRight: z.boolean() }),
  /** Users were deleted, with their sessions and memberships. */
  usersDeleted: z.object({ userIds, channelIds }),
  /** A guest link was made. */
  guestLinkMade: z.object({ channelId }),
  /** A guest link was withdrawn or has expired, so the sessions of its guests are no longer valid. */
  guestLinkEnded: z.object({ linkId: z.string(), channelId }),
  sessionEnded: z.object({ sessionId: z.string() }),
  /** All sessions of a user ended, except the given one. */
  sessionsEnded: z.object({ userId, exceptSessionId: z.string().nullable() }),
};

/** Stored with a fact: the request that caused it. */
const carried = z.object({ request: requestId.optional() });

export type FactMap = { [F in keyof typeof schemas]: z.infer<(typeof schemas)[F]> };
export type FactName = keyof FactMap;
/** One fact and its data. */
export type Fact = { [F in FactName]: { fact: F; news: FactMap[F] } }[FactName];

/** Announces a fact after the commit; nothing is announced on a rollback. */
export type After = <F extends FactName>(fact: F, news: FactMap[F]) => void;

/**
 * Typed event emitter for committed changes: the feature that made a change announces it, and others react. With several processes
 * each of them gets every fact and handles its own sockets, so handlers use `sockets.local` alone.
 */
export interface Facts {
  on<F extends FactName>(fact: F, follow: (news: FactMap[F]) => Promise<void> | void): void;
  /**
   * Runs a transaction and announces its facts after the commit, in this process before it returns. Each process announces the
   * facts of all transactions in the order of their commits, wherever they were made.
   */
  within<T>(work: (tx: Tx, after: After) => Promise<T>): Promise<T>;
  /**
   * Announces a fact in this process only: every process finds out by itself, for example that a guest's link has expired. Calls the
   * fact's handlers in the order of subscription. A failing handler is logged and doesn't affect the others.
   */
  publish<F extends FactName>(fact: F, news: FactMap[F]): void;
  /**
   * Announces here all facts that any process has committed by now. Call it beside a read that later facts are compared with: a
   * fact that is on its way may be older than the read.
   */
  catchUp(): Promise<void>;
  /** From now on this process hears the facts of all processes. */
  open(): Promise<void>;
  /** Stops listening to other processes, and waits for all running handlers. */
  close(): Promise<void>;
}

/**
 * @param outbox null: there is no other process
 * @param missed called when this process can't read what happened
 */
export function createFacts(db: Db, log: FastifyBaseLogger, outbox: Outbox | null, missed: () => void): Facts {
  const unknown = new Set<string>();
  const followers = new Map<FactName, ((news: never) => Promise<void> | void)[]>();
  const pending = new Set<Promise<void>>();
  const publish: Facts['publish'] = (fact, news) => {
    if (currentRequest() !== undefined) log.debug({ fact }, 'fact_told');
    for (const follow of followers.get(fact) ?? []) {
      // Handlers start synchronously, so that their synchronous part is done when `publish` returns.
      const work: Promise<void> = (async () => follow(news as never))()
        .catch((error: unknown) => log.error({ err: error, fact }, 'fact_failed'))
        .finally(() => pending.delete(work));
      pending.add(work);
    }
  };
  /** With an outbox, own facts come from it too: this keeps their order among those of other processes. */
  const isToldByOutbox = async (): Promise<boolean> => {
    try {
      return (await outbox?.catchUp()) ?? false;
    } catch (error) {
      // The facts are stored: the outbox hands them over when the database answers again.
      log.warn({ err: error }, 'facts_late');
      return true;
    }
  };
  return {
    on(fact, follow) {
      followers.set(fact, [...(followers.get(fact) ?? []), follow]);
    },
    async within(work) {
      const told: Fact[] = [];
      const result = await db.transaction(async (tx) => {
        const outcome = await work(tx, (fact, news) => void told.push({ fact, news } as Fact));
        const request = currentRequest();
        const stored = told.map(({ fact, news }) => ({ fact, news: { ...news, request } }));
        if (outbox !== null && told.length > 0) await outbox.write(tx, stored);
        return outcome;
      });
      if (told.length > 0 && !(await isToldByOutbox())) for (const { fact, news } of told) publish(fact, news);
      return result;
    },
    publish,
    async catchUp() {
      await outbox?.catchUp();
    },
    async open() {
      await outbox?.follow((name, stored) => {
        const fact = Object.hasOwn(schemas, name) ? schemas[name as FactName].safeParse(stored) : null;
        if (fact?.success === true) {
          const request = carried.safeParse(stored).data?.request;
          return forRequest(request, () => publish(name as FactName, fact.data as never));
        }
        if (!unknown.has(name)) log.warn({ fact: name }, 'fact_unknown');
        unknown.add(name);
        // This version can ignore a newer version's additional facts. But it must not miss a fact that it knows.
        if (fact !== null) missed();
      });
    },
    async close() {
      await outbox?.close();
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
