import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { LAST_TALKS } from '@pressel/contract/limits';
import type { LoggedTalk, PastTalk, Talker } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import type { FloorView } from './floor.ts';
import type { Clock, Stop } from './platform.ts';
import type { HeardSpan, MissedTalks, RecentTalk, Signalling, TalkMemory } from './types.ts';

/** If two answers are further apart than this, a talk may have been missed in between. */
const GAP_MS = 1_800;
/** While somebody is audible, the page checks this often whether it is awake. */
const AWAKE_EVERY_MS = 1_000;
/** Without a check for this long, the page slept with its whole machine: sound did not go on. */
const ASLEEP_MS = 5_000;
/** Maximum number of remembered spans; nobody asks for older talks, or the server has forgotten them. */
const SPANS_MAX = 500;

const nothing: Stop = () => undefined;

/** The point up to which the page knows the floor. */
interface Mark {
  stay: string;
  version: number;
}

/** A running talk. */
interface Running {
  /** A reading of the clock. */
  from: number;
  name: string;
  userId: UserId | undefined;
  /** Whether the talker's voice had a link to self, for any part of the talk. */
  isLinked: boolean;
}

/** A time in which somebody was audible, or whose talk was already counted; readings of the clock. */
interface Span {
  id: ParticipantId;
  userId: UserId | undefined;
  from: number;
  to: number;
  isHeard: boolean;
}

/**
 * Finds out which talks were missed. After a gap in the news, the server lists the talks since then; a talk counts as
 * missed if nothing of it was audible [TALK104, TALK105]. Without a gap, a talk counts if its talker's link was down
 * from beginning to end [TALK118].
 */
