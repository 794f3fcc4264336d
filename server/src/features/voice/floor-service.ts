import type { TalkEnd } from '@pressel/contract/activities';
import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_TICK_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorReply, PastTalk } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import { applyFloor, directAnswer, type FloorInput, isEvidence } from './floor.ts';
import { inChannel } from './floor-answers.ts';
import { createFloorSigner } from './floor-signature.ts';
import {
  doubtfulClaims,
  type FloorState,
  floorSnapshot,
  hasClaim,
  isClaimed,
  isRecovering,
  nextSeq,
  talkerChanges,
} from './floor-state.ts';
import { createFloorStore } from './floor-store.ts';
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

/** Who enters a room or comes back to it, and what they bring from before. */
export interface Arrival extends Pick<Asker, 'id' | 'priority'> {
  /** The newest signed floor of the channel that they have (TALK150). */
  floor?: FloorNews | undefined;
  /** Of one who was in the room before: the press by which it has the floor, or null (TALK151). Left out by newcomers. */
  claim?: number | null;
}

export interface FloorServiceDeps {
  /** ms since 1970, by a clock that never steps back. */
  clock: () => number;
  /** How long after the start nobody gets the floor anew (TALK152), ms. */
  recoveryMs: number;
  /** Keys of the installation. */
  keys: { floors: Buffer; stays: Buffer };
  log: FastifyBaseLogger;
  tellParticipant(channelId: ChannelId, id: ParticipantId, reply: FloorReply): void;
  tellRoom(channelId: ChannelId, news: FloorNews): void;
  /** Those of these users who may enter the channel's room. */
  entitled(channelId: ChannelId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>>;
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

/** A request that waits until an earlier process's talks are known [TALK152]. */
interface Waiting {
  readonly asker: Asker;
  /** Null for clients that don't number their presses. */
  readonly seq: number | null;
  /** Null: it is asked now. */
  end(refusal: Refusal | null): void;
}

type Refusal = 'stale' | 'not_in_room';

/** The floors of all channels: passes inputs to the state machine, runs its ticks and sends its replies. The store holds the states. */
export function createFloorService(deps: FloorServiceDeps) {
  const store = createFloorStore(deps);
  const journal = createTalkJournal();
  const stays = createStayProofs(deps.keys.stays);
  const signer = createFloorSigner(deps.keys.floors);
  const waiting = new Map<ChannelId, Waiting[]>();
  let isStopped = false;
  /** How often it changed who may enter rooms. */
  let accessChanges = 0;

  /**
   * Applies an input, or what is made of the floor, and sends the replies.
   * @returns the direct answer to a request or release, which is not sent
   */
  async function apply(
    channelId: ChannelId,
    input: FloorInput | ((state: FloorState) => FloorInput | null),
    asker?: ParticipantId,
  ): Promise<FloorReply | null> {
    const { before, step, now } = await store.change(channelId, (state, at) => {
      const made = typeof input === 'function' ? input(state) : input;
      return made === null ? { state, replies: [], changed: false } : applyFloor(state, made, at);
    });
    const direct = asker === undefined ? undefined : directAnswer(step, asker);
    if (isStopped) return direct === undefined ? null : inChannel(direct, channelId);
    for (const { to, reply } of step.replies) {
      if (reply !== direct) deps.tellParticipant(channelId, to, inChannel(reply, channelId));
    }
    if (step.changed) deps.tellRoom(channelId, signed(channelId, step.state, now));
    for (const { talker, talking } of talkerChanges(before, step.state)) {
      if (talking) {
        journal.began(channelId, talker, step.state.version, now);
        deps.talkBegan(channelId, talker);
      } else {
        journal.ended(channelId, talker.id, now);
        const revoked = step.replies.find(({ to, reply }) => to === talker.id && reply.type === 'revoked')?.reply;
        const end = revoked?.type === 'revoked' ? revoked.reason : 'released';
        deps.talkEnded(channelId, talker, { durationMs: durationOf(talker, now), end });
      }
    }
    return direct === undefined ? null : inChannel(direct, channelId);
  }

  /** What an earlier process logged of a talk isn't logged again. */
  const durationOf = ({ since }: { since: number }, now: number) =>
    Math.max(0, now - Math.max(since, store.openedAt()));

  const signed = (channelId: ChannelId, state: FloorState, now: number): FloorNews =>
    signer.sign(floorSnapshot(state, channelId, now), now);

  const readDue = async () => Promise.all((await store.due()).map(async (id) => ({ id, ...(await store.read(id)) })));

  const answered = (reply: FloorReply | null): FloorReply => {
    if (reply === null) throw new Error('The floor left a request without an answer');
    return reply;
  };

  const requestOf = (state: FloorState, asker: Asker, seq: number | null, queue: boolean): FloorInput => ({
    ...{ type: 'request', ...asker, queue },
    seq: seq ?? nextSeq(state, asker.id),
  });

  const wait = (channelId: ChannelId, asker: Asker, seq: number | null): Promise<Refusal | null> =>
    new Promise((end) => {
      waiting.set(channelId, [...(waiting.get(channelId) ?? []), { asker, seq, end }]);
    });

  /** Those of the highest priority first, as if all of them had come at once. */
  const endWaiting = (channelId: ChannelId) => {
    const ready = waiting.get(channelId) ?? [];
    waiting.delete(channelId);
    for (const { end } of ready.toSorted((a, b) => b.asker.priority - a.asker.priority)) end(null);
  };

  const refuseWaiting = (channelId: ChannelId, refusal: Refusal, isMeant: (one: Waiting) => boolean) => {
    const { refused = [], kept = [] } = Object.groupBy(waiting.get(channelId) ?? [], (one) =>
      isMeant(one) ? 'refused' : 'kept',
    );
    if (refused.length > 0) waiting.set(channelId, kept);
    for (const one of refused) one.end(refusal);
  };

  /** Takes what a client brings, if an earlier process signed it for this channel. */
  const learn = async (channelId: ChannelId, floor: FloorNews): Promise<void> => {
    if (floor.channelId !== channelId || !signer.isGenuine(floor)) return;
    const isNew = isEvidence((await store.read(channelId)).state, floor);
    const entitled = await entitledOf(channelId, isNew ? floor.talkers : []);
    const isDated = floor.signedAt < store.openedAt();
    const ageMs = isDated ? Math.max(0, Math.round(deps.clock()) - floor.signedAt) : null;
    await apply(channelId, { type: 'restore', floor, entitled, ageMs });
  };

  /** Read again if that changed meanwhile: the answer may be from before. */
  const entitledOf = async (channelId: ChannelId, talkers: readonly { userId: UserId }[]) => {
    if (talkers.length === 0) return new Set<UserId>();
    const userIds = talkers.map(({ userId }) => userId);
    for (;;) {
      const before = accessChanges;
      const entitled = await deps.entitled(channelId, userIds);
      if (accessChanges === before) return entitled;
    }
  };

  /** Ends restored talks of those who may not enter any more. Whoever is back is removed by presence. */
  const endUnentitled = async (channelId: ChannelId, state: FloorState) => {
    const absent = state.talkers.filter((talker) => !isClaimed(talker));
    const entitled = await entitledOf(channelId, absent);
    const ids = absent.filter(({ userId }) => !entitled.has(userId)).map(({ id }) => id);
    if (ids.length > 0) await apply(channelId, { type: 'leave', ids });
  };

  const tickOne = async (channelId: ChannelId) => {
    await apply(channelId, { type: 'tick' });
    const { state, now } = await store.read(channelId);
    if (!isRecovering(state)) endWaiting(channelId);
    for (const { id, seq } of doubtfulClaims(state, now)) {
      deps.probe(id, () => void apply(channelId, { type: 'alive', id, seq }).catch(failed(channelId)));
    }
  };
  const failed = (channelId: ChannelId) => (error: unknown) =>
    deps.log.error({ err: error, channelId }, 'floor_tick_failed');
  const tick = async () => {
    tickedAt = deps.clock();
    for (const channelId of await store.due()) void tickOne(channelId).catch(failed(channelId));
  };
  let tickedAt = deps.clock();
  let late: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    clearImmediate(late);
    // Timers come before what arrived while the process stood still, renewals among it: that is read first.
    if (deps.clock() - tickedAt > TICK_LATE_MS) late = setImmediate(tick);
    else void tick();
  }, FLOOR_TICK_MS);

