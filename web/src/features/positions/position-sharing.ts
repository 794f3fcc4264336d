import type { ReportedPosition } from '@pressel/contract/positions';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

type SharingFailure = 'denied' | 'unavailable' | 'unsupported' | 'refused';

export type SharingState =
  | { state: 'off' }
  | { state: 'searching' }
  /** `isPending`: the newest position has not reached the server yet. */
  | { state: 'on'; isPending: boolean }
  /** `unavailable` keeps trying; the others have ended the sharing. */
  | { state: 'failed'; reason: SharingFailure };

/** Sends this device's position, from `start` to `stop`. Off until the user starts it. */
export interface PositionSharing extends SnapshotSource<SharingState> {
  start(): void;
  stop(): void;
}

/** Minimum interval between reports, ms: a moving device reports several times a second, which nobody needs. */
const SEND_EVERY_MS = 2_000;
/**
 * A resting device reports nothing by itself. It is asked at this interval, because otherwise its position would look
 * forgotten, ms.
 */
const ASK_EVERY_MS = 120_000;
const PATIENCE_MS = 30_000;

/** The part of the browser's geolocation that is used here. */
export type Geolocation = Pick<globalThis.Geolocation, 'watchPosition' | 'clearWatch' | 'getCurrentPosition'>;

/** Returns the browser's geolocation; undefined where a page may not ask, or no device would answer. */
export const browserGeolocation = (): Geolocation | undefined =>
  window.isSecureContext && 'geolocation' in navigator ? navigator.geolocation : undefined;

export interface SharingDeps {
  geolocation: Geolocation | undefined;
  realtime: Pick<Realtime, 'send' | 'onLink'>;
  /** The clock of the device, which dates its positions. */
  now?: () => number;
}

export function createPositionSharing({ geolocation, realtime, now = Date.now }: SharingDeps): PositionSharing {
  const listeners = createListeners();
  let state: SharingState = { state: 'off' };
  let watch: number | undefined;
  let asking: ReturnType<typeof setInterval> | undefined;
  let unlink: (() => void) | undefined;
  /** The newest position that the server has not confirmed. */
  let pending: GeolocationPosition | undefined;
  let isSending = false;
  let isUp = false;
  /** True while the last attempt to send has not reached the server. */
  let hasFailed = false;
  let rest: ReturnType<typeof setTimeout> | undefined;
  /** Work begun before the last stop must have no effect any more. */
  let round = 0;

  const set = (next: SharingState): void => {
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    listeners.notify();
  };

  function end(next: SharingState): void {
    round += 1;
    if (watch !== undefined) geolocation?.clearWatch(watch);
    clearInterval(asking);
    clearTimeout(rest);
    unlink?.();
    watch = undefined;
    rest = undefined;
    pending = undefined;
    isSending = false;
    hasFailed = false;
    set(next);
  }

  const showOn = (): void => set({ state: 'on', isPending: !isUp || hasFailed });

  function found(position: GeolocationPosition): void {
    if (watch === undefined) return;
    if (pending !== undefined && pending.timestamp > position.timestamp) return;
    pending = position;
    showOn();
    if (rest === undefined) void send();
  }

  function failed({ code, PERMISSION_DENIED }: GeolocationPositionError): void {
    if (code === PERMISSION_DENIED) end({ state: 'failed', reason: 'denied' });
    else if (pending === undefined) set({ state: 'failed', reason: 'unavailable' });
  }

  async function send(): Promise<void> {
    const position = pending;
    if (position === undefined || isSending || !isUp) return;
    const mine = round;
    isSending = true;
    const ack = await realtime.send('position_update', reportOf(position, now()));
    if (mine !== round) return;
    isSending = false;
    if (!ack.ok && (ack.code === 'malformed' || ack.code === 'forbidden')) {
      end({ state: 'failed', reason: 'refused' });
      return;
    }
    if (ack.ok && pending === position) pending = undefined;
    hasFailed = !ack.ok;
    showOn();
    const waitMs = ack.ok ? SEND_EVERY_MS : Math.max(SEND_EVERY_MS, (ack.params.retryAfterSeconds ?? 0) * 1_000);
    rest = setTimeout(() => {
      rest = undefined;
      void send();
    }, waitMs);
  }

  return {
    getSnapshot: () => state,
    subscribe: (listener) => listeners.add(() => listener()),
    start() {
      if (watch !== undefined) return;
      if (geolocation === undefined) {
        set({ state: 'failed', reason: 'unsupported' });
        return;
      }
      set({ state: 'searching' });
      const mine = round;
      const options = { enableHighAccuracy: true, timeout: PATIENCE_MS, maximumAge: 0 };
      const ifStill =
        <T>(act: (value: T) => void) =>
        (value: T): void => {
          if (mine === round) act(value);
        };
      watch = geolocation.watchPosition(ifStill(found), ifStill(failed), options);
      asking = setInterval(
        () => geolocation.getCurrentPosition(ifStill(found), ifStill(failed), options),
        ASK_EVERY_MS,
      );
      unlink = realtime.onLink((link) => {
        isUp = link === 'up';
        if (state.state === 'on') showOn();
        if (isUp && rest === undefined) void send();
      });
    },
    stop: () => end({ state: 'off' }),
  };
}

/** Sends the age instead of the time, so that a device with a wrong clock does no harm. */
const reportOf = ({ coords, timestamp }: GeolocationPosition, now: number): ReportedPosition => ({
  lat: coords.latitude,
  lng: coords.longitude,
  accuracy: coords.accuracy,
  ageMs: Math.max(0, Math.round(now - timestamp)),
});
