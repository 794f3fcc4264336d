import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { LiveParticipant } from '#src/sockets/sockets.ts';
import { LATE_MS } from './newest-news.ts';
import type { StatusNewsPublisher } from './status-news.ts';

/** How long news of a user's further participant wait, ms. */
const UNTOLD_MS = 1_000;

interface Arrival {
  /** `expected`: its row is being written. `ended`: nobody was told of it. News that are late may name it all the same. */
  phase: 'expected' | 'waiting' | 'ended';
  /** Nobody needs to hear of it: it took over the participant that lists show, or is gone. */
  isOver: boolean;
  /** News of its user were told since its row may be there, and may name it. */
  isNamed: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Tells who comes and goes. A user's first participant is told at once. The news of a further one wait a moment, because most of those take
 * over a participant whose link or process was lost. Then no list has changed, and hundreds need not be told of each (PRES46).
 */
export interface Arrivals {
  /** Call it before its row is written: news may name it from then on. */
  expect(participant: LiveParticipant): void;
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
  const find = (participant: LiveParticipant) => untold.get(participant.session.userId)?.get(participant);

  function forget(participant: LiveParticipant): void {
    const { userId } = participant.session;
    const ofUser = untold.get(userId);
    clearTimeout(ofUser?.get(participant)?.timer);
    ofUser?.delete(participant);
    if (ofUser?.size === 0) untold.delete(userId);
  }

  const forgetLater = (participant: LiveParticipant) => setTimeout(() => forget(participant), LATE_MS);

  function expect(participant: LiveParticipant): Arrival {
    const { userId } = participant.session;
    const ofUser = untold.get(userId) ?? new Map<LiveParticipant, Arrival>();
    untold.set(userId, ofUser);
    const arrival: Arrival = { phase: 'expected', isOver: false, isNamed: false, timer: forgetLater(participant) };
    ofUser.set(participant, arrival);
    return arrival;
  }

  function end(participant: LiveParticipant, arrival: Arrival): void {
    if (!arrival.isOver || arrival.isNamed) tell(participant);
    else {
      arrival.phase = 'ended';
      arrival.timer = forgetLater(participant);
    }
  }

  function tell(participant: LiveParticipant): void {
    forget(participant);
    news.came(participant.session, false);
  }

  return {
    expect,
    came(participant, isFirst) {
      if (isFirst) {
        forget(participant);
        return news.came(participant.session, true);
      }
      const arrival = find(participant) ?? expect(participant);
      clearTimeout(arrival.timer);
      arrival.phase = 'waiting';
      arrival.timer = setTimeout(() => end(participant, arrival), UNTOLD_MS);
    },
    resumed(participant) {
      const arrival = find(participant);
      if (arrival !== undefined) arrival.isOver = true;
    },
    went(participant, channelIds) {
      const arrival = find(participant);
      // A participant that it took over was shown, and is gone with it. An expected one may turn out to be the first.
      const isHidden = arrival?.phase === 'waiting' && !arrival.isOver && channelIds.length === 0;
      if (isHidden) arrival.isOver = true;
      else {
        forget(participant);
        news.went(participant.session, channelIds);
      }
    },
    told(userIds) {
      for (const id of userIds) {
        for (const [participant, arrival] of untold.get(id) ?? []) {
          if (arrival.phase === 'ended') tell(participant);
          else arrival.isNamed = true;
        }
      }
    },
    close() {
      for (const ofUser of untold.values()) for (const { timer } of ofUser.values()) clearTimeout(timer);
      untold.clear();
    },
  };
}
