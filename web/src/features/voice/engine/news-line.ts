import type { Clock } from './platform.ts';

/** Both sides know the channel, so that opening it needs no further round trip. What is lost is sent again, but holds up nothing. */
const CHANNEL: RTCDataChannelInit = { negotiated: true, id: 0, ordered: false };
/** Longer texts than this are not news of a floor. */
export const NEWS_MAX_LENGTH = 16_384;
/** Texts that one side may send at once: an honest one sends three a press. */
export const NEWS_AT_ONCE = 40;
/** One more text after each of these. */
export const NEWS_EVERY_MS = 100;

/** What is said over the links beside the voices. */
export interface LinkNews {
  /** What a link is told when it opens. */
  first(): readonly string[];
  /** A text came. @returns whether the other side is worth listening to any further */
  hear(text: string): Promise<boolean>;
}

/** The data channel of one link. Where the other side has none it never opens. */
export interface NewsLine {
  tell(text: string): void;
}

/** Who sends too much, too often, or what isn't worth hearing isn't heard any more on this link [TALK117]. */
export const createNewsLine = (
  pc: Pick<RTCPeerConnection, 'createDataChannel'>,
  clock: Pick<Clock, 'now'>,
  news: LinkNews,
): NewsLine => {
  const channel = pc.createDataChannel('floor', CHANNEL);
  let usedUntil = 0;

  const isTooMuch = () => {
    const now = clock.now();
    usedUntil = Math.max(usedUntil, now) + NEWS_EVERY_MS;
    return usedUntil - now > NEWS_AT_ONCE * NEWS_EVERY_MS;
  };
  const tell = (text: string) => {
    if (channel.readyState !== 'open' || text.length > NEWS_MAX_LENGTH) return;
    try {
      channel.send(text);
    } catch {
      // Its buffer is full: the server's own news have to do.
    }
  };
  const stop = () => {
    channel.onmessage = null;
    channel.close();
  };

  channel.onopen = () => {
    for (const text of news.first()) tell(text);
  };
  channel.onmessage = async ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'string' || data.length > NEWS_MAX_LENGTH || isTooMuch()) stop();
    else if (!(await news.hear(data))) stop();
  };
  return { tell };
};
