import type { ParticipantId } from '@pressel/contract/ids';
import type { FloorSnapshot } from '@pressel/contract/voice';
import { createNotifier } from './notifier.ts';
import type { Clock, Stop } from './platform.ts';

/** Who gave the floor back is heard this much longer: what the jitter buffer still holds was said in time. */
export const FLUSH_MS = 300;

/** The floor as the server last told it, and whose sound may therefore be played. */
export interface FloorView {
  /** Takes a snapshot; an older one than is known is left out. Snapshots of other channels never get here. */
  apply(snapshot: FloorSnapshot): void;
  /** Forgets everything: versions of another join mean nothing. Nobody is audible then. */
  reset(): void;
  current(): FloorSnapshot | null;
  /** Self is never among them. Keeps its identity while unchanged. */
  audible(): ReadonlySet<ParticipantId>;
  /** When somebody who has the floor began to talk: a clock reading, ms, steady over snapshots. */
  since(id: ParticipantId): number;
  /** The microphone may open before the server has answered: nobody has the floor or awaits it, or all may talk. */
  looksFree(): boolean;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createFloorView = (clock: Clock, self: () => ParticipantId | null): FloorView => {
  const notifier = createNotifier();
  let floor: FloorSnapshot | null = null;
  let audible: ReadonlySet<ParticipantId> = new Set();
  const starts = new Map<ParticipantId, number>();
  /** Who talked last and is still let out of the jitter buffer. */
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
      // With one talker at a time the next one cuts the last one off; in an open channel nobody takes another's turn.
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