  return {
    /** What its news are signed with. */
    publicKey: signer.publicKey,

    /** Call when the server is about to listen. */
    open: store.open,

    /** Floor Request. `seq` is null for clients that don't number their presses (TALK27). */
    async request(channelId: ChannelId, asker: Asker, seq: number | null, queue: boolean): Promise<FloorReply> {
      const refused = (reason: Refusal): FloorReply => ({ type: 'denied', channelId, seq: seq ?? 1, reason });
      let later: Promise<FloorReply> | null = null;
      // Within the change, so that neither a release nor the end of the waiting comes between.
      const now = await apply(
        channelId,
        (state) => {
          if (!isRecovering(state)) return requestOf(state, asker, seq, queue);
          later = wait(channelId, asker, seq).then(async (refusal) => {
            if (refusal !== null) return refused(refusal);
            return answered(await apply(channelId, (open) => requestOf(open, asker, seq, queue), asker.id));
          });
          return null;
        },
        asker.id,
      );
      return later ?? answered(now);
    },

    /** Floor Release; `seq` as for a request. */
    async release(channelId: ChannelId, id: ParticipantId, seq: number | null): Promise<FloorReply> {
      const isOver = (one: Waiting) => one.asker.id === id && (seq === null || one.seq === null || one.seq < seq);
      refuseWaiting(channelId, 'stale', isOver);
      const release = (state: FloorState): FloorInput => ({ type: 'release', id, seq: seq ?? nextSeq(state, id) });
      return answered(await apply(channelId, release, id));
    },

    async renew(channelId: ChannelId, id: ParticipantId, seq: number): Promise<void> {
      await apply(channelId, { type: 'renew', id, seq });
    },

    /** Whether a participant has the floor or waits for it, by the request of this number. */
    async holds(channelId: ChannelId, id: ParticipantId, seq: number): Promise<boolean> {
      return hasClaim((await store.read(channelId)).state, id, seq);
    },

    async leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void> {
      refuseWaiting(channelId, 'not_in_room', ({ asker }) => ids.includes(asker.id));
      await apply(channelId, { type: 'leave', ids });
    },

    /** Somebody entered the room, or is back. @returns the floor after what they brought, in the mode of the channel */
    async enter({ id, talkMode, version }: FloorChannel, arrival: Arrival): Promise<FloorNews> {
      await apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
      if (arrival.floor !== undefined) await learn(id, arrival.floor);
      const { claim, priority } = arrival;
      if (claim !== undefined) {
        refuseWaiting(id, 'stale', ({ asker }) => asker.id === arrival.id);
        await apply(id, { type: 'resume', id: arrival.id, priority, claim });
      }
      const { state, now } = await store.read(id);
      return signed(id, state, now);
    },

    /** The floor, unless its version is the given one. */
    async newsSince(channelId: ChannelId, version: number): Promise<FloorNews | null> {
      const { state, now } = await store.read(channelId);
      return state.version === version ? null : signed(channelId, state, now);
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
      // Versions count from 1970, so that an older one is of an earlier process, whose talks nobody knows.
      if (enteredAt === null || version < enteredAt || version < store.openedAt()) return null;
      return journal.since(channelId, userId, version, Math.round(deps.clock()));
    },

    /** Call when somebody may no longer enter rooms (TALK160). */
    async accessChanged(): Promise<void> {
      accessChanges += 1;
      for (const { id, state } of await readDue()) await endUnentitled(id, state);
    },

    /** Also for empty rooms: a participant who is just entering may have read the channel before the edit. */
    async setMode({ id, talkMode, version }: FloorChannel): Promise<void> {
      await apply(id, { type: 'set_mode', mode: talkMode, channelVersion: version });
    },

    /** Visits due floors only: a floor names nobody but talkers and waiters, who have leases or timers. */
    async rename(userId: UserId, name: string): Promise<void> {
      for (const channelId of await store.due()) await apply(channelId, { type: 'rename', userId, name });
    },

    /** The talkers of now, by channel. */
    async onAir(): Promise<Map<ChannelId, { userId: UserId; name: string; talkingMs: number }[]>> {
      // A talker has a lease, so that its channel is due.
      return new Map(
        (await readDue()).map(({ id, state, now }) => [
          id,
          state.talkers.map(({ userId, name, since }) => ({ userId, name, talkingMs: Math.max(0, now - since) })),
        ]),
      );
    },

    /** Call after a channel was deleted and everybody left. */
    async forget(channelId: ChannelId): Promise<void> {
      await store.forget(channelId);
      journal.forget(channelId);
    },

    /**
     * Call before the sockets are closed. From then on nobody is told anything: that all of them leave ends no talk, since the next
     * process goes on with what clients have (TALK150).
     * @returns the talks of this moment, as far as they went
     */
    async stop(): Promise<{ channelId: ChannelId; id: ParticipantId; talk: EndedTalk }[]> {
      isStopped = true;
      return (await readDue()).flatMap(({ id: channelId, state, now }) =>
        state.talkers
          .filter(isClaimed)
          .map((talker) => ({ channelId, id: talker.id, talk: { durationMs: durationOf(talker, now), end: 'left' } })),
      );
    },

    close(): void {
      clearInterval(timer);
      clearImmediate(late);
    },
  };
}
