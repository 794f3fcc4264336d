import { talkMode } from '@pressel/contract/channels';
import { channelId, userId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import type { Db, Tx } from '#src/db/connect.ts';
import { currentRequest, forRequest, requestId } from '#src/shared/request-id.ts';
import type { Outbox } from './outbox.ts';

const membershipChange = z.object({ userId, channelId, isMember: z.boolean() }).readonly();
/** A membership that was added (`isMember`) or removed. */
export type MembershipChange = z.infer<typeof membershipChange>;

const channelFacts = z
  // A mode that this version doesn't know is read as in the row of the channel.
  .object({
    id: channelId,
    name: z.string(),
    rtcSession: z.string(),
    talkMode: talkMode.catch('single'),
    version: z.int(),
  })
  .readonly();
/** A channel's fields that a room needs. `version` grows with each change, so that outdated facts can be discarded. */
export type ChannelFacts = z.infer<typeof channelFacts>;

const changes = z.array(membershipChange).readonly();
const userIds = z.array(userId).readonly();
const channelIds = z.array(channelId).readonly();

/**
 * Facts by name. They are announced after the commit, by processes of this version and of others: fields may be added, never
 * taken away.
 */
const schemas = {
  channelCreated: z.object({ channel: channelFacts, changes }),
  /** Name, talk mode or both. */
  channelChanged: z.object({ channel: channelFacts }),
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
  /** Their sessions and memberships were deleted too. */
  usersDeleted: z.object({ userIds, channelIds }),
  /** A guest link was made. */
  guestLinkMade: z.object({ channelId }),
  /** A guest link was withdrawn or expired; the sessions of its guests are deleted. */
  guestLinkEnded: z.object({ linkId: z.string(), channelId }),
  sessionEnded: z.object({ sessionId: z.string() }),
  /** All sessions of a user ended, except the given one. */
  sessionsEnded: z.object({ userId, exceptSessionId: z.string().nullable() }),
};

/** What is stored with a fact besides: the request that it came of. */
const carried = z.object({ request: requestId.optional() });

export type FactMap = { [F in keyof typeof schemas]: z.infer<(typeof schemas)[F]> };
export type FactName = keyof FactMap;
/** One fact and what it says. */
export type Fact = { [F in FactName]: { fact: F; news: FactMap[F] } }[FactName];

/** Announces a fact after the commit; nothing is announced on a rollback. */
export type After = <F extends FactName>(fact: F, news: FactMap[F]) => void;

/**
 * Typed event emitter for committed changes, from the feature that made them to those that react. Each process handles its own
 * sockets: with several processes every fact reaches each of them, so handlers tell `sockets.local` alone.
 */
export interface Facts {
  on<F extends FactName>(fact: F, follow: (news: FactMap[F]) => Promise<void> | void): void;
  /**
   * A transaction whose facts are told after its commit, by this process before it returns. Each process tells those of
   * several transactions in the order of the commits, wherever they were made.
   */
  within<T>(work: (tx: Tx, after: After) => Promise<T>): Promise<T>;
  /**
   * Tells this process alone, which every process does by itself. Calls the fact's handlers in order of subscription. A failure in
   * one is logged and doesn't affect the others.
   */
  tell<F extends FactName>(fact: F, news: FactMap[F]): void;
  /** From now on the facts of all processes are told here. */
  open(): Promise<void>;
  /** Hears no other process any more, and waits for all running handlers. */
  close(): Promise<void>;
}

/**
 * @param outbox null: there is no other process
 * @param missed something happened of which this process can't read what
 */
export function createFacts(db: Db, log: FastifyBaseLogger, outbox: Outbox | null, missed: () => void): Facts {
  const unknown = new Set<string>();
  const followers = new Map<FactName, ((news: never) => Promise<void> | void)[]>();
  const pending = new Set<Promise<void>>();
  const tell: Facts['tell'] = (fact, news) => {
    if (currentRequest() !== undefined) log.debug({ fact }, 'fact_told');
    for (const follow of followers.get(fact) ?? []) {
      // Handlers start synchronously, so that their synchronous part is done when `tell` returns.
      const work: Promise<void> = (async () => follow(news as never))()
        .catch((error: unknown) => log.error({ err: error, fact }, 'fact_failed'))
        .finally(() => pending.delete(work));
      pending.add(work);
    }
  };
  /** With an outbox the own facts are told from it too: only so are they in their place among those of other processes. */
  const isToldByOutbox = async (): Promise<boolean> => {
    try {
      return (await outbox?.catchUp()) ?? false;
    } catch (error) {
      // They are stored: whoever follows tells them when the database answers again.
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
      if (told.length > 0 && !(await isToldByOutbox())) for (const { fact, news } of told) tell(fact, news);
      return result;
    },
    tell,
    async open() {
      await outbox?.follow((name, stored) => {
        const fact = Object.hasOwn(schemas, name) ? schemas[name as FactName].safeParse(stored) : null;
        if (fact?.success === true) {
          const request = carried.safeParse(stored).data?.request;
          return forRequest(request, () => tell(name as FactName, fact.data as never));
        }
        if (!unknown.has(name)) log.warn({ fact: name }, 'fact_unknown');
        unknown.add(name);
        // What a newer version has besides is about nothing that this one has. But of what this one has it must not miss anything.
        if (fact !== null) missed();
      });
    },
    async close() {
      await outbox?.close();
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
