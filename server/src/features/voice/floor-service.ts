import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_TICK_MS } from '@pressel/contract/limits';
import type { FloorReply, FloorSnapshot } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import { applyFloor, directAnswer, type FloorInput } from './floor.ts';
import { inChannel } from './floor-answers.ts';
import { createFloor, type FloorState, floorSnapshot, nextDeadline, nextSeq, talkerChanges } from './floor-state.ts';

/** Who asks for the floor, as the session and the room say. */
export interface Asker {
  id: ParticipantId;
  userId: UserId;
  name: string;
  /** Administrator 1, member 0. */
  priority: number;
}

/** What the floor needs to know of a channel. */
export interface FloorChannel {
  id: ChannelId;
  talkMode: TalkMode;
  /** Grows with each edit, so that what was read before one is known as old (TALK29). */
  version: number;
}

export interface FloorServiceDeps {
  /** A steady clock, ms. */
  now: () => number;
  log: FastifyBaseLogger;
  tellParticipant(channelId: ChannelId, id: ParticipantId, reply: FloorReply): void;
  tellRoom(channelId: ChannelId, snapshot: FloorSnapshot): void;
  /** Somebody got or lost the floor. */
  talkChanged(channelId: ChannelId, talker: { id: ParticipantId; userId: UserId }, talking: boolean): void;
}

export type FloorService = ReturnType<typeof createFloorService>;

/**
 * The floors of all channels, for one process: holds the state machine's states, drives its clock and sends out what
 * it says. Asynchronous, so that the states can live in a store that several processes share.
 */
export function createFloorService(deps: FloorServiceDeps) {
  const floors = new Map<ChannelId, FloorState>();
  /** Only these need a look at each tick. */
  const due = new Set<ChannelId>();

  const floorOf = (channelId: ChannelId): FloorState => floors.get(channelId) ?? createFloor('single');

  /** @returns the direct answer to a request or release; everything else is sent out from here. */
  function apply(channelId: ChannelId, input: FloorInput, asker?: ParticipantId): FloorReply | null {
    const now = Math.round(deps.now());
    const before = floorOf(channelId);
    const step = applyFloor(before, input, now);
    const direct = asker === undefined ? undefined : directAnswer(step, asker);
    if (step.state !== before) keep(channelId, step.state);
    for (const { to, reply } of step.replies) {
      if (reply !== direct) deps.tellParticipant(channelId, to, inChannel(reply, channelId));
    }
    if (step.changed) deps.tellRoom(channelId, floorSnapshot(step.state, channelId, now));
    for (const { talker, talking } of talkerChanges(before, step.state)) deps.talkChanged(channelId, talker, talking);
    return direct === undefined ? null : inChannel(direct, channelId);
  }

  function keep(channelId: ChannelId, state: FloorState): void {
    // The version lives on while the process does, so that clients never take a new floor's news for old.
    floors.set(channelId, state);
    if (nextDeadline(state) === null) due.delete(channelId);
    else due.add(channelId);
  }

  const answered = (reply: FloorReply | null): FloorReply => {
    if (reply === null) throw new Error('The floor left a request without an answer');
    return reply;
  };

  const timer = setInterval(() => {
    for (const channelId of [...due]) {
      try {
        apply(channelId, { type: 'tick' });
      } catch (error) {
        deps.log.error({ err: error, channelId }, 'floor_tick_failed');
      }
    }
  }, FLOOR_TICK_MS);

  return {
    /** Floor Request. Without `seq` it comes from a client that counts none and cannot renew. */
    async request(channelId: ChannelId, asker: Asker, seq: number | null, queue: boolean): Promise<FloorReply> {
      const numbered =
        seq === null ? { seq: nextSeq(floorOf(channelId), asker.id), leased: false } : { seq, leased: true };
      return answered(apply(channelId, { type: 'request', ...asker, ...numbered, queue }, asker.id));
    },

    /** Floor Release, without `seq` as above. */
    async release(channelId: ChannelId, id: ParticipantId, seq: number | null): Promise<FloorReply> {
      const number = seq ?? nextSeq(floorOf(channelId), id);
      return answered(apply(channelId, { type: 'release', id, seq: number }, id));
    },

    async renew(channelId: ChannelId, id: ParticipantId, seq: number): Promise<void> {
      apply(channelId, { type: 'renew', id, seq });
    },

    async leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void> {
      apply(channelId, { type: 'leave', ids });
    },

    /** The floor as it is now, in the mode that the channel has. */
    async snapshot({ id, talkMode, version }: FloorChannel): Promise<FloorSnapshot> {
      apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
      return floorSnapshot(floorOf(id), id, Math.round(deps.now()));
    },

    /** Also where nobody is: who enters at this moment may have read the channel before the edit. */
    async setMode({ id, talkMode, version }: FloorChannel): Promise<void> {
      apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
    },

    /** Only who talks or waits is named by a floor, and these are all due. */
    async rename(userId: UserId, name: string): Promise<void> {
      for (const channelId of [...due]) apply(channelId, { type: 'rename', userId, name });
    },

    /** After a channel was deleted and everybody left. */
    async forget(channelId: ChannelId): Promise<void> {
      floors.delete(channelId);
      due.delete(channelId);
    },

    close(): void {
      clearInterval(timer);
    },
  };
}
