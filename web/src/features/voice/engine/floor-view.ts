import type { ParticipantId } from '@pressel/contract/ids';
import type { FloorSnapshot } from '@pressel/contract/voice';
import { createNotifier } from './notifier.ts';
import type { Clock, Stop } from './platform.ts';

/** A talker stays audible this long after the floor's release, so that the jitter buffer's content is played. */
const FLUSH_MS = 300;

/** The floor's latest snapshot, and the participants who may be heard by it. */
export interface FloorView {
  /** Applies a snapshot of this channel; ignores one that is older than the current. */
  apply(snapshot: FloorSnapshot): void;
  /** Clears the state, because versions are only comparable within one join. Nobody is audible then. */
  reset(): void;
  current(): FloorSnapshot | null;
  /** Without self. Keeps its identity while unchanged. */
  audible(): ReadonlySet<ParticipantId>;
  /** When a talker got the floor: clock reading, ms, constant over snapshots. */
  since(id: ParticipantId): number;
  /** Whether the microphone may open before the server answers: no talker and no queue, or open mode. */
  looksFree(): boolean;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createFloorView = (clock: Clock, self: () => ParticipantId | null): FloorView => {
  const notifier = createNotifier();
  let floor: FloorSnapshot | null = null;
  let audible: ReadonlySet<ParticipantId> = new Set();
  const starts = new Map<ParticipantId, number>();
  /** Past talkers who stay audible for FLUSH_MS. */
  const flushing = new Map<ParticipantId, Stop>();

  const endFlush = (id: ParticipantId) => {
    flushing.get(id)?.();
    flushing.delete(id);
  };

  const refresh = () => {
    const next = new Set<ParticipantId>([...(floor?.talkers.map(({ id }) => id) ?? []), ...flushing.keys()]);
    const me = self();
    if (me !== null) next.delete(me);
    if (next.size === audible.size && [...next].every((id) => audible.has(id))) return;
    audible = next;
  };

  const flush = (id: ParticipantId) => {
    endFlush(id);
    flushing.set(
      id,
      clock.after(FLUSH_MS, () => {
        flushing.delete(id);
        refresh();
        notifier.notify();
      }),
    );
  };

  const reset = () => {
    floor = null;
    starts.clear();
    for (const id of [...flushing.keys()]) endFlush(id);
    refresh();
  };

  return {
    apply(snapshot) {
      if (floor !== null && snapshot.version <= floor.version) return;
      const before = floor?.talkers.map(({ id }) => id) ?? [];
      const now = new Set(snapshot.talkers.map(({ id }) => id));
      floor = snapshot;
      // In single mode a new talker mutes the previous one at once; in open mode talkers are independent.
      if (snapshot.mode === 'single' && now.size > 0) for (const id of [...flushing.keys()]) endFlush(id);
      for (const id of now) endFlush(id);
      for (const id of before) {
        if (now.has(id)) continue;
        starts.delete(id);
        if (snapshot.mode === 'open' || now.size === 0) flush(id);
      }
      for (const { id, talkingMs } of snapshot.talkers) {
        if (!starts.has(id)) starts.set(id, clock.now() - talkingMs);
      }
      refresh();
      notifier.notify();
    },
    reset() {
      reset();
      notifier.notify();
    },
    current: () => floor,
    audible: () => audible,
    since: (id) => starts.get(id) ?? clock.now(),
    looksFree: () =>
      floor !== null && (floor.mode === 'open' || (floor.talkers.length === 0 && floor.queue.length === 0)),
    subscribe: notifier.subscribe,
    close: reset,
  };
};
