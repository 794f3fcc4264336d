import { createLatestWish } from './latest-wish.ts';
import type { Clock } from './platform.ts';
import type { Picture } from './video-types.ts';

/** Upper limits of what one link carries, bits per second: a talker's voice must always have its place beside it. */
const MAX_BITRATE = { camera: 200_000, screen: 1_500_000 };

type PictureSender = Pick<RTCRtpSender, 'replaceTrack' | 'getParameters' | 'setParameters'>;

/** Sends pictures by one transceiver, which needs no negotiation for another picture or for none [VID3]. */
export interface VideoLine {
  set(picture: Picture | null): void;
  /** Call when the negotiation of the sender is done. */
  attach(sender: PictureSender): void;
  close(): void;
}

/** A picture that fails never harms the link, which carries the voice. */
export const createVideoLine = (clock: Clock, first: Picture | null): VideoLine => {
  const wish = createLatestWish(clock, first);
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
