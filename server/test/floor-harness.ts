import { createHash } from 'node:crypto';
import type { TalkMode } from '@pressel/contract/channels';
import { channelId, type ParticipantId, participantId, userId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { applyFloor, directAnswer, type FloorInput, type FloorRequest } from '#src/features/voice/floor.ts';
import type { FloorAnswer } from '#src/features/voice/floor-answers.ts';
import { createFloor } from '#src/features/voice/floor-state.ts';

/** The user id of a participant, derived from the name: each name is one account. */
export const userOf = (name: string) =>
  userId.parse(`01900000-0000-7000-8000-${createHash('sha1').update(name).digest('hex').slice(0, 12)}`);
export const CHANNEL = channelId.parse('01900000-0000-7000-8000-00000000000c');
export const id = (name: string): ParticipantId => participantId.parse(name);

type RequestOptions = Partial<Pick<FloorRequest, 'queue' | 'priority' | 'userId'>>;

/** Test harness: a floor and a clock. `told`: the replies to each participant for the last input. */
export const floorAt = (mode: TalkMode) => {
  let state = createFloor(mode);
  let now = 1_000_000;
  let told: Record<string, FloorAnswer[]> = {};
  let channelVersion = 0;
  const apply = (input: FloorInput) => {
    const step = applyFloor(state, input, now);
    state = step.state;
    const byReceiver = Map.groupBy(step.replies, ({ to }) => to);
    told = Object.fromEntries([...byReceiver].map(([to, messages]) => [to, messages.map(({ reply }) => reply)]));
    return step;
  };
  return {
    apply,
    press: (name: string, seq = 1, options: RequestOptions = {}) => {
      const input: FloorRequest = {
        type: 'request',
        id: id(name),
        userId: userOf(name),
        name: name.toUpperCase(),
        priority: 0,
        seq,
        queue: true,
        author: null,
        ...options,
      };
      return directAnswer(apply(input), id(name));
    },
    release: (name: string, seq: number) => directAnswer(apply({ type: 'release', id: id(name), seq }), id(name)),
    renew: (name: string, seq: number) => apply({ type: 'renew', id: id(name), seq }),
    alive: (name: string, seq: number) => apply({ type: 'alive', id: id(name), seq }),
    leave: (...names: string[]) => apply({ type: 'leave', ids: names.map(id) }),
    /** Sets the mode, by default with the next channel version; pass an earlier one for a stale mode. */
    mode: (next: TalkMode, version = ++channelVersion) =>
      apply({ type: 'set_mode', mode: next, channelVersion: version }),
    rename: (name: string, next: string) => apply({ type: 'rename', userId: userOf(name), name: next }),
    tickAfter: (ms: number) => {
      now += ms;
      return apply({ type: 'tick' });
    },
    wait: (ms: number) => {
      now += ms;
    },
    state: () => state,
    told: () => told,
    now: () => now,
    talkers: () => state.talkers.map((one) => one.id),
    waiting: () => state.queue.map((one) => one.id),
  };
};

export const granted = (seq: number) => ({ type: 'granted', seq, talkMs: TALK_MAX_MS, leaseMs: FLOOR_LEASE_MS });
export const queued = (seq: number, position: number, size: number) => ({ type: 'queued', seq, position, size });
