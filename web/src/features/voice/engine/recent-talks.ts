import type { ChannelId, UserId } from '@pressel/contract/ids';
import { LAST_TALKS } from '@pressel/contract/limits';
import type { LoggedTalk, Talker } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import type { FloorView } from './floor-view.ts';
import type { Clock, Stop } from './platform.ts';
import type { HeardSpan, RecentTalk, Signalling, TalkMemory } from './types.ts';

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
type Running = Pick<Talker, 'userId' | 'name'> & { from: number };

export const createRecentTalks = (deps: RecentTalksDeps): RecentTalks => {
  const { clock, signalling, floor, memory } = deps;
  const listeners = createListeners();
  const running = new Map<string, Running>();
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

  const ended = ({ userId, name, from }: Running) => {
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
      (seen) => seen.endedAt > oldest && !found.some((one) => one.userId === seen.userId && overlaps(one, seen)),
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
const overlaps = (one: RecentTalk, other: RecentTalk): boolean =>
  one.beganAt < other.endedAt && one.endedAt > other.beganAt;