export interface MissedTalksTracker {
  /** Call when the room was entered, or entered again. */
  entered(stay: string): void;
  /** Call when the floor is known to match the server's right now. */
  confirm(): void;
  /** Call when a link came up or went down. */
  linksChanged(): void;
  missed(): MissedTalks | null;
  /** Whether any voice of this person, from any of their devices, was audible between these readings of the clock. */
  wasHeard(userId: UserId, from: number, to: number): boolean;
  /** Call when the user has read which talks were missed. */
  dismiss(): void;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createMissedTalksTracker = (deps: {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  floor: Pick<FloorView, 'current' | 'audible' | 'subscribe'>;
  isLinked(id: ParticipantId): boolean;
  /** Called when talks may have begun and ended while no news came. */
  onGap(): void;
}): MissedTalksTracker => {
  const { clock, signalling, floor, isLinked } = deps;
  const listeners = createListeners();
  const running = new Map<ParticipantId, Running>();
  const spans: Span[] = [];
  let hadFloor = false;
  let awakeAt = clock.now();
  let stopLooking: Stop = nothing;
  let stay = '';
  let mark: Mark | null = null;
  let confirmedAt = 0;
  /** The point from which the server must still list the talks. */
  let open: Mark | null = null;
  let isAsking = false;
  let missed: MissedTalks | null = null;

  const endSpan = (id: ParticipantId, { userId }: Running, from: number, to: number, isHeard: boolean) => {
    spans.push({ id, userId, from, to, isHeard });
    if (spans.length > SPANS_MAX) spans.shift();
  };
  /** A participant who talked when the page fell asleep may have talked again since: nothing of that was audible. */
  const look = () => {
    const now = clock.now();
    if (now - awakeAt > ASLEEP_MS) {
      for (const [id, talk] of running) {
        if (talk.isLinked) endSpan(id, talk, talk.from, Math.max(talk.from, awakeAt), true);
        running.set(id, { ...talk, from: now });
      }
    }
    awakeAt = now;
  };
  const lookAgain = () => {
    stopLooking();
    stopLooking =
      running.size === 0
        ? nothing
        : clock.after(AWAKE_EVERY_MS, () => {
            look();
            lookAgain();
          });
  };

  const count = (names: readonly string[]) => {
    missed = {
      count: (missed?.count ?? 0) + names.length,
      names: [...new Set([...(missed?.names ?? []), ...names])],
    };
    listeners.notify();
  };

  const follow = () => {
    // While nobody is audible there are no checks, and no span to divide.
    look();
    const now = clock.now();
    const audible = floor.audible();
    const talkers = floor.current()?.talkers;
    const talkerOf = (id: ParticipantId) => talkers?.find((talker) => talker.id === id);
    for (const [id, talk] of running) {
      const { from, name, isLinked: wasLinked } = talk;
      if (audible.has(id)) continue;
      running.delete(id);
      // If the link to the server is lost, the talk may go on and still be heard: the server tells later whether it was
      // missed.
      const isMissed = !wasLinked && talkers?.every((talker) => talker.id !== id) === true;
      if (isMissed) count([name]);
      if (wasLinked || isMissed) endSpan(id, talk, from, now, wasLinked);
    }
    for (const id of audible) {
      // A talk that began before self entered isn't counted: the page knows nothing about its beginning.
      const { name = '', userId } = talkerOf(id) ?? {};
      const talk = running.get(id) ?? { from: now, name, userId, isLinked: !hadFloor };
      running.set(id, { ...talk, isLinked: talk.isLinked || isLinked(id) });
    }
    hadFloor = talkers !== undefined;
    lookAgain();
  };

  /** Whether any part of a talk was audible. `answeredAt`: when the server made the answer, by this page's clock. */
  const wasHeard = ({ id, beganMsAgo, endedMsAgo }: PastTalk, answeredAt: number) => {
    look();
    const current = running.get(id);
    const all = current === undefined ? spans : [...spans, { id, from: current.from, to: clock.now() }];
    const [from, to] = [answeredAt - beganMsAgo, answeredAt - endedMsAgo];
    return all.some((span) => span.id === id && overlaps(span, from, to));
  };

  const ask = async () => {
    if (open === null || isAsking) return;
    const from = open;
    const sentAt = clock.now();
    isAsking = true;
    const answer = await signalling.send('talks_since', from);
    isAsking = false;
    // Without an answer, the next news cause another request.
    if (!answer.ok) return;
    if (open === from) open = null;
    const answeredAt = (sentAt + clock.now()) / 2;
    const lost = (answer.data.talks ?? []).filter((talk) => !wasHeard(talk, answeredAt));
    if (lost.length > 0) count(lost.map(({ name }) => name));
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
      if (clock.now() - confirmedAt > GAP_MS) {
        open ??= mark;
        deps.onGap();
      }
      settle();
    },
    linksChanged: follow,
    missed: () => missed,
    wasHeard(userId, from, to) {
      look();
      const now = clock.now();
      const current = [...running.values()].map((talk) => ({ ...talk, to: now, isHeard: talk.isLinked }));
      return [...spans, ...current].some((span) => span.isHeard && span.userId === userId && overlaps(span, from, to));
    },
    dismiss() {
      missed = null;
      listeners.notify();
    },
    subscribe: listeners.add,
    close() {
      stop();
      stopLooking();
      open = null;
    },
  };
};

const overlaps = (span: Pick<Span, 'from' | 'to'>, from: number, to: number): boolean =>
  span.from < to && span.to > from;

/** The server allows one read per two seconds in the long run. */
const REREAD_MS = 2_500;

export interface RecentTalksDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  floor: Pick<FloorView, 'current' | 'since' | 'subscribe'>;
  self(): { userId: UserId } | null;
  /** Whether any voice of this person was audible between these readings of the clock. */
  wasHeard(userId: UserId, from: number, to: number): boolean;
  /** This tab's knowledge of the channel from before the page was loaded. Null: nothing is requested, as for guests. */
  memory: TalkMemory | null;
}

/**
 * The last talks of the room's channel (TALK130): talks that the page saw, and talks in the server's log. The log is
 * read whenever talks may have ended unseen. Whether a talk was heard depends on what was audible here; that survives
 * reloads (TALK131).
 */
