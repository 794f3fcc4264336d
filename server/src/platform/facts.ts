import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';

/** A membership that began or ended. */
export interface MembershipChange {
  readonly userId: UserId;
  readonly channelId: ChannelId;
  readonly isMember: boolean;
}

/** A channel as its room shows it. `version` grows with each change, so that older news are known as such. */
export interface ChannelFacts {
  readonly id: ChannelId;
  readonly name: string;
  readonly rtcSession: string;
  readonly talkMode: TalkMode;
  readonly version: number;
}

/** What can have happened. All of it is stored when it is told. */
export interface FactMap {
  channelCreated: { channel: ChannelFacts; changes: readonly MembershipChange[] };
  /** Name, talk mode or both. */
  channelChanged: { channel: ChannelFacts };
  channelDeleted: { channelId: ChannelId };
  /** Many at once, by an import, and without members. */
  channelsImported: Record<string, never>;
  membershipsChanged: { changes: readonly MembershipChange[] };
  /** New accounts. `channelIds`: the channels that they are members of from the start. */
  usersCreated: { channelIds: readonly ChannelId[] };
  /** What accounts say of their owners. `channelIds`: the channels in whose lists of members that shows. */
  usersChanged: { userIds: readonly UserId[]; channelIds: readonly ChannelId[] };
  roleChanged: { userId: UserId };
  /** Their sessions and memberships went with them. */
  usersDeleted: { userIds: readonly UserId[]; channelIds: readonly ChannelId[] };
  sessionEnded: { sessionId: string };
  /** All sessions of a user but one, if one is given. */
  sessionsEnded: { userId: UserId; exceptSessionId: string | null };
}
export type FactName = keyof FactMap;

/**
 * What happened, told by whoever did it to whoever deals with what follows from it. Each process deals with its own
 * sockets: this is what several processes will hand on to each other.
 */
export interface Facts {
  on<F extends FactName>(fact: F, follow: (news: FactMap[F]) => Promise<void> | void): void;
  /** Calls those who follow this fact, in the order in which they began to. What fails in one is logged. */
  tell<F extends FactName>(fact: F, news: FactMap[F]): void;
  /** Waits for all that is under way. */
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
        // Called at once, not in a later turn: who tells next must find it done as far as it needs no waiting.
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
