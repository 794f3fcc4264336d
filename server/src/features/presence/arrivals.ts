import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { LiveParticipant } from '#src/sockets/sockets.ts';
import type { StatusNewsPublisher } from './status-news.ts';

/** How long news of a user's further participant wait, ms. */
const UNTOLD_MS = 1_000;

interface Arrival {
  /** Nobody needs to hear of it: it took over the participant that lists show, or is gone. */
  isOver: boolean;
  /** News of its user were told since it came, and may name it. */
  isNamed: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Tells who comes and goes. A user's first participant is told at once. The news of a further one wait a moment, because most of those take
 * over a participant whose link or process was lost. Then no list has changed, and hundreds need not be told of each (PRES46).
 */
export interface Arrivals {
  came(participant: LiveParticipant, isFirst: boolean): void;
  /** It took over rows that lists show already. */
  resumed(participant: LiveParticipant): void;
  went(participant: LiveParticipant, channelIds: readonly ChannelId[]): void;
  /** Call it when news of these users were told, by whatever process. */
  told(userIds: readonly UserId[]): void;
  close(): void;
}

export function createArrivals(news: Pick<StatusNewsPublisher, 'came' | 'went'>): Arrivals {
  const untold = new Map<UserId, Map<LiveParticipant, Arrival>>();
  const find = ({ session: { userId } }: LiveParticipant) => untold.get(userId);

  function end(participant: LiveParticipant): void {
    const { userId } = participant.session;
    const ofUser = untold.get(userId);
    const arrival = ofUser?.get(participant);
    ofUser?.delete(participant);
    if (ofUser?.size === 0) untold.delete(userId);
    if (arrival !== undefined && (!arrival.isOver || arrival.isNamed)) news.came(participant.session, false);
  }

  return {
    came(participant, isFirst) {
      if (isFirst) return news.came(participant.session, true);
      const { userId } = participant.session;
      const ofUser = untold.get(userId) ?? new Map<LiveParticipant, Arrival>();
      untold.set(userId, ofUser);
      const timer = setTimeout(() => end(participant), UNTOLD_MS);
      ofUser.set(participant, { isOver: false, isNamed: false, timer });
    },
    resumed(participant) {
      const arrival = find(participant)?.get(participant);
      if (arrival !== undefined) arrival.isOver = true;
    },
    went(participant, channelIds) {
      const arrival = find(participant)?.get(participant);
      if (arrival === undefined || channelIds.length > 0) news.went(participant.session, channelIds);
      else arrival.isOver = true;
    },
    told(userIds) {
      for (const id of userIds) for (const arrival of untold.get(id)?.values() ?? []) arrival.isNamed = true;
    },
    close() {
      for (const ofUser of untold.values()) for (const { timer } of ofUser.values()) clearTimeout(timer);
      untold.clear();
    },
  };
}
