import type { Clock, Stop } from './platform.ts';
import type { Picture } from './video-types.ts';

/** Upper limits of what one link carries, bits per second: a talker's voice must always have its place beside it. */
const MAX_BITRATE = { camera: 200_000, screen: 1_500_000 };
/** Delay before retrying what the browser refused. */
const RETRY_MS = 250;

/** Sends pictures by one transceiver, which needs no negotiation for another picture or for none [VID3]. */
export interface VideoLine {
  set(picture: Picture | null): void;
  /** Call when the negotiation of the sender is done. */
  attach(sender: Pick<RTCRtpSender, 'replaceTrack' | 'getParameters' | 'setParameters'>): void;
  close(): void;
}

/** One step at a time; the latest wish wins. A picture that fails never harms the link, which carries the voice. */
export const createVideoLine = (clock: Clock, first: Picture | null): VideoLine => {
  let wanted = first;
  let actual: Picture | null = null;
  let sender: Parameters<VideoLine['attach']>[0] | null = null;
  let isBusy = false;
  let isClosed = false;
  let cancelRetry: Stop = () => undefined;

  const apply = async () => {
    if (isBusy || isClosed || sender === null || actual === wanted) return;
    isBusy = true;
    const target = wanted;
    const isDone = await send(sender, target);
    isBusy = false;
    if (isClosed) return;
    if (isDone) {
      actual = target;
      void apply();
    } else {
      cancelRetry();
      cancelRetry = clock.after(RETRY_MS, () => void apply());
    }
  };

  return {
    set(picture) {
      wanted = picture;
      void apply();
    },
    attach(attached) {
      sender = attached;
      void apply();
    },
    close() {
      isClosed = true;
      cancelRetry();
    },
  };
};

const send = async (
  sender: Pick<RTCRtpSender, 'replaceTrack' | 'getParameters' | 'setParameters'>,
  picture: Picture | null,
): Promise<boolean> => {
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
