import type { UserId } from '@pressel/contract/ids';
import type { LocationNews, MemberPosition } from '@pressel/contract/positions';
import type { UserActivity } from '@pressel/contract/users';
import { markerLabel } from './marker-rules.ts';
import { type WorldPoint, worldPoint } from './mercator.ts';

/** A member of the channel with a known position. Never changed in place: a new position makes a new one. */
export interface Person extends WorldPoint {
  readonly userId: UserId;
  readonly name: string;
  readonly label: string;
  readonly lat: number;
  readonly lng: number;
  /** Metres; null when unknown. */
  readonly accuracy: number | null;
  readonly recordedAt: string;
  /** The time of recording, by this page's steady clock, ms. */
  readonly seenAt: number;
  readonly activity: UserActivity | undefined;
  /** Whether the person is in the channel's room. */
  readonly isInRoom: boolean;
  readonly isTalking: boolean;
}

export interface Participant {
  readonly userId: UserId;
  readonly name: string;
  readonly isTalking: boolean;
}

export interface PositionIndexDeps {
  /** A steady clock, ms. */
  now: () => number;
  /** Calls back before the next picture is drawn. */
  onFrame: (act: () => void) => void;
}

/** The people who changed since the last time; null: other people than before are on the map. */
export type PositionIndexChange = ReadonlySet<UserId> | null;

export type PositionIndex = ReturnType<typeof createPositionIndex>;

/** Keeps where the members of a channel are. Listeners hear of positions once for each picture, however many come between two. */
export function createPositionIndex({ now, onFrame }: PositionIndexDeps) {
  let people = new Map<UserId, Person>();
  let participants = new Map<UserId, { isTalking: boolean }>();
  let changed = new Set<UserId>();
  let hasOthers = false;
  let isWaiting = false;
  const listeners = new Set<(change: PositionIndexChange) => void>();

  const tell = (): void => {
    isWaiting = false;
    const change = hasOthers ? null : changed;
    hasOthers = false;
    changed = new Set();
    for (const listener of [...listeners]) listener(change);
  };
  const mark = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    onFrame(tell);
  };

  const presenceOf = (userId: UserId) => {
    const participant = participants.get(userId);
    return { isInRoom: participant !== undefined, isTalking: participant?.isTalking ?? false };
  };
  const personOf = (row: MemberPosition): Person => ({
    ...placeOf(row, now()),
    userId: row.userId,
    name: row.display_name,
    label: markerLabel(row.pseudo, row.display_name),
    activity: row.userActivities[0],
    ...presenceOf(row.userId),
  });
  /** A read position may be older than one that was heard meanwhile. */
  const newest = (row: MemberPosition): Person => {
    const person = personOf(row);
    const known = people.get(row.userId);
    if (known === undefined || known.recordedAt <= row.recordedAt) return person;
    const { x, y, lat, lng, accuracy, recordedAt, seenAt } = known;
    return { ...person, ...{ x, y, lat, lng, accuracy, recordedAt, seenAt } };
  };

  return {
    /** The people, in the order of the server's list. */
    people: (): ReadonlyMap<UserId, Person> => people,

    /** Replaces everybody, after the whole list was read. */
    replace(rows: readonly MemberPosition[]): void {
      people = new Map(rows.map((row) => [row.userId, newest(row)]));
      hasOthers = true;
      mark();
    },

    /** Adds people who were read. */
    add(rows: readonly MemberPosition[]): void {
      if (rows.length === 0) return;
      const next = new Map(people);
      for (const row of rows) {
        if (!people.has(row.userId)) hasOthers = true;
        next.set(row.userId, newest(row));
        changed.add(row.userId);
      }
      people = next;
      mark();
    },

    /** Moves somebody. @returns false when nothing is known of this user */
    move(news: LocationNews): boolean {
      const known = people.get(news.userId);
      if (known === undefined) return false;
      if (known.recordedAt >= news.recordedAt) return true;
      people.set(news.userId, { ...known, ...placeOf(news, now()) });
      changed.add(news.userId);
      mark();
      return true;
    },

    setParticipants(list: readonly Participant[]): void {
      const next = new Map<UserId, { isTalking: boolean }>();
      // One user with two devices is two participants, and talks when either does.
      for (const { userId, isTalking } of list) {
        next.set(userId, { isTalking: isTalking || (next.get(userId)?.isTalking ?? false) });
      }
      const before = participants;
      participants = next;
      for (const userId of new Set([...before.keys(), ...next.keys()])) {
        const person = people.get(userId);
        if (person === undefined) continue;
        const presence = presenceOf(userId);
        if (person.isInRoom === presence.isInRoom && person.isTalking === presence.isTalking) continue;
        people.set(userId, { ...person, ...presence });
        changed.add(userId);
        mark();
      }
    },

    /** Removes everybody, because nobody may be shown any more. */
    clear(): void {
      if (people.size === 0) return;
      people = new Map();
      hasOthers = true;
      mark();
    },

    subscribe(listener: (change: PositionIndexChange) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const placeOf = ({ lat, lng, accuracy, recordedAt, ageMs }: Omit<LocationNews, 'userId'>, now: number) => ({
  ...worldPoint(lng, lat),
  ...{ lat, lng, accuracy, recordedAt },
  seenAt: now - ageMs,
});
