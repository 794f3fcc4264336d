import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import { type FloorNews, floorNews, floorText } from '@pressel/contract/voice';
import { z } from '@pressel/contract/zod';
import type { FloorView } from './floor.ts';
import type { CheckSignature, Clock, Stop } from './platform.ts';

export interface FloorBesideDeps {
  floor: Pick<FloorView, 'apply' | 'current'>;
  /** Makes what checks signatures by a public key. */
  checkBy(publicKey: string): CheckSignature;
  /** A participant's page says that it presses. */
  onPress(id: ParticipantId): void;
}

/** What pages tell each other. `isPress`: the sender presses; its word alone. Pages that don't know it take the floor for an old one. */
const besideNews = floorNews.extend({ isPress: z.boolean().optional() });

/**
 * News of the floor by the links, beside the server's own: a talker passes on what the server said about its talk, signed by
 * the server, so that it gets wherever the voice does. Whatever way they come, the newest version counts, so that nobody
 * hears two talkers [TALK115].
 */
export interface FloorBeside {
  /** A text came. @returns whether the other side is worth listening to any further */
  hear(from: ParticipantId, text: string): Promise<boolean>;
  /** What a link that opens is told; null: nothing. */
  first(): string | null;
  entered(state: Pick<RoomState, 'channel' | 'self' | 'floor' | 'floorKey'>): void;
  left(): void;
  /** @returns what the links are to be told of these news of the server; null: nothing */
  passOn(news: FloorNews): string | null;
  /** @returns what the links are to be told when self opens the microphone before the server's answer [TALK147]; null: nothing */
  press(): string | null;
}

/** What is known of a stay in the room: versions and signatures mean nothing beyond it. */
interface Here {
  channelId: ChannelId;
  self: ParticipantId;
  /** When the server signed the floor of its answer to the join, by its clock. */
  since: number;
  check: CheckSignature;
}

export const createFloorBeside = ({ floor, checkBy, onPress }: FloorBesideDeps): FloorBeside => {
  let here: Here | null = null;
  /** What was passed on last, while self talks. */
  let own: string | null = null;
  return {
    entered({ channel, self, floor: { signedAt }, floorKey }) {
      // Who comes back as before still tells of the talk that goes on.
      if (self.id !== here?.self) own = null;
      here = { channelId: channel.id, self: self.id, since: signedAt, check: checkBy(floorKey) };
    },
    left() {
      here = null;
      own = null;
    },
    passOn(news) {
      const wasTalking = own !== null;
      const isTalking = news.talkers.some(({ id }) => id === here?.self);
      if (!wasTalking && !isTalking) return null;
      const text = JSON.stringify(news);
      own = isTalking ? text : null;
      // Its beginning and its end, and nothing else: others could make the talker say too much by asking for the floor again and again.
      return isTalking === wasTalking ? null : text;
    },
    press() {
      const pressedOn = floor.current();
      if (here === null || own !== null || pressedOn === null) return null;
      // The others may not have heard yet that it is idle.
      return JSON.stringify({ ...pressedOn, isPress: true });
    },
    first: () => own,
    async hear(from, text) {
      const stay = here;
      if (stay === null) return true;
      const news = readNews(text);
      if (news === null) return false;
      if (news.channelId !== stay.channelId) return true;
      // A process that began since has lower versions for a while [TALK152]: a talk that is long over would outrank its news.
      const isNew = () => news.version > (floor.current()?.version ?? 0) && news.signedAt >= stay.since;
      if (isNew()) {
        if (!(await stay.check(floorText(news), news.signature))) return false;
        if (here !== stay) return true;
        floor.apply(news);
      }
      if (news.isPress) onPress(from);
      return true;
    },
  };
};

/** What another page says; null: nothing that one page tells another. */
export function readNews(text: string): z.infer<typeof besideNews> | null {
  try {
    return besideNews.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Longest time for which a participant is played before the news of the grant: a round trip to a server that is far away, twice. */
export const EARLY_MS = 700;

export interface EarlyMediaDeps {
  clock: Clock;
  floor: Pick<FloorView, 'current' | 'looksFree' | 'early' | 'playEarly' | 'subscribe'>;
  /** The participants besides self. All of them may ask for the floor. */
  others(): readonly Pick<Participant, 'id' | 'userId' | 'guest'>[];
  /** Whether self's microphone is open. */
  isSending(): boolean;
  /** Everybody who was played early and has not had the floor since. One set for all rooms of the page: a try is one of the person's. */
  spent: Set<string>;
}

/**
 * Early media [TALK49]: plays who says by the link that they press, before the server's news of the grant are here. The saying is a
 * hint that nobody signed, so it is good for one try: a person whom the news don't name afterwards isn't played early again until
 * they do.
 */
export interface EarlyMedia {
  /** A participant's page says that it presses. */
  pressed(id: ParticipantId): void;
  /** Self begins to talk: a talker plays nobody. */
  stop(): void;
  close(): void;
}

export const createEarlyMedia = ({ clock, floor, others, isSending, spent }: EarlyMediaDeps): EarlyMedia => {
  let cancel: Stop = () => undefined;

  const find = (id: ParticipantId) => others().find((one) => one.id === id);
  const stop = () => {
    cancel();
    floor.playEarly(null);
  };
  const follow = () => {
    for (const { id, userId } of floor.current()?.talkers ?? []) {
      const speaker = find(id);
      spent.delete(speaker === undefined ? userId : personOf(speaker));
    }
    if (floor.early() === null) cancel();
  };
  const stopFollowing = floor.subscribe(follow);

  return {
    pressed(id) {
      if (isSending() || floor.early() !== null || !floor.looksFree()) return;
      const speaker = find(id);
      if (speaker === undefined || spent.has(personOf(speaker))) return;
      spent.add(personOf(speaker));
      cancel = clock.after(EARLY_MS, stop);
      floor.playEarly({ id, userId: speaker.userId });
    },
    stop,
    close() {
      stopFollowing();
      stop();
    },
  };
};

/** All guests of a link are one: else another try would cost no more than to come back as another guest. */
const personOf = ({ userId, guest }: Pick<Participant, 'userId' | 'guest'>): string => guest?.link ?? userId;
