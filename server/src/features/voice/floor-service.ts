import type { TalkEnd } from '@pressel/contract/activities';
import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_TICK_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorReply, PastTalk } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import { applyInputs, directAnswer, type FloorInput, isEvidence } from './floor.ts';
import { createWaitingRequests, inChannel, type Refusal, type WaitingRequest } from './floor-answers.ts';
import { createFloorSigner, createRoomProofs } from './floor-signature.ts';
import {
  type Asker,
  doubtfulClaims,
  type FloorState,
  floorSnapshot,
  type Holder,
  hasClaim,
  isClaimed,
  isRecovering,
  nextDeadline,
  nextSeq,
  talkerChanges,
} from './floor-state.ts';
import type { FloorReading, FloorStore } from './floor-store.ts';
import { createMissedNews, type FloorCluster } from './missed-news.ts';
import type { TalkJournal } from './talk-journal.ts';

/** If the last tick is longer ago than this, the process stood still. */
const TICK_LATE_MS = 2 * FLOOR_TICK_MS;

/** The fields of a channel that the floor needs. */
export interface FloorChannel {
  id: ChannelId;
  talkMode: TalkMode;
  /** Grows with each edit, so that a mode read before an edit can be ignored (TALK29). */
  version: number;
}

/** A participant who enters a room or comes back to it, and what its client remembers of the floor. */
export interface FloorEntry extends Pick<Asker, 'id' | 'priority' | 'author'> {
  /** The newest signed floor of the channel that the client has (TALK150). */
  floor?: FloorNews | undefined;
  /**
   * Given by a participant who was in the room before (TALK151): the number of the press by which it talks or waits, or null if it
   * does neither. Newcomers leave it out.
   */
  claim?: number | null;
}

