import { PICTURES, type PictureName } from './pictures.ts';
import { between, oneOf, type Random } from './random.ts';
import { type GeoPoint, pointAt } from './routes.ts';
import { membersOf, PEOPLE, VOICED_CHANNELS, VOICES_PER_CHANNEL } from './team.ts';

/** A deed of somebody; people and channels are indexes of PEOPLE and CHANNELS. */
export type Deed =
  | { do: 'connect' | 'disconnect'; who: number }
  /** Only those who are in a room talk there, one at a time; all of them have a voice. */
  | { do: 'enter' | 'leave'; who: number; channel: number }
  | { do: 'talk'; who: number; channel: number; ms: number }
  | { do: 'write'; who: number; channel: number }
  | { do: 'show'; who: number; channel: number; picture: PictureName }
  | { do: 'move'; who: number; place: GeoPoint };
/** `at`: ms since the beginning; steps come in this order. */
export type Step = Deed & { at: number };

/** People who are connected. */
export const PRESENT_LEAST = 18;
export const PRESENT_MOST = 30;
const PRESENT_FIRST = 24;
const ARRIVAL_MS = 70;
/** People who move report it as often as a phone would; people who stand still, often enough to be seen as there. */
const MOVING_MS = 5_000;
const STANDING_MS = 120_000;

/** A voiced channel. */
interface Room {
  channel: number;
  inside: Set<number>;
  /** The last talker, and the end of their talk. */
  talker: number;
  busyUntil: number;
}

/** Something that happens again and again. @returns when next, ms from now */
type Habit = { next: number; act(at: number): { deeds: Deed[]; again: number } };

/** Plans, for ever, who does what next. It knows no clock: the same seed tells the same story. */
export function* planLife(random: Random): Generator<Step, never> {
  const present = new Set<number>();
  const rooms = VOICED_CHANNELS.map((channel): Room => ({ channel, inside: new Set(), talker: -1, busyUntil: 0 }));
  const isInside = (who: number) => rooms.some(({ inside }) => inside.has(who));
  const standing = (who: number, at: number): Deed[] => {
    const course = PEOPLE[who]?.course;
    return course === undefined ? [] : [{ do: 'move', who, place: pointAt(course, at) }];
  };
  const arrive = (who: number, at: number): Deed[] => {
    if (present.has(who)) return [];
    present.add(who);
    return [{ do: 'connect', who }, ...standing(who, at)];
  };
  const enter = (who: number, { channel, inside }: Room, at: number): Deed[] => {
    inside.add(who);
    return [...arrive(who, at), { do: 'enter', who, channel }];
  };

  const talks = (room: Room): Habit => ({
    next: PRESENT_FIRST * ARRIVAL_MS + between(random, 500, 2_500),
    act(at) {
      const ms = Math.round(between(random, 1_800, 6_500));
      const others = [...room.inside].filter((who) => who !== room.talker);
      if (others.length === 0) return { deeds: [], again: 1_000 };
      room.talker = oneOf(random, others);
      room.busyUntil = at + ms;
      return {
        deeds: [{ do: 'talk', who: room.talker, channel: room.channel, ms }],
        again: ms + between(random, 1_500, 7_000),
      };
    },
  });
  const swaps = (room: Room): Habit => ({
    next: between(random, 30_000, 60_000),
    act(at) {
      if (room.inside.size < VOICES_PER_CHANNEL) {
        const others = membersOf(room.channel).filter((who) => !isInside(who));
        return { deeds: enter(oneOf(random, others), room, at), again: between(random, 40_000, 80_000) };
      }
      // The last talker doesn't leave in the middle of their word.
      const silent = [...room.inside].filter((who) => who !== room.talker || at > room.busyUntil + 1_000);
      const who = oneOf(random, silent);
      room.inside.delete(who);
      return { deeds: [{ do: 'leave', who, channel: room.channel }], again: between(random, 2_000, 5_000) };
    },
  });
  const comings: Habit = {
    next: 6_000,
    act(at) {
      const away = [...PEOPLE.keys()].filter((who) => !present.has(who));
      const free = [...present].filter((who) => !isInside(who));
      const isArrival = present.size <= PRESENT_LEAST || (present.size < PRESENT_MOST && random() < 0.5);
      const again = between(random, 5_000, 14_000);
      if (isArrival) return { deeds: arrive(oneOf(random, away), at), again };
      const who = oneOf(random, free);
      present.delete(who);
      return { deeds: [{ do: 'disconnect', who }], again };
    },
  };
  const writings: Habit = {
    next: PRESENT_FIRST * ARRIVAL_MS + 800,
    act() {
      const who = oneOf(random, [...present]);
      const channel = oneOf(random, PEOPLE[who]?.channels ?? []);
      return { deeds: [{ do: 'write', who, channel }], again: between(random, 3_000, 9_000) };
    },
  };
  const showings: Habit = {
    next: 12_000,
    act() {
      const who = oneOf(random, [...present]);
      const channel = oneOf(random, PEOPLE[who]?.channels ?? []);
      const deed: Deed = { do: 'show', who, channel, picture: oneOf(random, PICTURES) };
      return { deeds: [deed], again: between(random, 45_000, 90_000) };
    },
  };
  const moves = [...PEOPLE.entries()].map(([who, { course }]): Habit => {
    const again = course.speed === 0 ? STANDING_MS : MOVING_MS;
    return { next: random() * again, act: (at) => ({ deeds: present.has(who) ? standing(who, at) : [], again }) };
  });

  let at = 0;
  const told = function* (deeds: readonly Deed[]): Generator<Step> {
    for (const deed of deeds) yield { ...deed, at: Math.round(at) };
  };
  for (const room of rooms) {
    const free = membersOf(room.channel).filter((who) => !isInside(who));
    for (const who of free.slice(0, VOICES_PER_CHANNEL)) {
      yield* told(enter(who, room, at));
      at += ARRIVAL_MS;
    }
  }
  while (present.size < PRESENT_FIRST) {
    yield* told(
      arrive(
        oneOf(
          random,
          [...PEOPLE.keys()].filter((who) => !present.has(who)),
        ),
        at,
      ),
    );
    at += ARRIVAL_MS;
  }
  const habits = [...rooms.map(talks), ...rooms.map(swaps), comings, writings, showings, ...moves];
  for (;;) {
    const habit = habits.reduce((first, one) => (one.next < first.next ? one : first));
    at = Math.max(at, habit.next);
    const { deeds, again } = habit.act(at);
    habit.next = at + again;
    yield* told(deeds);
  }
}
