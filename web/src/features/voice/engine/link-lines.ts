import type { Clock, Stop } from './platform.ts';
import type { Picture } from './video.ts';

/** Delay before repeating a step that the browser refused; doubled each time, because some browsers refuse for ever. */
const RETRY_FIRST_MS = 250;
export const RETRY_MAX_MS = 8_000;

/** Brings a state to the latest wish, one step at a time. Skips wishes in between, and never drops the last one. */
export interface Reconciler<T> {
  want(wish: T): void;
  /**
   * Call when steps can be taken. `fact`: the current state. `step` resolves with whether the wish holds, and never
   * rejects.
   */
  begin(fact: T, step: (wish: T) => Promise<boolean>): void;
  close(): void;
}

export const createReconciler = <T>(clock: Clock, first: T): Reconciler<T> => {
  let wanted = first;
  let actual = first;
  let step: ((wish: T) => Promise<boolean>) | null = null;
  let isBusy = false;
  let isClosed = false;
  let retryMs = RETRY_FIRST_MS;
  let cancelRetry: Stop = () => undefined;

  const apply = async () => {
    if (isBusy || isClosed || step === null || actual === wanted) return;
    isBusy = true;
    const target = wanted;
    const isDone = await step(target);
    isBusy = false;
    if (isClosed) return;
    if (isDone) {
      actual = target;
      retryMs = RETRY_FIRST_MS;
      void apply();
    } else {
      cancelRetry();
      cancelRetry = clock.after(retryMs, () => void apply());
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    }
  };

  return {
    want(wish) {
      wanted = wish;
      retryMs = RETRY_FIRST_MS;
      void apply();
    },
    begin(fact, take) {
      actual = fact;
      step = take;
      void apply();
    },
    close() {
      isClosed = true;
      cancelRetry();
    },
  };
};

/** Delay of stopping packets after the microphone closed: a shorter one cuts the last syllable (measured). */
const PACKETS_STOP_AFTER_MS = 200;

type PacketSender = Pick<RTCRtpSender, 'getParameters' | 'setParameters'>;

/** Starts and stops the packets of one sender. `track.enabled` opens and closes the microphone. */
export interface SendingGate {
  set(sending: boolean): void;
  /** Stops now, even packets that `set(false)` lets go on for a moment: the microphone opens for others. */
  cut(): void;
  /** Call when the sender's negotiation is done; parameters set before that are lost. `active`: its current value. */
  attach(sender: PacketSender, active: boolean): void;
  close(): void;
}

/** Sets `encodings[0].active` to the latest requested value. Starts at once, stops after PACKETS_STOP_AFTER_MS. */
export const createSendingGate = (clock: Clock, sendingAtFirst: boolean): SendingGate => {
  const wish = createReconciler(clock, sendingAtFirst);
  let cancelStop: Stop | null = null;

  return {
    set(sending) {
      if (sending) {
        cancelStop?.();
        cancelStop = null;
        wish.want(true);
        return;
      }
      cancelStop ??= clock.after(PACKETS_STOP_AFTER_MS, () => {
        cancelStop = null;
        wish.want(false);
      });
    },
    cut() {
      cancelStop?.();
      cancelStop = null;
      wish.want(false);
    },
    attach: (sender, active) => wish.begin(active, (isActive) => setActive(sender, isActive)),
    close() {
      wish.close();
      cancelStop?.();
    },
  };
};

const setActive = async (sender: PacketSender, active: boolean): Promise<boolean> => {
  const parameters = sender.getParameters();
  const encoding = parameters.encodings[0];
  if (encoding === undefined) return false;
  encoding.active = active;
  try {
    await sender.setParameters(parameters);
    return true;
  } catch {
    // InvalidStateError when a negotiation ran meanwhile: the parameters must be read again (WebRTC §5.2.1).
    return false;
  }
};

/** Maximum bitrates of one link's pictures, bits per second: they must always leave room for a talker's voice. */
const MAX_BITRATE = { camera: 200_000, screen: 1_500_000 };

type PictureSender = Pick<RTCRtpSender, 'replaceTrack' | 'getParameters' | 'setParameters'>;

/** Sends pictures over one transceiver, which needs no negotiation to change or remove the picture [VID3]. */
export interface VideoLine {
  set(picture: Picture | null): void;
  /** Call when the sender's negotiation is done. */
  attach(sender: PictureSender): void;
  close(): void;
}

/** A failing picture never harms the link, which carries the voice. */
export const createVideoLine = (clock: Clock, first: Picture | null): VideoLine => {
  const wish = createReconciler(clock, first);
  return {
    set: wish.want,
    attach: (sender) => wish.begin(null, (picture) => send(sender, picture)),
    close: wish.close,
  };
};

const send = async (sender: PictureSender, picture: Picture | null): Promise<boolean> => {
  try {
    if (picture !== null) {
      const parameters = sender.getParameters();
      for (const encoding of parameters.encodings) encoding.maxBitrate = MAX_BITRATE[picture.shows];
      await sender.setParameters(parameters);
    }
    await sender.replaceTrack(picture?.track ?? null);
    return true;
  } catch {
    // InvalidStateError when a negotiation ran meanwhile: the parameters must be read again (WebRTC §5.2.1).
    return false;
  }
};

/**
 * Both sides know the channel, so opening it needs no further round trip. Lost texts are sent again, but hold up
 * nothing.
 */
const CHANNEL: RTCDataChannelInit = { negotiated: true, id: 0, ordered: false };
/** Longer texts than this are not news of a floor. */
export const NEWS_MAX_LENGTH = 16_384;
/** Number of texts that one side may send at once: an honest one sends three per press. */
export const NEWS_AT_ONCE = 40;
/** Interval after which one more text is allowed. */
export const NEWS_EVERY_MS = 100;

/** The texts that links carry beside the voices. */
export interface LinkNews {
  /** The first texts for a link that opens. */
  first(): readonly string[];
  /** Handles a text. @returns whether the other side is worth listening to any further */
  hear(text: string): Promise<boolean>;
}

/** The data channel of one link. It never opens if the other side has none. */
export interface NewsLine {
  tell(text: string): void;
}

/** Stops listening on this link to a side that sends too much, too often, or nothing worth hearing [TALK117]. */
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
