import { createLatestWish } from './latest-wish.ts';
import type { Clock, Stop } from './platform.ts';

/** Delay of stopping packets after the microphone closed: a shorter one cuts the last syllable (measured). */
const PACKETS_STOP_AFTER_MS = 200;

type PacketSender = Pick<RTCRtpSender, 'getParameters' | 'setParameters'>;

/** Starts and stops the packets of one sender. Opening and closing the microphone is done by `track.enabled`. */
export interface SendingGate {
  set(sending: boolean): void;
  /** Stops now, also what `set(false)` let go on for a moment: the microphone opens for others. */
  cut(): void;
  /** Call when the negotiation of the sender is done; before, parameters are lost. `active`: its current value. */
  attach(sender: PacketSender, active: boolean): void;
  close(): void;
}

/** Sets `encodings[0].active` to the latest requested value. Starts at once, stops after PACKETS_STOP_AFTER_MS. */
export const createSendingGate = (clock: Clock, sendingAtFirst: boolean): SendingGate => {
  const wish = createLatestWish(clock, sendingAtFirst);
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
