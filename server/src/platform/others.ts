import type { StatusNews } from '@pressel/contract/presence';
import { serverEvents } from '@pressel/contract/realtime';
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
    const [event, news] = data;
    if (event === 'changed') quiet.told(null);
    else if (event === 'onUserStatusChanged')
      quiet.told(aboutOf(serverEvents.onUserStatusChanged.payload.safeParse(news).data));
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

/** Who alone the news is about; null if it says more, or nobody here can read it. */
function aboutOf(news: StatusNews | undefined) {
  const [first, ...others] = news?.users ?? [];
  return news?.rooms.length === 0 && others.length === 0 && first !== undefined ? first.userId : null;
}
