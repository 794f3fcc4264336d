import type { TalkEnd } from '@pressel/contract/activities';
import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_TICK_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorReply, FloorSnapshot, PastTalk } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import { applyFloor, directAnswer, type FloorInput } from './floor.ts';
import { inChannel } from './floor-answers.ts';
import { createFloorSigner } from './floor-signature.ts';
import {
  createFloor,
  doubtfulClaims,
  type FloorState,
  floorSnapshot,
  hasClaim,
  nextDeadline,
  nextSeq,
  talkerChanges,
} from './floor-state.ts';
import { createStayProofs } from './stay-proof.ts';
import { createTalkJournal } from './talk-journal.ts';

/** Since the last tick: longer than this, and the process stood still. */
const TICK_LATE_MS = 2 * FLOOR_TICK_MS;

/** The participant who requests the floor, from session and room. */
export interface Asker {
  id: ParticipantId;
  userId: UserId;
  name: string;
  /** Administrator 1, member 0. */
  priority: number;
}

/** The fields of a channel that the floor needs. */
export interface FloorChannel {
  id: ChannelId;
  talkMode: TalkMode;
  /** Grows with each edit, so that a mode read before an edit can be ignored (TALK29). */
  version: number;
}

export interface FloorServiceDeps {
  /** A monotonic clock, ms. */
  now: () => number;
  log: FastifyBaseLogger;
  tellParticipant(channelId: ChannelId, id: ParticipantId, reply: FloorReply): void;
  tellRoom(channelId: ChannelId, news: FloorNews): void;
  /** Calls `told` if the browser of a participant answers, which it does without its page. */
  probe(id: ParticipantId, told: () => void): void;
  talkBegan(channelId: ChannelId, talker: { id: ParticipantId; userId: UserId }): void;
  talkEnded(channelId: ChannelId, talker: { id: ParticipantId; userId: UserId }, talk: EndedTalk): void;
}

/** How long a talk was, ms, and how it ended. */
export interface EndedTalk {
  durationMs: number;
  end: TalkEnd;
}

export type FloorService = ReturnType<typeof createFloorService>;

/**
 * The floors of all channels, for one process: stores the states of the state machine, runs its ticks and sends its
 * replies. Asynchronous, so that a shared store can hold the states with several processes.
 */
