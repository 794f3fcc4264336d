import type { FastifyBaseLogger } from 'fastify';
import type { Relay } from '#src/processes/relay.ts';
import type { NewsClock } from '#src/sockets/news-clock.ts';
import { relayedEvent, SOCKETS_TOPIC, type Sockets } from '#src/sockets/sockets.ts';

export interface OtherProcessesDeps {
  relay: Relay;
  sockets: Pick<Sockets, 'sendBack'>;
  newsClock: NewsClock;
  log: FastifyBaseLogger;
}

/** Handles what the other processes announce about lists, and what this process missed. */
export interface OtherProcesses {
  /**
   * Called when this process missed something that others announced: its sockets may show wrong data. They are sent back, a few at a
   * time: their clients connect again, resume their participants and read everything anew.
   */
  missed(what: 'facts' | 'news'): void;
}

export function followOtherProcesses({ relay, sockets, newsClock, log }: OtherProcessesDeps): OtherProcesses {
  let isUnderWay = false;
  let isWanted = false;
  const sendBack = async (): Promise<void> => {
    if (isUnderWay) return;
    isUnderWay = true;
    while (isWanted) {
      isWanted = false;
      await sockets.sendBack();
    }
    isUnderWay = false;
  };

  relay.on(SOCKETS_TOPIC, relayedEvent, ({ packet: { data } }) => {
    if (data[0] === 'changed') newsClock.noteNews(null);
  });
  return {
    missed(what) {
      log.warn(`${what}_missed`);
      newsClock.noteNews(null);
      isWanted = true;
      sendBack().catch((error: unknown) => log.error({ err: error }, 'sending_back_failed'));
    },
  };
}
