import type { Clock, Stop } from './platform.ts';

/** Delay of stopping packets after the microphone closed: a shorter one cuts the last syllable (measured). */
const PACKETS_STOP_AFTER_MS = 200;
/** Delay before retrying a refused setParameters. */
const RETRY_MS = 250;

/** Starts and stops the packets of one sender. Opening and closing the microphone is done by `track.enabled`. */
export interface SendingGate {
  set(sending: boolean): void;
  /** Call when the negotiation of the sender is done; before, parameters are lost. `active`: its current value. */
  attach(sender: Pick<RTCRtpSender, 'getParameters' | 'setParameters'>, active: boolean): void;
  close(): void;
}

/**
 * Sets `encodings[0].active` to the latest requested value: one setParameters at a time, intermediate requests are
 * skipped, a request to stop is never dropped. Starts at once, stops after PACKETS_STOP_AFTER_MS.
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
    // InvalidStateError when a negotiation ran meanwhile: the parameters must be read again (WebRTC §5.2.1).
    return false;
  }
};
