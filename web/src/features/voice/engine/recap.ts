import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { LAST_TALKS } from '@pressel/contract/limits';
import type { LoggedTalk, PastTalk, Talker } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import type { FloorView } from './floor.ts';
import type { Clock, Stop } from './platform.ts';
import type { HeardSpan, MissedTalks, RecentTalk, Signalling, TalkMemory } from './types.ts';

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

/** A talk that goes on. */
interface Running {
  /** Reading of the clock. */
  from: number;
  name: string;
  userId: UserId | undefined;
  /** Whether the talker's voice had a way to us, for any part of it. */
  isLinked: boolean;
}

/** A time in which somebody was audible, or whose talk was counted already, readings of the clock. */
interface Span {
  id: ParticipantId;
  userId: UserId | undefined;
  from: number;
  to: number;
  isHeard: boolean;
}

/**
 * Finds out which talks were missed. While no news came: the server lists the talks since then, and those of which nothing was
 * audible count [TALK104, TALK105]. While they came: those whose talker's link was down from the beginning to the end [TALK118].
 */
export interface Recap {
  /** The room was entered, or entered again. */
  entered(stay: string): void;
  /** The floor is known to be the server's right now. */
  confirm(): void;
  /** A link came up or went down. */
  linksChanged(): void;
  missed(): MissedTalks | null;
  /** Whether anything of this person, at whichever device, was audible between these readings of the clock. */
  wasHeard(userId: UserId, from: number, to: number): boolean;
  /** The user has read it. */
  dismiss(): void;
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createRecap = (deps: {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  floor: Pick<FloorView, 'current' | 'audible' | 'subscribe'>;
  isLinked(id: ParticipantId): boolean;
  /** Talks may have begun and ended while no news came. */
  onGap(): void;
}): Recap => {
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
  /** From where on the talks have yet to be asked for. */
  let open: Mark | null = null;
  let isAsking = false;
  let missed: MissedTalks | null = null;

  const endSpan = (id: ParticipantId, { userId }: Running, from: number, to: number, isHeard: boolean) => {
    spans.push({ id, userId, from, to, isHeard });
    if (spans.length > SPANS_MAX) spans.shift();
  };
  /** Who talked when the page fell asleep may have talked again since: that was not audible. */
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
    listeners.tell();
  };

  const follow = () => {
    // With nobody audible it isn't looked, and there is nothing to divide.
    look();
    const now = clock.now();
    const audible = floor.audible();
    const talkers = floor.current()?.talkers;
    const talkerOf = (id: ParticipantId) => talkers?.find((talker) => talker.id === id);
    for (const [id, talk] of running) {
      const { from, name, isLinked: wasLinked } = talk;
      if (audible.has(id)) continue;
      running.delete(id);
      // With the link to the server lost it may go on, and be heard yet: what is missed then the server says.
      const isMissed = !wasLinked && talkers?.every((talker) => talker.id !== id) === true;
      if (isMissed) count([name]);
      if (wasLinked || isMissed) endSpan(id, talk, from, now, wasLinked);
    }
    for (const id of audible) {
      // Of one that began before we came in nothing is known: it isn't counted.
      const { name = '', userId } = talkerOf(id) ?? {};
      const talk = running.get(id) ?? { from: now, name, userId, isLinked: !hadFloor };
      running.set(id, { ...talk, isLinked: talk.isLinked || isLinked(id) });
    }
    hadFloor = talkers !== undefined;
    lookAgain();
  };

  /** Whether any part of a talk was audible. `answeredAt`: when the server made the answer, by our clock. */
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
    // Without an answer it is asked again with the next news.
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
      listeners.tell();
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

/** The server allows one read in two seconds in the long run. */
const REREAD_MS = 2_500;

export interface RecentTalksDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  floor: Pick<FloorView, 'current' | 'since' | 'subscribe'>;
  self(): { userId: UserId } | null;
  /** Whether anything of this person was audible between these readings of the clock. */
  wasHeard(userId: UserId, from: number, to: number): boolean;
  /** What this tab knows of the channel from before the page was loaded. Null: nothing is asked for, as for guests. */
  memory: TalkMemory | null;
}

/**
 * The last talks of the room's channel (TALK130): those that the page saw, and those of the server's log, which is asked whenever
 * talks may have ended unseen. Whether one was heard is known by what was audible here, kept through reloads (TALK131).
 */
export interface RecentTalks {
  /** The room was entered, or entered again. */
  entered(channelId: ChannelId): void;
  /** News were missing for a while: talks may have begun and ended meanwhile. */
  refresh(): void;
  current(): readonly RecentTalk[];
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** As the floor showed it. `from`: a reading of the clock. */
type ShownTalk = Pick<Talker, 'userId' | 'name'> & { from: number };

export const createRecentTalks = (deps: RecentTalksDeps): RecentTalks => {
  const { clock, signalling, floor, memory } = deps;
  const listeners = createListeners();
  const running = new Map<string, ShownTalk>();
  let channelId: ChannelId | null = null;
  /** When this tab first came into the channel, ms since 1970: talks from before were not missed. */
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
    listeners.tell();
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
      // What ends unseen is in the server's list.
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

  /** The server's list, with what was seen here of each, and what was seen here that it doesn't have (yet). */
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
    // Without a link the next join asks again.
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

/** Times of one talk as the page and the server have them: a round trip apart at most. */
const areOfOneTalk = (one: RecentTalk, other: RecentTalk): boolean =>
  one.beganAt < other.endedAt && one.endedAt > other.beganAt;
