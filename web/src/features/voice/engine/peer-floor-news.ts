import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import { type FloorNews, floorNews, floorText } from '@pressel/contract/voice';
import { onDemand, z } from '@pressel/contract/zod';
import type { FloorView } from './floor.ts';
import type { CheckSignature, Clock, Stop } from './platform.ts';

export interface PeerFloorNewsDeps {
  floor: Pick<FloorView, 'apply' | 'current'>;
  /** Makes the function that checks signatures by a public key. */
  checkBy(publicKey: string): CheckSignature;
  /** Called when a participant's page says that its user presses. */
  onPress(id: ParticipantId): void;
}

/**
 * The format of news between pages. `isPress`: the sender presses; nobody signed that. Pages that don't know it see an
 * old floor.
 */
const peerFloorNews = onDemand(() => floorNews().extend({ isPress: z.boolean().optional() }));

/**
 * News of the floor over the links, beside the server's own. A talker passes on the server's signed news of its talk,
 * so that they reach everybody whom the voice reaches. The newest version counts, whichever way it comes, so that
 * nobody hears two talkers [TALK115].
 */
export interface PeerFloorNews {
  /** Handles a text. @returns whether the other side is worth listening to any further */
  hear(from: ParticipantId, text: string): Promise<boolean>;
  /** Returns the first text for a link that opens; null for none. */
  first(): string | null;
  entered(state: Pick<RoomState, 'channel' | 'self' | 'floor' | 'floorKey'>): void;
  left(): void;
  /** @returns the text by which the links pass on this news of the server; null for none */
  passOn(news: FloorNews): string | null;
  /**
   * @returns the text for the links when self opens the microphone before the server's answer [TALK147]; null for none
   */
  press(): string | null;
}

/** Facts learned since the room was entered: versions and signatures mean nothing beyond it. */
interface JoinedFloor {
  channelId: ChannelId;
  self: ParticipantId;
  /** When the server signed the floor of its answer to the join, by the server's clock. */
  since: number;
  check: CheckSignature;
}

export const createPeerFloorNews = ({ floor, checkBy, onPress }: PeerFloorNewsDeps): PeerFloorNews => {
  let here: JoinedFloor | null = null;
  /** The text that was passed on last, while self talks. */
  let own: string | null = null;
  return {
    entered({ channel, self, floor: { signedAt }, floorKey }) {
      // A participant that comes back as before still tells of its running talk.
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
      // Only the talk's beginning and end: otherwise others could make the talker send too much, by asking for the
      // floor again and again.
      return isTalking === wasTalking ? null : text;
    },
    press() {
      const pressedOn = floor.current();
      if (here === null || own !== null || pressedOn === null) return null;
      // The others may not have heard yet that the floor is idle.
      return JSON.stringify({ ...pressedOn, isPress: true });
    },
    first: () => own,
    async hear(from, text) {
      const stay = here;
      if (stay === null) return true;
      const news = readNews(text);
      if (news === null) return false;
      if (news.channelId !== stay.channelId) return true;
      // A process that began since has lower versions for a while [TALK152]: a talk that ended long ago would outrank
      // its news.
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

/** Parses another page's text; null for a text that no page would send. */
export function readNews(text: string): z.infer<ReturnType<typeof peerFloorNews>> | null {
  try {
    return peerFloorNews().safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Longest time for which a participant is played before the news of the grant: two round trips to a distant server. */
export const EARLY_MS = 700;

export interface EarlyMediaDeps {
  clock: Clock;
  floor: Pick<FloorView, 'current' | 'looksFree' | 'early' | 'playEarly' | 'subscribe'>;
  /** The participants besides self. Any of them may ask for the floor. */
  others(): readonly Pick<Participant, 'id' | 'userId' | 'guest'>[];
  /** Whether self's microphone is open. */
  isSending(): boolean;
  /**
   * Everybody who was played early and has not had the floor since. All rooms of the page share one set: a person has
   * one try.
   */
  spent: Set<string>;
}

/**
 * Early media [TALK49]: plays a participant who says over the link that they press, before the server's news of the
 * grant arrive. Nobody signed that hint, so it is good for one try. If the news don't name the person afterwards, they
 * aren't played early again until the news do.
 */
export interface EarlyMedia {
  /** Call when a participant's page says that its user presses. */
  pressed(id: ParticipantId): void;
  /** Call when self begins to talk: a talker plays nobody. */
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

/**
 * All guests of a link count as one person: otherwise a guest would get another try by coming back as another guest.
 */
const personOf = ({ userId, guest }: Pick<Participant, 'userId' | 'guest'>): string => guest?.link ?? userId;
