import { isDeepStrictEqual } from 'node:util';
import type { ParticipantId } from '@pressel/contract/ids';
import { FLOOR_BUSY_MS, FLOOR_LEASE_MS, FLOOR_QUEUE_MAX, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorInput, FloorStep } from '#src/features/voice/floor.ts';
import type { FloorAnswer } from '#src/features/voice/floor-answers.ts';
import { createFloor, type FloorState, nextDeadline, type Waiter } from '#src/features/voice/floor-state.ts';

/** A participant's state as derived from its messages, and its inputs that arrived. */
interface Witness {
  claim: 'none' | 'talks' | 'waits';
  claimSeq: number;
  position: number;
  highest: { seq: number; type: 'none' | 'request' | 'release' };
  priority: number;
  arrival: number;
  lastSignAt: number;
  /** When its page last renewed; its browser's signs of life don't count. */
  renewedAt: number;
  /** When the current talk began. */
  talksSince: number;
}

const check: (holds: boolean, message: string) => asserts holds = (holds, message) => {
  if (!holds) throw new Error(message);
};

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

const shown = ({ mode, talkers, queue }: FloorState) =>
  JSON.stringify([mode, talkers.map(({ id, since, name }) => [id, since, name]), queue.map(({ id }) => id)]);

/**
 * Test oracle: observes every step of a floor and throws at the first violated rule. It tracks room, inputs and
 * messages, and compares what participants were told with the state.
 */