export interface RecentTalks {
  /** Call when the room was entered, or entered again. */
  entered(channelId: ChannelId): void;
  /** Call when news were missing for a while: talks may have begun and ended meanwhile. */
  refresh(): void;
  current(): readonly RecentTalk[];
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** A talk as the floor showed it. `from`: a reading of the clock. */
type ShownTalk = Pick<Talker, 'userId' | 'name'> & { from: number };

export const createRecentTalks = (deps: RecentTalksDeps): RecentTalks => {
  const { clock, signalling, floor, memory } = deps;
  const listeners = createListeners();
  const running = new Map<string, ShownTalk>();
  let channelId: ChannelId | null = null;
  /** When this tab first entered the channel, ms since 1970: talks before that don't count as missed. */
  let since = 0;
  let heard: readonly HeardSpan[] = [];
  let talks: readonly RecentTalk[] = [];
  let isAsking = false;
  let isDue = false;
  let cancelReread: Stop = () => undefined;

  const toWall = (reading: number) => clock.wall() - (clock.now() - reading);
  const toReading = (wall: number) => clock.now() - (clock.wall() - wall);

  const hearingOf = (userId: UserId, from: number, to: number): RecentTalk['hearing'] => {
    if (userId === deps.self()?.userId) return 'own';
    const isKnown = heard.some((span) => span.userId === userId && span.from < to && span.to > from);
    if (isKnown || deps.wasHeard(userId, toReading(from), toReading(to))) return 'heard';
    return to <= since ? 'before' : 'missed';
  };
  const show = (next: readonly RecentTalk[]) => {
    talks = [...next].sort((one, other) => other.endedAt - one.endedAt).slice(0, LAST_TALKS);
    listeners.notify();
  };
  const remember = (span: HeardSpan) => {
    heard = [...heard, span].slice(-2 * LAST_TALKS);
    if (channelId !== null) memory?.keep(channelId, { since, heard });
  };

  const ended = ({ userId, name, from }: ShownTalk) => {
    const talk = { userId, name, endedAt: clock.wall(), beganAt: toWall(from), talkMs: clock.now() - from, talks: 1 };
    const hearing = hearingOf(userId, talk.beganAt, talk.endedAt);
    if (hearing === 'heard') remember({ userId, from: talk.beganAt, to: talk.endedAt });
    show([...talks, { ...talk, hearing }]);
  };
  const follow = () => {
    const current = floor.current();
    if (current === null || memory === null) {
      // Talks that end unseen are in the server's list.
      running.clear();
      return;
    }
    const now = new Set<string>(current.talkers.map(({ id }) => id));
    for (const [id, talk] of running) {
      if (now.has(id)) continue;
      running.delete(id);
      ended(talk);
    }
    for (const { id, userId, name } of current.talkers) running.set(id, { userId, name, from: floor.since(id) });
  };

  /** Merges the server's list with talks seen here, including those that the list doesn't have (yet). */
  const merge = (listed: readonly LoggedTalk[], answeredAt: number) => {
    const found = listed.map(({ beganMsAgo, endedMsAgo, ...talk }): RecentTalk => {
      const [beganAt, endedAt] = [answeredAt - beganMsAgo, answeredAt - endedMsAgo];
      return { ...talk, beganAt, endedAt, hearing: hearingOf(talk.userId, beganAt, endedAt) };
    });
    const oldest = found.length < LAST_TALKS ? 0 : Math.min(...found.map(({ endedAt }) => endedAt));
    const others = talks.filter(
      (seen) => seen.endedAt > oldest && !found.some((one) => one.userId === seen.userId && areOfOneTalk(one, seen)),
    );
    show([...found, ...others]);
  };
  const ask = async () => {
    if (channelId === null || memory === null) return;
    if (isAsking) {
      isDue = true;
      return;
    }
    const asked = channelId;
    isAsking = true;
    isDue = false;
    const sentAt = clock.wall();
    const answer = await signalling.send('last_talks', {});
    isAsking = false;
    if (channelId !== asked) return;
    if (answer.ok) merge(answer.data.talks, (sentAt + clock.wall()) / 2);
    // Without a link, the next join asks again.
    else if (answer.code === 'too_many') isDue = true;
    if (isDue) cancelReread = clock.after(REREAD_MS, () => void ask());
  };

  const stop = floor.subscribe(follow);
  return {
    entered(id) {
      if (id !== channelId && memory !== null) {
        channelId = id;
        const known = memory.read(id);
        since = known?.since ?? clock.wall();
        heard = known?.heard ?? [];
        memory.keep(id, { since, heard });
      }
      void ask();
    },
    refresh: () => void ask(),
    current: () => talks,
    subscribe: listeners.add,
    close() {
      stop();
      cancelReread();
      channelId = null;
    },
  };
};

/** Whether both are the same talk: the page's times and the server's differ by at most a round trip. */
const areOfOneTalk = (one: RecentTalk, other: RecentTalk): boolean =>
  one.beganAt < other.endedAt && one.endedAt > other.beganAt;
