import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { actorOf, type LoggedAct } from '#src/platform/acts.ts';
import type { Socket } from '#src/platform/sockets.ts';
import { type Allowance, createAllowance } from '#src/shared/rate-limit.ts';
import { ownerOf } from '#src/shared/session.ts';
import type { EndedTalk } from './floor-service.ts';

/**
 * Entries at once, and a second in the long run, of one user or of the guests of one link: by socket a new connection would
 * bring new ones. Of more talks than that several become one entry.
 */
const ENTRIES_BURST = 60;
const ENTRIES_PER_SECOND = 0.5;
/** Without talks for so long there is the whole burst again, so that nothing needs to be kept, ms. */
const FORGET_MS = (ENTRIES_BURST / ENTRIES_PER_SECOND) * 1_000;
/** Above this number of remembered ones, those are removed. */
const KEPT_MAX = 1_000;

/** Puts talks down in the activity log when they end: who talked, how long, and how it ended (LOG4). */
export interface TalkEntries {
  began(channelId: ChannelId, socket: Socket): void;
  ended(channelId: ChannelId, id: ParticipantId, talk: EndedTalk): void;
}

interface Talker {
  readonly socket: Socket;
  readonly user: ReturnType<typeof actorOf>;
  readonly channel: { id: string; name: string };
}
/** Talks of a socket that have no entry yet. */
interface Unwritten {
  /** Of the last of them; null without any. */
  last: { talker: Talker; end: EndedTalk['end'] } | null;
  durationMs: number;
  talks: number;
}

export function createTalkEntries(deps: {
  add(act: LoggedAct): void;
  now: () => Date;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}): TalkEntries {
  /** Who talks, by participant: a socket may be gone when its talk ends. */
  const talkers = new Map<ParticipantId, Talker>();
  const unwritten = new WeakMap<Socket, Unwritten>();
  const allowances = new Map<string, { allowance: Allowance; lastAt: number }>();
  const allowanceOf = ({ data: { session } }: Socket): Allowance => {
    const owner = ownerOf(session);
    const lastAt = deps.steadyNow();
    if (allowances.size >= KEPT_MAX && !allowances.has(owner)) {
      for (const [key, one] of allowances) if (lastAt - one.lastAt >= FORGET_MS) allowances.delete(key);
    }
    const known = allowances.get(owner) ?? {
      allowance: createAllowance(ENTRIES_BURST, ENTRIES_PER_SECOND, deps.steadyNow),
      lastAt,
    };
    known.lastAt = lastAt;
    allowances.set(owner, known);
    return known.allowance;
  };
  const unwrittenOf = (socket: Socket): Unwritten => {
    const known = unwritten.get(socket) ?? {
      last: null,
      durationMs: 0,
      talks: 0,
    };
    unwritten.set(socket, known);
    return known;
  };
  const write = (rest: Unwritten): void => {
    if (rest.last === null) return;
    const { talker, end } = rest.last;
    const details = { durationMs: rest.durationMs, end, ...(rest.talks > 1 ? { talks: rest.talks } : {}) };
    deps.add({ type: 'channel_talk', user: talker.user, channel: talker.channel, details, at: deps.now() });
    Object.assign(rest, { last: null, durationMs: 0, talks: 0 });
  };

  return {
    began(channelId, socket) {
      const { session, channel } = socket.data;
      if (channel?.id !== channelId) return;
      const { id, name } = channel;
      talkers.set(socket.id as ParticipantId, { socket, user: actorOf(session), channel: { id, name } });
    },
    ended(channelId, id, { durationMs, end }) {
      const talker = talkers.get(id);
      if (talker?.channel.id !== channelId) return;
      talkers.delete(id);
      const rest = unwrittenOf(talker.socket);
      // Those of another channel are not this one's (LOG4).
      if (rest.last !== null && rest.last.talker.channel.id !== channelId) write(rest);
      rest.last = { talker, end };
      rest.durationMs += durationMs;
      rest.talks += 1;
      // Who leaves has no next entry to add it to.
      if (allowanceOf(talker.socket).take() || end === 'left') write(rest);
    },
  };
}