export function createFloorService(deps: FloorServiceDeps) {
  const floors = new Map<ChannelId, FloorState>();
  /** Channels with running leases or timers; only these are ticked. */
  const due = new Set<ChannelId>();
  const journal = createTalkJournal();
  const stays = createStayProofs();
  const signer = createFloorSigner();

  const floorOf = (channelId: ChannelId): FloorState => floors.get(channelId) ?? createFloor('single');

  /** Applies an input and sends the replies. @returns the direct answer to a request or release, which is not sent */
  function apply(channelId: ChannelId, input: FloorInput, asker?: ParticipantId): FloorReply | null {
    const now = Math.round(deps.now());
    const before = floorOf(channelId);
    const step = applyFloor(before, input, now);
    const direct = asker === undefined ? undefined : directAnswer(step, asker);
    if (step.state !== before) storeState(channelId, step.state);
    for (const { to, reply } of step.replies) {
      if (reply !== direct) deps.tellParticipant(channelId, to, inChannel(reply, channelId));
    }
    if (step.changed) deps.tellRoom(channelId, signer.sign(floorSnapshot(step.state, channelId, now)));
    for (const { talker, talking } of talkerChanges(before, step.state)) {
      if (talking) {
        journal.began(channelId, talker, step.state.version, now);
        deps.talkBegan(channelId, talker);
      } else {
        journal.ended(channelId, talker.id, now);
        const revoked = step.replies.find(({ to, reply }) => to === talker.id && reply.type === 'revoked')?.reply;
        const end = revoked?.type === 'revoked' ? revoked.reason : 'released';
        deps.talkEnded(channelId, talker, { durationMs: Math.max(0, now - talker.since), end });
      }
    }
    return direct === undefined ? null : inChannel(direct, channelId);
  }

  function storeState(channelId: ChannelId, state: FloorState): void {
    // Kept even when idle, so that versions keep growing and clients never take a newer snapshot for an older one.
    floors.set(channelId, state);
    if (nextDeadline(state) === null) due.delete(channelId);
    else due.add(channelId);
  }

  const answered = (reply: FloorReply | null): FloorReply => {
    if (reply === null) throw new Error('The floor left a request without an answer');
    return reply;
  };

  const tick = () => {
    tickedAt = deps.now();
    for (const channelId of [...due]) {
      try {
        apply(channelId, { type: 'tick' });
        for (const { id, seq } of doubtfulClaims(floorOf(channelId), Math.round(tickedAt))) {
          deps.probe(id, () => apply(channelId, { type: 'alive', id, seq }));
        }
      } catch (error) {
        deps.log.error({ err: error, channelId }, 'floor_tick_failed');
      }
    }
  };
  let tickedAt = deps.now();
  let late: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    clearImmediate(late);
    // Timers come before what arrived while the process stood still, renewals among it: that is read first.
    if (deps.now() - tickedAt > TICK_LATE_MS) late = setImmediate(tick);
    else tick();
  }, FLOOR_TICK_MS);

  return {
    /** What its news are signed with. */
    publicKey: signer.publicKey,

    /** Floor Request. `seq` is null for clients that don't number their presses (TALK27). */
    async request(channelId: ChannelId, asker: Asker, seq: number | null, queue: boolean): Promise<FloorReply> {
      const number = seq ?? nextSeq(floorOf(channelId), asker.id);
      return answered(apply(channelId, { type: 'request', ...asker, seq: number, queue }, asker.id));
    },

    /** Floor Release; `seq` as for a request. */
    async release(channelId: ChannelId, id: ParticipantId, seq: number | null): Promise<FloorReply> {
      const number = seq ?? nextSeq(floorOf(channelId), id);
      return answered(apply(channelId, { type: 'release', id, seq: number }, id));
    },

    async renew(channelId: ChannelId, id: ParticipantId, seq: number): Promise<void> {
      apply(channelId, { type: 'renew', id, seq });
    },

    /** Whether a participant has the floor or waits for it, by the request of this number. */
    async holds(channelId: ChannelId, id: ParticipantId, seq: number): Promise<boolean> {
      return hasClaim(floorOf(channelId), id, seq);
    },

    async leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void> {
      apply(channelId, { type: 'leave', ids });
    },

    /** The current floor, after applying the channel's mode. */
    async snapshot({ id, talkMode, version }: FloorChannel): Promise<FloorSnapshot> {
      apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
      return floorSnapshot(floorOf(id), id, Math.round(deps.now()));
    },

    /** The floor, unless its version is the given one. */
    async newsSince(channelId: ChannelId, version: number): Promise<FloorSnapshot | null> {
      const floor = floorOf(channelId);
      return floor.version === version ? null : floorSnapshot(floor, channelId, Math.round(deps.now()));
    },

    /** A proof for `talksSince` that a user has been in the room since this version. */
    async proveStay(channelId: ChannelId, userId: UserId, version: number): Promise<string> {
      return stays.make(channelId, userId, version);
    },

    /**
     * The talks of others that began after a version and are over (TALK105). Null if they are not known any more, or
     * if the proof doesn't show that the user had been in the room before.
     */
    async talksSince(channelId: ChannelId, userId: UserId, stay: string, version: number): Promise<PastTalk[] | null> {
      const enteredAt = stays.check(stay, channelId, userId);
      if (enteredAt === null || version < enteredAt) return null;
      return journal.since(channelId, userId, version, Math.round(deps.now()));
    },

    /** Also for empty rooms: a participant who is just entering may have read the channel before the edit. */
    async setMode({ id, talkMode, version }: FloorChannel): Promise<void> {
      apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
    },

    /** Visits due floors only: a floor names nobody but talkers and waiters, who have leases or timers. */
    async rename(userId: UserId, name: string): Promise<void> {
      for (const channelId of [...due]) apply(channelId, { type: 'rename', userId, name });
    },

    /** The talkers of now, by channel. */
    async onAir(): Promise<Map<ChannelId, { userId: UserId; name: string; talkingMs: number }[]>> {
      const now = Math.round(deps.now());
      return new Map(
        // A talker has a lease, so that its channel is due.
        [...due].map((channelId) => [
          channelId,
          floorOf(channelId).talkers.map(({ userId, name, since }) => ({
            userId,
            name,
            talkingMs: Math.max(0, now - since),
          })),
        ]),
      );
    },

    /** Call after a channel was deleted and everybody left. */
    async forget(channelId: ChannelId): Promise<void> {
      floors.delete(channelId);
      due.delete(channelId);
      journal.forget(channelId);
    },

    close(): void {
      clearInterval(timer);
      clearImmediate(late);
    },
  };
}
