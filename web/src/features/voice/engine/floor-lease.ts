import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import { type Clock, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { Signalling } from './types.ts';

/** A longer time between two renewals is one in which the page stood still: it counts as this much. */
const AWAKE_STEP_MAX_MS = 2 * FLOOR_RENEW_MS;

/** Renews the claim of a press, and notices when the server has answered nothing for a whole lease [TALK46]. */
export interface FloorLease {
  /** A press asks for the floor under this number. */
  begin(seq: number): void;
  granted(leaseMs: number): void;
  /** The server is back after a lost link: the lease counts from now. */
  resume(seq: number): void;
  stop(): void;
}

export interface FloorLeaseDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  /** A renewal was acknowledged. */
  onRenewed(): void;
  /** The server has revoked the floor by now, and listeners mute us. */
  onOver(): void;
}

export const createFloorLease = ({ clock, signalling, onRenewed, onOver }: FloorLeaseDeps): FloorLease => {
  let current = 0;
  let leaseMs = Number.POSITIVE_INFINITY;
  /** Time that the page was awake for, ms, by which leases are counted, and when that was last added up. */
  let awake = 0;
  let awakeAt = 0;
  /** When the newest renewal that was acknowledged was sent, in awake time. */
  let lastRenewal = 0;
  /** When the floor was asked for: renewals keep step with it. */
  let requestedAt = 0;
  let cancelRenew: Stop = () => undefined;

  /** The server knows a busy page from a lost link, and keeps its floor for longer [TALK33]: a pause of the page is no lease. */
  const wake = () => {
    const now = clock.now();
    awake += Math.min(now - awakeAt, AWAKE_STEP_MAX_MS);
    awakeAt = now;
    return awake;
  };

  const renew = () => {
    cancelRenew();
    // One that a busy page sent late doesn't put off those after it.
    const since = clock.now() - requestedAt;
    const next = (Math.floor((since + TIMER_EARLY_MS) / FLOOR_RENEW_MS) + 1) * FLOOR_RENEW_MS;
    cancelRenew = clock.after(Math.max(next - since, FLOOR_RENEW_MS / 2), () => {
      if (wake() - lastRenewal > leaseMs) {
        onOver();
        return;
      }
      void send();
      renew();
    });
  };
  const send = async () => {
    const mine = current;
    const sentAt = wake();
    const answer = await signalling.send('floor_renew', { seq: mine });
    if (!answer.ok) return;
    onRenewed();
    if (mine === current) lastRenewal = Math.max(lastRenewal, sentAt);
  };

  return {
    begin(seq) {
      current = seq;
      leaseMs = Number.POSITIVE_INFINITY;
      requestedAt = clock.now();
      renew();
    },
    granted(ms) {
      leaseMs = ms;
      lastRenewal = wake();
    },
    resume(seq) {
      current = seq;
      lastRenewal = wake();
      void send();
      renew();
    },
    stop: () => cancelRenew(),
  };
};
