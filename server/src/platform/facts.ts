import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';

/** A membership that was added (`isMember`) or removed. */
export interface MembershipChange {
  readonly userId: UserId;
  readonly channelId: ChannelId;
  readonly isMember: boolean;
}

/** A channel's fields that a room needs. `version` grows with each change, so that outdated facts can be discarded. */
export interface ChannelFacts {
  readonly id: ChannelId;
  readonly name: string;
  readonly rtcSession: string;
  readonly talkMode: TalkMode;
  readonly version: number;
}

/** Facts by name. They are announced after the commit. */
export interface FactMap {
  channelCreated: { channel: ChannelFacts; changes: readonly MembershipChange[] };
  /** Name, talk mode or both. */
  channelChanged: { channel: ChannelFacts };
  channelDeleted: { channelId: ChannelId };
  /** An import created channels, without members. */
  channelsImported: Record<string, never>;
  membershipsChanged: { changes: readonly MembershipChange[] };
  /** New accounts. `channelIds`: the channels that they are members of. */
  usersCreated: { userIds: readonly UserId[]; channelIds: readonly ChannelId[] };
  /** Fields of accounts changed. `channelIds`: the channels whose lists of members show them. */
  usersChanged: { userIds: readonly UserId[]; channelIds: readonly ChannelId[] };
  roleChanged: { userId: UserId };
  /** The right to the map was given to these users, or taken from them. */
  mapRightChanged: { userIds: readonly UserId[]; mapRight: boolean };
  /** Their sessions and memberships were deleted too. */
  usersDeleted: { userIds: readonly UserId[]; channelIds: readonly ChannelId[] };
  /** A guest entered or left the channel's room. */
  guestsMoved: { channelId: ChannelId };
  /** A guest link was made. */
  guestLinkMade: { channelId: ChannelId };
  /** A guest link was withdrawn or expired; the sessions of its guests are deleted. */
  guestLinkEnded: { linkId: string; channelId: ChannelId };
  sessionEnded: { sessionId: string };
  /** All sessions of a user ended, except the given one. */
  sessionsEnded: { userId: UserId; exceptSessionId: string | null };
}
export type FactName = keyof FactMap;

/**
 * Typed event emitter for committed changes, from the feature that made them to those that react. Each process handles
 * its own sockets; with several processes, facts are what they will forward to each other.
 */
export interface Facts {
  on<F extends FactName>(fact: F, follow: (news: FactMap[F]) => Promise<void> | void): void;
  /** Calls the fact's handlers in order of subscription. A failure in one is logged and doesn't affect the others. */
  tell<F extends FactName>(fact: F, news: FactMap[F]): void;
  /** Waits for all running handlers. */
  settled(): Promise<void>;
}

export function createFacts(log: FastifyBaseLogger): Facts {
  const followers = new Map<FactName, ((news: never) => Promise<void> | void)[]>();
  const pending = new Set<Promise<void>>();
  return {
    on(fact, follow) {
      followers.set(fact, [...(followers.get(fact) ?? []), follow]);
    },
    tell(fact, news) {
      for (const follow of followers.get(fact) ?? []) {
        // Handlers start synchronously, so that their synchronous part is done when `tell` returns.
        const work: Promise<void> = (async () => follow(news as never))()
          .catch((error: unknown) => log.error({ err: error, fact }, 'fact_failed'))
          .finally(() => pending.delete(work));
        pending.add(work);
      }
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
