import type { FastifyBaseLogger } from 'fastify';
import type { Relay } from '#src/shared/relay.ts';
import type { Quiet } from './quiet.ts';
import { relayedEvent, SOCKETS_TOPIC, type Sockets } from './sockets.ts';

export interface OthersDeps {
  relay: Relay;
  sockets: Pick<Sockets, 'sendBack'>;
  quiet: Quiet;
  log: FastifyBaseLogger;
}

/** What this process hears of lists, and what it missed, of all that the others tell. */
export interface Others {
  /**
   * Something that the others told never came here: whatever the sockets of this process show may be wrong. They are sent back, a few at a
   * time: their clients connect again, resume their participants and read all anew.
   */
  missed(what: 'facts' | 'news'): void;
}

export function followOthers({ relay, sockets, quiet, log }: OthersDeps): Others {
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
    if (data[0] === 'changed') quiet.told(null);
  });
  return {
    missed(what) {
      log.warn(`${what}_missed`);
      quiet.told(null);
      isWanted = true;
      sendBack().catch((error: unknown) => log.error({ err: error }, 'sending_back_failed'));
    },
  };
}
