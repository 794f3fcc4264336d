import type { ParticipantId } from '@pressel/contract/ids';
import type { Participant } from '@pressel/contract/presence';
import type { FloorView } from './floor-view.ts';
import type { Clock, Stop } from './platform.ts';

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
