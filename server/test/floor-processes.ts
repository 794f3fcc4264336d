import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorReply } from '@pressel/contract/voice';
import { pino } from 'pino';
import { vi } from 'vitest';
import {
  createFloorService,
  type EndedTalk,
  type FloorService,
  type FloorServiceDeps,
} from '#src/features/voice/floor-service.ts';
import type { Asker } from '#src/features/voice/floor-state.ts';
import { createFloorStore } from '#src/features/voice/floor-store.ts';
import { createTalkJournal } from '#src/features/voice/talk-journal.ts';
import { CHANNEL, id, userOf } from './floor-harness.ts';

const KEYS = { floors: Buffer.alloc(32, 1), stays: Buffer.alloc(32, 2) };
/** How long a restart takes. */
const DOWN_MS = 100;
/** A day in 2026. */
const BEGIN = 1_790_000_000_000;

export const askerOf = (name: string, priority = 0): Asker => ({
  ...{ id: id(name), userId: userOf(name), name, priority, author: null },
});

/** One process, and what it has reported since it began. */
export interface FloorProcess {
  readonly floor: FloorService;
  readonly openedAt: number;
  readonly news: FloorNews[];
  readonly replies: { to: ParticipantId; reply: FloorReply }[];
  /** Logged talks: begun, and ended with their length. */
  readonly talks: { name: ParticipantId; ended?: EndedTalk }[];
}

/**
 * Test harness: the processes of one server, one after the other, with one clock and the installation's keys. Call it with fake
 * `setInterval` and `setImmediate`.
 */
export function createFloorProcesses(recoveryMs = FLOOR_LEASE_MS) {
  let now = BEGIN;
  let process: FloorProcess | null = null;

  const start = (
    more: Partial<Pick<FloorServiceDeps, 'entitled'>> & {
      keys?: typeof KEYS;
      isAlive?: boolean;
      onNews?(news: FloorNews): void;
      /** How long each change of a floor waits for its turn, ms. */
      waitMs?: number;
    } = {},
  ): FloorProcess => {
    void process?.floor.close();
    now += DOWN_MS;
    const store = createFloorStore({ clock: () => now, recoveryMs });
    const change: typeof store.change = async (...asked) => {
      now += more.waitMs ?? 0;
      return store.change(...asked);
    };
    const news: FloorNews[] = [];
    const replies: FloorProcess['replies'] = [];
    const talks: FloorProcess['talks'] = [];
    const floor = createFloorService({
      store: { ...store, change },
      ...{ journal: createTalkJournal(), cluster: null, steadyNow: () => now },
      keys: more.keys ?? KEYS,
      entitled: more.entitled ?? (async (_channel, ids) => new Set(ids)),
      log: pino({ enabled: false }),
      tellParticipant: (_channel, to, reply) => void replies.push({ to, reply }),
      tellRoom(_channel, told) {
        news.push(told);
        more.onNews?.(told);
      },
      probe: (_id, told) => more.isAlive && told(),
      talkBegan: (_channel, talker) => void talks.push({ name: talker.id }),
      talkEnded: (_channel, talker, ended) => void talks.push({ name: talker.id, ended }),
    });
    void floor.open(true);
    process = { floor, openedAt: now, news, replies, talks };
    return process;
  };

  return {
    start,
    now: () => now,
    setNow(time: number) {
      now = time;
    },
    async advance(ms: number) {
      for (let left = ms; left > 0; left -= FLOOR_TICK_MS) {
        now += Math.min(FLOOR_TICK_MS, left);
        await vi.advanceTimersByTimeAsync(FLOOR_TICK_MS);
      }
    },
    /** Enters or comes back; with `claim`, as the same participant as before. */
    enter: ({ floor }: FloorProcess, name: string, brings: { floor?: FloorNews; claim?: number | null } = {}) =>
      floor.enter(
        { id: CHANNEL as ChannelId, talkMode: 'single', version: 1 },
        { id: id(name), priority: 0, author: null, ...brings },
      ),
    close: () => process?.floor.close(),
  };
}
