import type { PictureName } from './pictures.ts';
import { PICTURES } from './pictures.ts';
import { between, oneOf, type Random } from './random.ts';
import { CHANNELS, PEOPLE } from './team.ts';
import { captionFor, lineFor } from './words.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAYS = 7;
/** Each day's shift ends at the hour at which the demo begins: so the newest of it is always just over. */
const SHIFT_MS = 10 * HOUR_MS;
/** The newest act of the past is at least this old. */
const SINCE_MS = 40_000;
/** The chance that a person is on duty on a day. */
const ON_DUTY = 0.7;
const PICTURE_EVERY = 14;

/** An act of somebody. People and channels are indexes of PEOPLE and CHANNELS. */
export type PastAct = { at: number; who: number } & (
  | { type: 'login' | 'logout' | 'position_update' }
  | { type: 'channel_join'; channel: number }
  | { type: 'channel_leave'; channel: number; durationMs: number }
  | { type: 'channel_talk'; channel: number; durationMs: number }
  | { type: 'message'; channel: number; text: string; picture: PictureName | null }
);

/** The acts of the week before `now` (ms since 1970), in the order of time. */
export function pastWeek(now: number, random: Random): PastAct[] {
  const acts: PastAct[] = [];
  for (let day = DAYS - 1; day >= 0; day -= 1) {
    const end = now - SINCE_MS - day * 24 * HOUR_MS;
    for (const who of PEOPLE.keys()) {
      // Everybody is there on the last day.
      if (day === 0 || random() < ON_DUTY) acts.push(...shift(who, end, random));
    }
  }
  acts.sort((a, b) => a.at - b.at);
  return acts.map((act, index) => withPicture(act, index, random));
}

/** One shift of a person: sign-in, some stays with talks and messages, sign-out. */
function shift(who: number, end: number, random: Random): PastAct[] {
  const begun = end - SHIFT_MS * between(random, 0.55, 1);
  const over = end - between(random, 0, 50 * MINUTE_MS);
  const acts: PastAct[] = [
    { type: 'login', at: begun, who },
    { type: 'position_update', at: begun + MINUTE_MS, who },
  ];
  const stays = Math.round(between(random, 1, 3));
  for (let stay = 0; stay < stays; stay += 1) {
    const span = (over - begun) / stays;
    const entered = begun + span * stay + between(random, 2 * MINUTE_MS, span / 4);
    const left = entered + between(random, 0.3, 0.7) * span;
    const channel = oneOf(random, PEOPLE[who]?.channels ?? []);
    acts.push({ type: 'channel_join', at: entered, who, channel });
    for (let talk = Math.round(between(random, 1, 5)); talk > 0; talk -= 1) {
      const durationMs = Math.round(between(random, 1_500, 14_000));
      acts.push({ type: 'channel_talk', at: between(random, entered, left), who, channel, durationMs });
    }
    if (random() < 0.75) {
      const at = between(random, entered, left);
      acts.push({ type: 'message', at, who, channel, text: lineFor(channel, new Date(at), random), picture: null });
    }
    acts.push({ type: 'channel_leave', at: left, who, channel, durationMs: Math.round(left - entered) });
  }
  return [...acts, { type: 'logout', at: over, who }];
}

function withPicture(act: PastAct, index: number, random: Random): PastAct {
  if (act.type !== 'message' || index % PICTURE_EVERY !== 0 || CHANNELS[act.channel] === undefined) return act;
  const picture = oneOf(random, PICTURES);
  return { ...act, picture, text: captionFor(picture, act.channel, new Date(act.at), random) };
}
