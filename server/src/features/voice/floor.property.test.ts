import { type ParticipantId, participantId } from '@pressel/contract/ids';
import { FLOOR_BUSY_MS, FLOOR_LEASE_MS, FLOOR_RENEW_MS, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { userOf } from '#test/floor-harness.ts';
import { createOracle } from '#test/floor-oracle.ts';
import { checkRuns, type Random } from '#test/random.ts';
import { applyFloor, type FloorInput } from './floor.ts';
import { createFloor, doubtfulClaims } from './floor-state.ts';

const SEEDS = 400;
const STEPS = 200;
/** Maximum delay of a message. Each has its own, so that they overtake one another. */
const LATE_MS = 700;

/** A client's view: a press ends when it releases, dies, or is told that it has no claim. */
interface Client {
  id: ParticipantId;
  priority: number;
  seq: number;
  /** `busyUntil`: its page doesn't renew before, but its browser is there [TALK33]. */
  press: { seq: number; renewAt: number; busyUntil: number } | null;
  /** The time at which each press ended, by its number. */
  endedAt: Map<number, number>;
}

/** A room with a lossy, reordering network between clients and floor. Throws at the first violated rule. */
const createRoom = (random: Random, loss: number) => {
  let now = random.below(1_000_000);
  let state = createFloor(random.chance(0.8) ? 'single' : 'open');
  let nextTick = now + FLOOR_TICK_MS;
  let born = 0;
  const oracle = createOracle();
  const clients = new Map<ParticipantId, Client>();
  const travelling: { at: number; arrive: () => void }[] = [];
  /** The channel's modes by version, from 1. */
  const edits: ('single' | 'open')[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };

  const apply = (input: FloorInput) => {
    // Half of the steps go through JSON, like a state in a shared store.
    const before = random.chance(0.5) ? state : JSON.parse(JSON.stringify(state));
    const step = applyFloor(before, input, now);
    state = oracle.observe(before, input, step, now);
    for (const { to, reply } of step.replies) {
      count(reply.type === 'revoked' || reply.type === 'denied' ? reply.reason : reply.type);
      const ends = reply.type === 'revoked' || (reply.type === 'denied' && reply.reason !== 'stale');
      if (ends) send(0, () => endPress(to, reply.seq));
    }
  };

  const send = (lossRate: number, arrive: () => void) => {
    if (!random.chance(lossRate)) travelling.push({ at: now + random.below(LATE_MS), arrive });
  };
  const sendInput = (input: Extract<FloorInput, { seq: number }>) => {
    const arrive = () => {
      if (oracle.isIn(input.id)) apply(input);
    };
    send(loss, arrive);
    if (random.chance(loss / 4)) send(0, arrive);
  };

  const endPress = (id: ParticipantId, seq: number) => {
    const client = clients.get(id);
    if (client?.press?.seq !== seq) return;
    client.press = null;
    client.endedAt.set(seq, now);
  };

  const press = (client: Client) => {
    if (client.press) endPress(client.id, client.press.seq);
    const { id, priority } = client;
    const seq = ++client.seq;
    client.press = { seq, renewAt: now + FLOOR_RENEW_MS, busyUntil: now };
    sendInput({
      type: 'request',
      id,
      userId: userOf(id),
      name: id,
      priority,
      author: null,
      seq,
      queue: random.chance(0.85),
    });
  };
  const release = (client: Client) => {
    if (client.press) endPress(client.id, client.press.seq);
    sendInput({ type: 'release', id: client.id, seq: ++client.seq });
  };
  const beBusy = ({ press }: Client) => {
    if (press) press.busyUntil = now + random.below(1.5 * FLOOR_BUSY_MS);
  };
  const probe = () => {
    for (const { id, seq } of doubtfulClaims(state, now)) {
      if (clients.get(id)?.press?.seq === seq) sendInput({ type: 'alive', id, seq });
    }
  };
  const die = (client: Client) => client.press && endPress(client.id, client.press.seq);
  const leave = (...leavers: Client[]) => {
    for (const { id } of leavers) clients.delete(id);
    apply({ type: 'leave', ids: leavers.map(({ id }) => id) });
  };
  const join = () => {
    const id = participantId.parse(`p${++born}`);
    const priority = random.chance(0.25) ? 1 : 0;
    clients.set(id, { id, priority, seq: 0, press: null, endedAt: new Map() });
    oracle.join(id, priority);
  };

  /** Checks from the clients' view that nobody has the floor without pressing. */
  const checkPressing = () => {
    for (const { id, seq } of state.talkers) {
      const client = clients.get(id);
      const ended = client?.endedAt.get(seq);
      if (client?.press?.seq === seq) continue;
      const heldFor = ended === undefined ? Number.POSITIVE_INFINITY : now - ended;
      if (heldFor > LATE_MS + FLOOR_LEASE_MS + FLOOR_TICK_MS)
        throw new Error(`[TALK11] ${id} has the floor, not pressing for ${heldFor} ms`);
    }
  };

  const advance = (ms: number) => {
    const end = now + ms;
    for (;;) {
      travelling.sort((a, b) => a.at - b.at);
      const renewals = [...clients.values()].filter(({ press }) => press);
      const nextRenewal = Math.min(...renewals.map(({ press }) => press?.renewAt ?? 0));
      const next = Math.min(nextTick, nextRenewal, travelling[0]?.at ?? Number.POSITIVE_INFINITY);
      if (next > end) break;
      now = next;
      if (travelling[0]?.at === now) travelling.shift()?.arrive();
      else if (nextTick === now) {
        apply({ type: 'tick' });
        probe();
        checkPressing();
        nextTick += FLOOR_TICK_MS;
      } else
        for (const { id, press } of renewals) {
          if (press?.renewAt !== now) continue;
          press.renewAt += FLOOR_RENEW_MS;
          if (press.busyUntil <= now) sendInput({ type: 'renew', id, seq: press.seq });
        }
    }
    now = end;
  };

  /** Edits are applied at once, but a participant who enters may have read the channel before the latest edit. */
  const setMode = () => {
    if (random.chance(0.7)) edits.push(random.chance(0.7) ? 'single' : 'open');
    const channelVersion = Math.max(1, edits.length - random.below(3));
    const mode = edits[channelVersion - 1];
    if (mode !== undefined) apply({ type: 'set_mode', mode, channelVersion });
  };

  const act = () => {
    const client = random.pick([...clients.values()]);
    const dice = random.below(100);
    if (!client || (dice < 4 && clients.size < 8)) join();
    else if (dice < 45) press(client);
    else if (dice < 75) release(client);
    else if (dice < 79) die(client);
    else if (dice < 80) beBusy(client);
    else if (dice < 82) leave(client);
    else if (dice < 83) leave(...[...clients.values()].filter(() => random.chance(0.5)));
    else if (dice < 84) apply({ type: 'rename', userId: userOf(client.id), name: `renamed ${random.below(3)}` });
    else if (dice < 86) setMode();
    else if (dice < 87) advance(TALK_MAX_MS);
    else advance(random.below(1_500));
  };

  /** Everybody dies or leaves: the floor must be free within the promised time, and nothing may remain. */
  const finish = () => {
    for (const client of clients.values()) die(client);
    advance(LATE_MS + FLOOR_LEASE_MS + FLOOR_TICK_MS);
    if (state.talkers.length > 0 || state.queue.length > 0) throw new Error('[TALK11] the dead keep the floor');
    for (const client of [...clients.values()]) leave(client);
    oracle.checkEmpty(state);
  };

  return { join, act, finish, now: () => now, counts };
};

it.each([
  ['a network that only reorders', 0],
  ['a network that reorders, loses and repeats', 0.15],
])('[TALK1–TALK30] hold in every step of random rooms, over %s', async (_, loss) => {
  const totals: Record<string, number> = {};
  await checkRuns({ runs: SEEDS / 2, steps: STEPS }, (random, steps) => {
    const room = createRoom(random, loss);
    for (let i = 0; i < 4; i++) room.join();
    for (const _step of steps) room.act();
    room.finish();
    for (const [what, times] of Object.entries(room.counts)) totals[what] = (totals[what] ?? 0) + times;
  });
  // Checks that all kinds of answers occurred, otherwise the properties would be vacuous.
  const answers = ['granted', 'queued', 'released', 'taken', 'stale'];
  const revocations = ['preempted', 'time_limit', 'lease_expired', 'mode_changed', 'left'];
  for (const what of [...answers, ...revocations]) expect(totals[what], what).toBeGreaterThan(50);
});

it('[TALK15] the last press or release of each participant wins under any reordering', () => {
  const acts = fc.array(fc.constantFrom('request', 'release'), { maxLength: 6 });
  const presses = fc.tuple(acts, acts, acts, acts, acts).chain((all) => {
    const inputs = all.flatMap((types, place) => {
      const id = participantId.parse('abcde'[place]);
      const request = { id, userId: userOf(id), name: id, priority: 0, queue: true, author: null };
      return types.map((type, index): Extract<FloorInput, { seq: number }> => {
        const seq = index + 1;
        return type === 'request' ? { type, ...request, seq } : { type: 'release', id, seq };
      });
    });
    const { length } = inputs;
    return fc.record({
      inputs: fc.constant(inputs),
      arriving: fc.shuffledSubarray(inputs, { minLength: length, maxLength: length }),
    });
  });
  const property = fc.property(presses, ({ inputs, arriving }) => {
    const oracle = createOracle();
    for (const name of 'abcde') oracle.join(participantId.parse(name), 0);
    let state = createFloor('single');
    for (const input of arriving) state = oracle.observe(state, input, applyFloor(state, input, 0), 0);
    const last = new Map(inputs.map((input) => [input.id, input.type]));
    const claims = [...state.talkers, ...state.queue].map(({ id }) => id).sort();
    expect(claims).toEqual([...last.keys()].filter((id) => last.get(id) === 'request').sort());
  });
  fc.assert(property, { seed: 1, numRuns: SEEDS });
});
