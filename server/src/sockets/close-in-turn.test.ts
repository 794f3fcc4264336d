import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { describe, expect, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { closeInTurn, createReturns } from './close-in-turn.ts';
import { type EnteredRoom, newParticipant, type Socket } from './gateway.ts';
import { createParticipants } from './sockets.ts';

interface Circumstances {
  who?: 'all' | 'present';
  isAwaited?: boolean;
  /** Whether another process stays at this time. */
  isAnyStaying?: (time: number) => boolean;
}

/** Closes `count` sockets, whose clients are back after `awayMs`, by a clock that only pauses move. */
async function closeMany(
  count: number,
  awayMs: number,
  { who = 'all', isAwaited = true, isAnyStaying = () => true }: Circumstances = {},
) {
  let time = 0;
  let mostAway = 0;
  let before = 0;
  const closed = new Map<object, number>();
  const batches: number[] = [];
  const returns = {
    isAwaited: () => isAwaited,
    isBack: (socket: object) => time - (closed.get(socket) as number) >= awayMs,
  };
  const make = (id: number) => {
    const socket = { conn: { close: () => void closed.set(socket, time) } };
    return [String(id), socket] as const;
  };
  const sockets = new Map(Array.from({ length: count }, (_, id) => make(id)));
  const pause = async (ms: number) => {
    batches.push(closed.size - before);
    before = closed.size;
    mostAway = Math.max(mostAway, [...closed.keys()].filter((socket) => !returns.isBack(socket)).length);
    time += ms;
  };
  const others = { isAnyStaying: async () => isAnyStaying(time) };
  await closeInTurn({ sockets: { sockets } } as never, { who, returns, ...others, pause, now: () => time });
  return { closed: closed.size, batches, mostAway, tookMs: time };
}

describe('sockets that are closed in turn', () => {
  test.each([
    { count: 0, batches: [] },
    { count: 12, batches: [8, 4] },
  ])('[PROC51] $count sockets are closed a few at a time', async ({ count, batches }) => {
    expect(await closeMany(count, 300)).toMatchObject({ closed: count, batches });
  });

  test('[PROC106] few clients of 2,000 are away at the same time', async () => {
    const { closed, batches, mostAway, tookMs } = await closeMany(2_000, 300);
    expect(closed).toBe(2_000);
    expect(Math.max(...batches)).toBe(8);
    expect(mostAway).toBe(32);
    expect(tookMs).toBeLessThanOrEqual(20_050);
  });

  test('[PROC106] the next ones wait while the last ones take long to come back', async () => {
    const { closed, mostAway, tookMs } = await closeMany(500, 1_000);
    expect(closed).toBe(500);
    // Without looking it would have 160 away, and take 3 s.
    expect(mostAway).toBe(32);
    expect(tookMs).toBeGreaterThan(14_000);
  });

  test('[PROC106] those who have nothing to come back to are not waited for', async () => {
    const { closed, tookMs } = await closeMany(480, Number.POSITIVE_INFINITY, { isAwaited: false });
    expect(closed).toBe(480);
    expect(tookMs).toBe(3_000);
  });

  test('[PROC106] many sockets are closed within 20 s, however long their clients are away', async () => {
    for (const [count, awayMs] of [
      [2_000, 1_900],
      [10_000, 300],
    ] as const) {
      const { closed, tookMs } = await closeMany(count, awayMs);
      expect(closed).toBe(count);
      expect(tookMs).toBeLessThanOrEqual(20_050);
    }
  });

  test('[PROC106] clients that need more than 2 s to come back are not hurried', async () => {
    const { closed, batches, tookMs } = await closeMany(2_000, 2_100);
    expect(closed).toBe(2_000);
    expect(Math.max(...batches)).toBeLessThan(10);
    expect(tookMs).toBeGreaterThan(18_000);
  });

  test.each([{ isAwaited: true }, { isAwaited: false }])(
    '[PROC106] all are closed within 3 s if no other process stays (%o)',
    async ({ isAwaited }) => {
      const isAnyStaying = () => false;
      const { closed, tookMs } = await closeMany(2_000, Number.POSITIVE_INFINITY, { isAwaited, isAnyStaying });
      expect(closed).toBe(2_000);
      expect(tookMs).toBeLessThanOrEqual(3_100);
    },
  );

  test('[PROC106] the rest is closed within 3 s after the other processes are told to end, too', async () => {
    const isAnyStaying = (time: number) => time < 500;
    const { closed, tookMs } = await closeMany(2_000, Number.POSITIVE_INFINITY, { isAwaited: false, isAnyStaying });
    expect(closed).toBe(2_000);
    expect(tookMs).toBeGreaterThan(3_500);
    expect(tookMs).toBeLessThanOrEqual(4_200);
  });

  test('[PROC106] nobody is hurried any more once another process serves', async () => {
    const { closed, tookMs } = await closeMany(2_000, 1_000, { isAnyStaying: (time) => time > 500 });
    expect(closed).toBe(2_000);
    expect(tookMs).toBeGreaterThan(10_000);
  });

  test('[PROC106] nobody is hurried while the database doesn’t say whether another process stays', async () => {
    const isAnyStaying = () => {
      throw new Error('lost');
    };
    expect((await closeMany(2_000, 1_000, { isAnyStaying })).tookMs).toBeGreaterThan(18_000);
  });

  test('[PROC57] those that are sent back are closed within 3 s', async () => {
    const { closed, tookMs } = await closeMany(2_000, 1_000, { who: 'present' });
    expect(closed).toBe(2_000);
    expect(tookMs).toBeLessThanOrEqual(3_100);
  });

  test('[PROC106] sockets that come meanwhile stay if only those present are sent back', async () => {
    const closed: number[] = [];
    const sockets = new Map<number, object>();
    const add = (id: number) => sockets.set(id, { conn: { close: () => closed.push(id) } });
    add(1);
    const pause = async () => void add(2);
    await closeInTurn({ sockets: { sockets } } as never, { who: 'present', returns: null, pause });
    expect(closed).toEqual([1]);
  });
});

describe('the client of a closed socket', () => {
  const start = () => {
    const participants = createParticipants();
    const participant = newParticipant('one' as ParticipantId, {} as Session);
    const closed = { data: { participant } } as Socket;
    participant.socket = closed;
    participants.put(participant);
    const returns = createReturns(participants);
    return {
      ...{ participants, participant },
      isAwaited: () => returns.isAwaited(closed),
      isBack: () => returns.isBack(closed),
    };
  };

  test('[PROC106] is awaited if it can resume, and is in a room', () => {
    const { participant, isAwaited } = start();
    expect(isAwaited()).toBe(false);
    participant.isResumable = true;
    expect(isAwaited()).toBe(false);
    participant.enteredRooms.set('room' as ChannelId, {} as EnteredRoom);
    expect(isAwaited()).toBe(true);
  });

  test('[PROC106] is away while nobody has its participant', () => {
    const { participant, isBack } = start();
    expect(isBack()).toBe(false);
    participant.socket = null;
    expect(isBack()).toBe(false);
  });

  test('[PROC106] is back by another socket of this process', () => {
    const { participant, isBack } = start();
    participant.socket = {} as Socket;
    expect(isBack()).toBe(true);
  });

  test('[PROC106] is back when another process has its participant', () => {
    const { participants, participant, isBack } = start();
    participant.socket = null;
    participants.release(participant);
    expect(isBack()).toBe(true);
  });

  test('[PROC106] is not waited for when its participant is over', () => {
    const { participant, isBack } = start();
    participant.isOver = true;
    expect(isBack()).toBe(true);
  });
});