export interface FloorServiceDeps {
  store: FloorStore;
  journal: TalkJournal;
  /** Connects this process with the others that share the floors; null if it is the only one. */
  cluster: FloorCluster | null;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  /** Keys of the installation: `floors` signs floors, `stays` signs room proofs. */
  keys: { floors: Buffer; stays: Buffer };
  log: FastifyBaseLogger;
  tellParticipant(channelId: ChannelId, id: ParticipantId, reply: FloorReply): void;
  /** `before`: who talked before this change. */
  tellRoom(channelId: ChannelId, news: FloorNews, before: readonly Holder[]): void;
  /** Returns those of the users who may enter the channel's room. */
  entitled(channelId: ChannelId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>>;
  /** Sends the participant's browser a ping and calls `told` when it answers. A browser answers even while its page is busy. */
  probe(id: ParticipantId, told: () => void): void;
  talkBegan(channelId: ChannelId, talker: Holder): void;
  talkEnded(channelId: ChannelId, talker: Holder, talk: EndedTalk): void;
}

/** How long a talk was, ms, and how it ended. */
export interface EndedTalk {
  durationMs: number;
  end: TalkEnd;
}

export type FloorService = ReturnType<typeof createFloorService>;

/**
 * The floors of all channels: passes inputs to the state machine, runs its ticks and sends its replies. The store holds the
 * states.
 */
export function createFloorService(deps: FloorServiceDeps) {
  const { store, journal, cluster } = deps;
  const roomProofs = createRoomProofs(deps.keys.stays);
  const signer = createFloorSigner(deps.keys.floors);
  const waiting = createWaitingRequests();
  const activeFloors = async () => (store.isOpen() ? await store.active() : []);
  let isStopped = false;
  /** Counts the changes of who may enter rooms. */
  let accessChanges = 0;

  /**
   * Applies an input, or several in one step, and sends the replies. A function as `input` makes the input from the floor's state, or
   * null to change nothing.
   * @returns the answer to the request or release of `asker`. It isn't sent, because the caller acknowledges with it.
   */
  async function apply(
    channelId: ChannelId,
    input: FloorInput | readonly FloorInput[] | ((state: FloorState) => FloorInput | null),
    asker?: ParticipantId,
  ): Promise<FloorReply | null> {
    const { before, step, now } = await store.change(channelId, (state, at) => {
      const made = typeof input === 'function' ? (input(state) ?? []) : input;
      return applyInputs(state, [made].flat(), at);
    });
    const direct = asker === undefined ? undefined : directAnswer(step, asker);
    if (isStopped && cluster === null) return direct === undefined ? null : inChannel(direct, channelId);
    for (const { to, reply } of step.replies) {
      if (reply !== direct) deps.tellParticipant(channelId, to, inChannel(reply, channelId));
    }
    if (step.changed) deps.tellRoom(channelId, signed(channelId, step.state, now), before.talkers);
    missed?.made(channelId, step.state);
    for (const { talker, talking } of talkerChanges(before, step.state)) {
      if (talking) {
        journal.began(channelId, talker, step.state.version);
        deps.talkBegan(channelId, talker);
      } else {
        journal.ended(channelId, talker, now);
        const revoked = step.replies.find(({ to, reply }) => to === talker.id && reply.type === 'revoked')?.reply;
        const end = revoked?.type === 'revoked' ? revoked.reason : 'released';
        deps.talkEnded(channelId, talker, { durationMs: durationOf(talker, now), end });
      }
    }
    return direct === undefined ? null : inChannel(direct, channelId);
  }

  const durationOf = ({ since }: { since: number }, now: number) => Math.max(0, now - since);

  const signed = (channelId: ChannelId, state: FloorState, now: number): FloorNews =>
    signer.sign(floorSnapshot(state, channelId, now), now);

  const missed = cluster === null ? null : createMissedNews({ store, cluster, signed });

  const answered = (reply: FloorReply | null): FloorReply => {
    if (reply === null) throw new Error('The floor left a request without an answer');
    return reply;
  };

  const requestOf = (state: FloorState, asker: Asker, seq: number | null, queue: boolean): FloorInput => ({
    ...{ type: 'request', ...asker, queue },
    seq: seq ?? nextSeq(state, asker.id),
  });

  /** Lets the channel's waiting requests go on, once the talks of an earlier process are known. */
  const endWaiting = async (channelId: ChannelId) => {
    if (waiting.isAny(channelId) && !isRecovering((await store.read(channelId)).state)) waiting.admit(channelId);
  };

  /** Applies an input and refuses the waiting requests that it outdates. Refuses twice: more may begin to wait meanwhile. */
  const applyAndRefuse = async (
    channelId: ChannelId,
    input: Parameters<typeof apply>[1],
    refusal: Refusal,
    isMeant: (one: WaitingRequest) => boolean,
    asker?: ParticipantId,
  ) => {
    waiting.refuse(channelId, refusal, isMeant);
    const reply = await apply(channelId, input, asker);
    waiting.refuse(channelId, refusal, isMeant);
    return reply;
  };

  /** The input by which the floor that a client brings is restored, if an earlier process signed it for this channel. */
  const restorationOf = async (channelId: ChannelId, floor: FloorNews | undefined): Promise<FloorInput[]> => {
    if (floor === undefined || floor.channelId !== channelId || !signer.isGenuine(floor)) return [];
    const isNew = isEvidence((await store.read(channelId)).state, floor);
    const entitled = await entitledOf(channelId, isNew ? floor.talkers : []);
    // The change may wait for others, so it counts the time since then itself.
    const signedAt = floor.signedAt < store.openedAt() ? floor.signedAt : null;
    return [{ type: 'restore', floor, entitled, signedAt }];
  };

  /** Reads which talkers may enter. Reads again if access changed meanwhile, because the answer may be outdated. */
  const entitledOf = async (channelId: ChannelId, talkers: readonly { userId: UserId }[]) => {
    if (talkers.length === 0) return new Set<UserId>();
    const userIds = talkers.map(({ userId }) => userId);
    for (;;) {
      const before = accessChanges;
      const entitled = await deps.entitled(channelId, userIds);
      if (accessChanges === before) return entitled;
    }
  };

  /** Ends the restored talks of absent users who may no longer enter. Presence removes those who have come back. */
  const endUnentitled = async (channelId: ChannelId, state: FloorState) => {
    const absent = state.talkers.filter((talker) => !isClaimed(talker));
    const entitled = await entitledOf(channelId, absent);
    const ids = absent.filter(({ userId }) => !entitled.has(userId)).map(({ id }) => id);
    if (ids.length > 0) await apply(channelId, { type: 'leave', ids });
  };

  const tickOne = async ({ id: channelId, ...reading }: FloorReading) => {
    const isDue = (nextDeadline(reading.state) ?? Number.POSITIVE_INFINITY) <= reading.now;
    if (isDue) await apply(channelId, { type: 'tick' });
    const { state, now } = isDue ? await store.read(channelId) : reading;
    for (const { id, seq } of doubtfulClaims(state, now)) {
      deps.probe(id, () => void apply(channelId, { type: 'alive', id, seq }).catch(failed(channelId)));
    }
  };
  const failed = (channelId: ChannelId) => (error: unknown) => {
    if (!isClosed) deps.log.error({ err: error, channelId }, 'floor_tick_failed');
  };
  /** A process that is ending leaves expired leases to the others. If all are ending, the next start ends them (PROC69). */
  const isEnding = () => isStopped || cluster?.isEnding() === true;
  const tick = async () => {
    tickedAt = deps.steadyNow();
    if (isTicking || !store.isOpen()) return;
    isTicking = true;
    try {
      const due = isEnding() ? [] : await store.due();
      isStoreDown = false;
      // The end may have begun while the database was asked.
      for (const reading of isEnding() ? [] : due)
        void tickOne(reading)
          .then(() => endWaiting(reading.id))
          .catch(failed(reading.id));
      await missed?.look();
      for (const channelId of waiting.channels()) void endWaiting(channelId).catch(failed(channelId));
    } catch (error) {
      if (!isStoreDown && !isClosed) deps.log.error({ err: error }, 'floors_unreachable');
      isStoreDown = true;
    } finally {
      isTicking = false;
    }
  };
  let isTicking = false;
  let isClosed = false;
  let isStoreDown = false;
  let tickedAt = deps.steadyNow();
  let late: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    clearImmediate(late);
    // After the process stood still, this timer runs before the sockets are read. Renewals that wait there must come first.
    if (deps.steadyNow() - tickedAt > TICK_LATE_MS) late = setImmediate(tick);
    else void tick();
  }, FLOOR_TICK_MS);

  return {
    /** The public key for the signatures of its news. */
    publicKey: signer.publicKey,

    /** Call when the server listens, before anybody is admitted. Until then it changes no floor: others may still have them. */
    open: store.open,

    /** Floor Request. `seq` is null for clients that don't number their presses (TALK27). */
    async request(channelId: ChannelId, asker: Asker, seq: number | null, queue: boolean): Promise<FloorReply> {
      const refused = (reason: Refusal): FloorReply => ({ type: 'denied', channelId, seq: seq ?? 1, reason });
      const ask = (state: FloorState) => requestOf(state, asker, seq, queue);
      const now = await apply(channelId, (state) => (isRecovering(state) ? null : ask(state)), asker.id);
      if (now !== null) return now;
      const refusal = await waiting.add(channelId, asker, seq);
      return refusal === null ? answered(await apply(channelId, ask, asker.id)) : refused(refusal);
    },

    /** Floor Release; `seq` as for a request. */
    async release(channelId: ChannelId, id: ParticipantId, seq: number | null): Promise<FloorReply> {
      const isOver = (one: WaitingRequest) =>
        one.asker.id === id && (seq === null || one.seq === null || one.seq < seq);
      const release = (state: FloorState): FloorInput => ({ type: 'release', id, seq: seq ?? nextSeq(state, id) });
      return answered(await applyAndRefuse(channelId, release, 'stale', isOver, id));
    },

    async renew(channelId: ChannelId, id: ParticipantId, seq: number): Promise<void> {
      const isWaiting = waiting.isOf(channelId, id);
      let knows = isWaiting;
      await apply(channelId, (state) => {
        knows = isWaiting || hasClaim(state, id, null);
        return { type: 'renew', id, seq };
      });
      // A client that renews a claim without having one missed the news of its end, so it gets them now.
      if (!knows) deps.tellParticipant(channelId, id, { type: 'revoked', channelId, seq, reason: 'lease_expired' });
    },

    /** Whether a participant has the floor or waits for it by its request with this number. */
    async holds(channelId: ChannelId, id: ParticipantId, seq: number): Promise<boolean> {
      return hasClaim((await store.read(channelId)).state, id, seq);
    },

    async leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void> {
      // The requests go on in another process.
      if (isStopped) return;
      const isGone = ({ asker }: WaitingRequest) => ids.includes(asker.id);
      await applyAndRefuse(channelId, { type: 'leave', ids }, 'not_in_room', isGone);
    },

    /** Ends all claims at once when nobody may stay in a room, so that no waiting participant gets the floor for a moment. */
    async empty(channelId: ChannelId): Promise<void> {
      // Reads the floor from the store, because other processes may have changed it.
      const floors = await store.active([channelId]);
      await this.leave(
        channelId,
        floors
          .filter(({ id }) => id === channelId)
          .flatMap(({ state: { talkers, queue } }) => [...talkers, ...queue].map(({ id }) => id)),
      );
    },

    /**
     * Call when a participant entered the room or came back.
     * @returns the floor, after it took over the channel's mode and what the client brought
     */
    async enter({ id, talkMode, version }: FloorChannel, arrival: FloorEntry): Promise<FloorNews> {
      const { claim, priority, author } = arrival;
      // In one step, because hundreds come back at once when a process is lost.
      const inputs: FloorInput[] = [
        { type: 'set_mode', mode: talkMode, channelVersion: version },
        ...(await restorationOf(id, arrival.floor)),
      ];
      if (claim === undefined) await apply(id, inputs);
      else {
        const isTheirs = ({ asker }: WaitingRequest) => asker.id === arrival.id;
        const resumption: FloorInput = { type: 'resume', id: arrival.id, priority, author, claim };
        await applyAndRefuse(id, [...inputs, resumption], 'stale', isTheirs);
      }
      const { state, now } = await store.read(id);
      return signed(id, state, now);
    },

    /** The floor, unless its version is the given one. */
    async newsSince(channelId: ChannelId, version: number): Promise<FloorNews | null> {
      const { state, now } = await store.read(channelId, version);
      return state.version === version ? null : signed(channelId, state, now);
    },

    /** A proof for `talksSince` that a user has been in the room since this version. */
    async makeRoomProof(channelId: ChannelId, userId: UserId, version: number): Promise<string> {
      return roomProofs.make(channelId, userId, version);
    },

    /**
     * Returns the ended talks of other users that began after a version (TALK105). Returns null if they are forgotten, or if the
     * proof doesn't show that the user was in the room then.
     */
    async talksSince(channelId: ChannelId, userId: UserId, stay: string, version: number): Promise<PastTalk[] | null> {
      const enteredAt = roomProofs.check(stay, channelId, userId);
      // Versions are times in ms. One from before this store opened belongs to an earlier process, whose talks are forgotten.
      if (enteredAt === null || version < enteredAt || version < store.openedAt()) return null;
      return journal.since(channelId, userId, version, store.now);
    },

    /** Call when somebody may no longer enter rooms (TALK160). */
    async accessChanged(): Promise<void> {
      accessChanges += 1;
      for (const { id, state } of await activeFloors()) await endUnentitled(id, state);
    },

    /** Call it for empty rooms too: a participant who is just entering may have read the channel before the edit. */
    async setMode({ id, talkMode, version }: FloorChannel): Promise<void> {
      if (store.isOpen()) await apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
    },

    /** Visits only the active floors. All others have no talkers and no queue, so they name nobody. */
    async rename(userId: UserId, name: string): Promise<void> {
      for (const { id } of await activeFloors()) await apply(id, { type: 'rename', userId, name });
    },

    /** Returns the current talkers by channel. */
    async onAir(): Promise<Map<ChannelId, { userId: UserId; name: string; talkingMs: number }[]>> {
      // A talker has a lease, so its floor is active.
      return new Map(
        (await store.active()).map(({ id, state, now }) => [
          id,
          state.talkers.map(({ userId, name, since }) => ({ userId, name, talkingMs: Math.max(0, now - since) })),
        ]),
      );
    },

    /** Call after a channel was deleted and everybody left. */
    async forget(channelId: ChannelId): Promise<void> {
      await store.forget(channelId);
      await journal.forget(channelId);
    },

    /**
     * Call before the sockets are closed. From then on a leave ends no talk. Another process goes on with it, or the next process
     * restores it from what clients bring (TALK150). If this is the only process, it sends nothing more.
     * @returns the current talks with their length so far, for the log; none if other processes log them
     */
    async stop(): Promise<{ channelId: ChannelId; talker: Holder; talk: EndedTalk }[]> {
      isStopped = true;
      if (cluster !== null) return [];
      return (await store.active()).flatMap(({ id: channelId, state, now }) =>
        state.talkers
          .filter(isClaimed)
          .map((talker) => ({ channelId, talker, talk: { durationMs: durationOf(talker, now), end: 'left' } })),
      );
    },

    close(): Promise<void> {
      clearInterval(timer);
      clearImmediate(late);
      isClosed = true;
      return store.close();
    },
  };
}