export const createOracle = () => {
  const room = new Map<ParticipantId, Witness>();
  /** Frozen states that were found to be plain JSON: most steps change nothing. */
  const plain = new WeakSet<FloorState>();
  let arrivals = 0;

  const witness = (id: ParticipantId): Witness => {
    const found = room.get(id);
    check(found !== undefined, `[TALK25] ${id} isn't in the room`);
    return found;
  };

  const isStale = (input: FloorInput) =>
    (input.type === 'request' || input.type === 'release') && input.seq <= witness(input.id).highest.seq;

  const hear = (to: ParticipantId, reply: FloorAnswer, isDirect: boolean, isLate: boolean, now: number) => {
    const one = witness(to);
    if (!isDirect && reply.type !== 'released')
      check(reply.seq === one.claimSeq, `[TALK20] ${to}: number of a message isn't its claim's`);
    switch (reply.type) {
      case 'granted':
        if (one.claim !== 'talks') one.talksSince = now;
        check(reply.talkMs === Math.max(0, TALK_MAX_MS - (now - one.talksSince)), `[TALK17] ${to}: wrong time left`);
        Object.assign(one, { claim: 'talks', claimSeq: reply.seq });
        break;
      case 'queued':
        check(isDirect || one.position !== reply.position, `[TALK6] ${to} is told a position that it knows`);
        if (one.claim !== 'waits') one.arrival = ++arrivals;
        Object.assign(one, { claim: 'waits', claimSeq: reply.seq, position: reply.position });
        break;
      case 'revoked':
        check(one.claim !== 'none', `${to} is revoked what it doesn't have`);
        one.claim = 'none';
        break;
      default:
        if (!isLate) one.claim = 'none';
    }
  };

  const checkAnswers = (before: FloorState, input: FloorInput, { replies }: FloorStep, now: number) => {
    check(new Set(replies.map(({ to }) => to)).size === replies.length, '[TALK19] two messages to one of one input');
    if (input.type === 'renew') check(replies.length === 0, '[TALK18] a renew is answered');
    if (input.type === 'request' || input.type === 'release') {
      const direct = replies.find(({ to }) => to === input.id)?.reply;
      check(direct?.seq === input.seq, '[TALK19] no direct answer with the number of the input');
      const fits = input.type === 'release' ? ['released'] : ['granted', 'queued', 'denied'];
      check(fits.includes(direct.type), `[TALK19] ${input.type} is answered ${direct.type}`);
      const saysStale = direct.type === 'denied' && direct.reason === 'stale';
      if (input.type === 'request') check(saysStale === isStale(input), '[TALK15] stale or not?');
      if (input.type === 'request' && direct.type === 'queued') check(input.queue, '[TALK3] queued against its wish');
      if (input.type === 'request' && direct.type === 'denied' && !saysStale) {
        check(before.mode === 'single' && before.talkers.length === 1, '[TALK1] [TALK21] denied without need');
        check(
          direct.reason === 'taken' ? !input.queue : input.queue && before.queue.length === FLOOR_QUEUE_MAX,
          '[TALK3] [TALK7] wrong reason',
        );
      }
    }
    for (const { to, reply } of replies) {
      if (reply.type !== 'revoked') continue;
      const one = witness(to);
      const holder = before.talkers.find(({ id }) => id === to);
      const fits = {
        preempted: input.type === 'request' && holder !== undefined && input.priority > holder.priority,
        time_limit: input.type === 'tick' && holder !== undefined && now - holder.since >= TALK_MAX_MS,
        lease_expired: input.type === 'tick' && now - one.lastSignAt >= FLOOR_LEASE_MS,
        mode_changed: input.type === 'set_mode' && input.mode === 'single' && before.talkers[0]?.id !== to,
        left: input.type === 'leave' && input.ids.includes(to),
      };
      check(fits[reply.reason], `${to} is revoked ${reply.reason} for no reason`);
    }
  };

  const checkState = (state: FloorState, now: number) => {
    const { mode, talkers, queue, lastSeq } = state;
    check(
      plain.has(state) || isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state),
      '[TALK26] state is not plain JSON',
    );
    check(mode === 'open' || talkers.length <= 1, 'two talkers in single mode');
    check(
      mode === 'single' ? talkers.length > 0 || queue.length === 0 : queue.length === 0,
      '[TALK5] idle and waiting',
    );
    check(queue.length <= FLOOR_QUEUE_MAX, '[TALK7] queue too long');
    for (const id of [...Object.keys(lastSeq), ...talkers.map((t) => t.id), ...queue.map((w) => w.id)])
      check(room.has(id as ParticipantId), `[TALK14] ${id} left and is still known`);

    const places = new Map<string, { claim: Witness['claim']; seq: number; position: number }>();
    for (const { id, seq } of talkers) places.set(id, { claim: 'talks', seq, position: 0 });
    queue.forEach(({ id, seq }, index) => {
      check(!places.has(id), `${id} has two claims`);
      places.set(id, { claim: 'waits', seq, position: index + 1 });
    });
    for (const [id, one] of room) {
      const place = places.get(id);
      check((place?.claim ?? 'none') === one.claim, `${id} was told ${one.claim} and is ${place?.claim ?? 'none'}`);
      if (!place) continue;
      check(place.seq === one.claimSeq, `${id} was told another number`);
      check(
        one.highest.type === 'request' && one.highest.seq === place.seq,
        `[TALK15] ${id}: the last input didn't win`,
      );
      check(place.claim === 'talks' || place.position === one.position, `[TALK6] ${id} knows a wrong position`);
      const age = now - one.lastSignAt;
      check(age <= FLOOR_LEASE_MS + FLOOR_TICK_MS, `[TALK11] ${id} shows no life for ${age} ms`);
      const busy = now - one.renewedAt;
      check(busy <= FLOOR_BUSY_MS + FLOOR_TICK_MS, `[TALK33] ${id} has not renewed for ${busy} ms`);
    }
    for (const { id } of talkers)
      check(now - witness(id).talksSince <= TALK_MAX_MS + FLOOR_TICK_MS, `[TALK8] ${id} talks for too long`);
    queue.forEach((one, index) => {
      const next = queue[index + 1];
      if (next) checkPrecedes(one, next);
    });
  };

  const checkPrecedes = (first: Waiter, second: Waiter) => {
    const [a, b] = [witness(first.id), witness(second.id)];
    const precedes = a.priority > b.priority || (a.priority === b.priority && a.arrival < b.arrival);
    check(precedes, `[TALK4] ${first.id} is before ${second.id}`);
  };

  /** In single mode a new talker must precede all who still wait, by priority, then by arrival. */
  const checkTurn = (before: FloorState, after: FloorState) => {
    const [talker] = after.talkers;
    if (after.mode === 'open' || !talker || before.talkers.some(({ id }) => id === talker.id)) return;
    for (const waiter of after.queue) {
      if (before.queue.some(({ id }) => id === talker.id)) checkPrecedes(talker, waiter);
      else check(talker.priority > waiter.priority, `[TALK4] ${talker.id} overtakes ${waiter.id}`);
    }
  };

  return {
    join: (id: ParticipantId, priority: number) => {
      const highest = { seq: 0, type: 'none' as const };
      const fresh = { claimSeq: 0, position: 0, arrival: 0, lastSignAt: 0, renewedAt: 0, talksSince: 0 };
      room.set(id, { claim: 'none', highest, priority, ...fresh });
    },
    isIn: (id: ParticipantId) => room.has(id),
    /** Checks one step. Returns the new state, frozen, so that later mutation throws. */
    observe: (before: FloorState, input: FloorInput, step: FloorStep, now: number): FloorState => {
      const isLate = isStale(input);
      checkAnswers(before, input, step, now);
      if (isLate) check(step.state === before, '[TALK15] a stale input changed something');
      const deadline = nextDeadline(before);
      if (input.type === 'tick' && (deadline === null || deadline > now))
        check(step.state === before && step.replies.length === 0, '[TALK26] nextDeadline missed something');

      if ((input.type === 'request' || input.type === 'release') && !isLate) {
        const one = witness(input.id);
        one.highest = { seq: input.seq, type: input.type };
        if (input.type === 'request') Object.assign(one, { lastSignAt: now, renewedAt: now });
      }
      if (input.type === 'renew' && witness(input.id).claimSeq === input.seq) {
        Object.assign(witness(input.id), { lastSignAt: now, renewedAt: now });
      }
      if (input.type === 'alive' && witness(input.id).claimSeq === input.seq) {
        const one = witness(input.id);
        one.lastSignAt = Math.max(one.lastSignAt, Math.min(now, one.renewedAt + FLOOR_BUSY_MS - FLOOR_LEASE_MS));
      }
      for (const { to, reply } of step.replies) {
        const isDirect = (input.type === 'request' || input.type === 'release') && input.id === to;
        hear(to, reply, isDirect, isDirect && isLate, now);
      }
      checkTurn(before, step.state);
      for (const id of input.type === 'leave' ? input.ids : []) {
        check(witness(id).claim === 'none', `[TALK12] ${id} left and wasn't told`);
        room.delete(id);
      }

      if (input.type === 'set_mode') {
        const isNewer = input.channelVersion > before.channelVersion;
        check(step.state.mode === (isNewer ? input.mode : before.mode), '[TALK29] the mode of an older version');
        check(isNewer || step.state === before, '[TALK29] an older version changed something');
      }

      checkState(step.state, now);
      const differs = step.state !== before && shown(before) !== shown(step.state);
      check(step.changed === differs, '[TALK24] changed is not what shows');
      check(step.state.version === before.version + (differs ? 1 : 0), '[TALK24] version');
      plain.add(frozen(step.state));
      return step.state;
    },
    /** Checks that after everybody left only mode and versions remain. */
    checkEmpty: ({ version, mode, channelVersion: _read, ...rest }: FloorState) => {
      const { version: _, mode: __, channelVersion: ___, ...empty } = createFloor(mode);
      check(room.size === 0 && isDeepStrictEqual(rest, empty), `[TALK14] leftovers at version ${version}`);
    },
  };
};
