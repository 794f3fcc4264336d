import type { Clock, Stop } from './platform.ts';

/** Packets of a closed microphone are stopped this long after release: sooner cuts the last syllable (measured). */
export const PACKETS_STOP_AFTER_MS = 200;
/** A refused setParameters is tried again after this. */
const RETRY_MS = 250;

/** Starts and stops the packets of one sender. What opens and closes the microphone is `track.enabled`, not this. */
export interface SendingGate {
  set(sending: boolean): void;
  /** The sender exists and its negotiation is done, so that parameters last. `active` is how it stands now. */
  attach(sender: Pick<RTCRtpSender, 'getParameters' | 'setParameters'>, active: boolean): void;
  close(): void;
}

/**
 * Brings `encodings[0].active` to the newest wish: one setParameters at a time, wishes in between are skipped,
 * a wish to stop is never dropped. Starting is at once, stopping waits PACKETS_STOP_AFTER_MS.
 */
export const createSendingGate = (clock: Clock, sendingAtFirst: boolean): SendingGate => {
  let wanted = sendingAtFirst;
  let actual = sendingAtFirst;
  let sender: Pick<RTCRtpSender, 'getParameters' | 'setParameters'> | null = null;
  let isBusy = false;
  let isClosed = false;
  let cancelStop: Stop | null = null;
  let cancelRetry: Stop = () => undefined;

  const apply = async () => {
    if (isBusy || isClosed || sender === null || actual === wanted) return;
    isBusy = true;
    const target = wanted;
    const isDone = await setActive(sender, target);
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
    set(sending) {
      if (sending) {
        cancelStop?.();
        cancelStop = null;
        wanted = true;
        void apply();
        return;
      }
      cancelStop ??= clock.after(PACKETS_STOP_AFTER_MS, () => {
        cancelStop = null;
        wanted = false;
        void apply();
      });
    },
    attach(attached, active) {
      sender = attached;
      actual = active;
      void apply();
    },
    close() {
      isClosed = true;
      cancelStop?.();
      cancelRetry();
    },
  };
};

const setActive = async (
  sender: Pick<RTCRtpSender, 'getParameters' | 'setParameters'>,
  active: boolean,
): Promise<boolean> => {
  const parameters = sender.getParameters();
  const encoding = parameters.encodings[0];
  if (encoding === undefined) return false;
  encoding.active = active;
  try {
    await sender.setParameters(parameters);
    return true;
  } catch {
    // InvalidStateError when a negotiation came in between: the parameters must be read anew (WebRTC §5.2.1).
    return false;
  }
};
