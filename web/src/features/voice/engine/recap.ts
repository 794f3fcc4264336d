import type { ParticipantId } from '@pressel/contract/ids';
import type { PastTalk } from '@pressel/contract/voice';
import type { FloorView } from './floor-view.ts';
import { createNotifier } from './notifier.ts';
import type { Clock, Stop } from './platform.ts';
import type { MissedTalks, Signalling } from './types.ts';

/** Longer than this between two answers, and a talk may have been missed in between. */
const GAP_MS = 1_800;
/** While somebody is audible it is looked this often whether the page is awake. */
const AWAKE_EVERY_MS = 1_000;
/** Without a look for so long the page slept, with all of its machine: sound did not go on. */
const ASLEEP_MS = 5_000;
/** Of what was audible; older talks are not asked for, or are long forgotten by the server. */
const SPANS_MAX = 500;

const nothing: Stop = () => undefined;

/** Where the page's knowledge of the floor ends. */
interface Mark {
  stay: string;
  version: number;
}

/** A time in which somebody was audible, readings of the clock. */
interface Span {
  id: ParticipantId;
  from: number;
  to: number;
}

/**
 * Finds out which talks were missed while no news came: the server lists the talks since then, and those of which
 * nothing was audible count [TALK104, TALK105].
 */
export interface Recap {
  /** The room was entered, or entered again. */
  entered(stay: string): void;
  /** The floor is known to be the server's right now. */
  confirm(): void;
  missed(): MissedTalks | null;
  /** The user has read it. */
  dismiss(): void;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createRecap = (deps: {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  floor: Pick<FloorView, 'current' | 'audible' | 'subscribe'>;
}): Recap => {
  const { clock, signalling, floor } = deps;
  const notifier = createNotifier();
  const audibleSince = new Map<ParticipantId, number>();
  const spans: Span[] = [];
  let awakeAt = clock.now();
  let stopLooking: Stop = nothing;
  let stay = '';
  let mark: Mark | null = null;
  let confirmedAt = 0;
  /** From where on the talks have yet to be asked for. */
  let open: Mark | null = null;
  let isAsking = false;
  let missed: MissedTalks | null = null;

  const endSpan = (id: ParticipantId, from: number, to: number) => {
    spans.push({ id, from, to });
    if (spans.length > SPANS_MAX) spans.shift();
  };
  /** Who talked when the page fell asleep may have talked again since: that was not audible. */
  const look = () => {
    const now = clock.now();
    if (now - awakeAt > ASLEEP_MS) {
      for (const [id, from] of audibleSince) {
        endSpan(id, from, Math.max(from, awakeAt));
        audibleSince.set(id, now);
      }
    }
    awakeAt = now;
  };
  const lookAgain = () => {
    stopLooking();
    stopLooking =
      audibleSince.size === 0
        ? nothing
        : clock.after(AWAKE_EVERY_MS, () => {
            look();
            lookAgain();
          });
  };

  const follow = () => {
    // With nobody audible it isn't looked, and there is nothing to divide.
    look();
    const now = clock.now();
    const audible = floor.audible();
    for (const [id, from] of audibleSince) {
      if (audible.has(id)) continue;
      audibleSince.delete(id);
      endSpan(id, from, now);
    }
    for (const id of audible) if (!audibleSince.has(id)) audibleSince.set(id, now);
    lookAgain();
  };

  /** Whether any part of a talk was audible. `answeredAt`: when the server made the answer, by our clock. */
  const wasHeard = ({ id, beganMsAgo, endedMsAgo }: PastTalk, answeredAt: number) => {
    look();
    const current = audibleSince.get(id);
    const all = current === undefined ? spans : [...spans, { id, from: current, to: clock.now() }];
    const [from, to] = [answeredAt - beganMsAgo, answeredAt - endedMsAgo];
    return all.some((span) => span.id === id && span.from < to && span.to > from);
  };

  const ask = async () => {
    if (open === null || isAsking) return;
    const from = open;
    const sentAt = clock.now();
    isAsking = true;
    const answer = await signalling.send('talks_since', from);
    isAsking = false;
    // Without an answer it is asked again with the next news.
    if (!answer.ok) return;
    if (open === from) open = null;
    const answeredAt = (sentAt + clock.now()) / 2;
    const lost = (answer.data.talks ?? []).filter((talk) => !wasHeard(talk, answeredAt));
    if (lost.length === 0) return;
    missed = {
      count: (missed?.count ?? 0) + lost.length,
      names: [...new Set([...(missed?.names ?? []), ...lost.map(({ name }) => name)])],
    };
    notifier.notify();
  };

  const settle = () => {
    confirmedAt = clock.now();
    mark = { stay, version: floor.current()?.version ?? 0 };
    void ask();
  };

  const stop = floor.subscribe(follow);
  return {
    entered(next) {
      open ??= mark;
      stay = next;
      settle();
    },
    confirm() {
      if (clock.now() - confirmedAt > GAP_MS) open ??= mark;
      settle();
    },
    missed: () => missed,
    dismiss() {
      missed = null;
      notifier.notify();
    },
    subscribe: notifier.subscribe,
    close() {
      stop();
      stopLooking();
      open = null;
    },
  };
};
