import type { IceConfig } from '@pressel/contract/presence';
import type { Clock, Stop } from './platform.ts';
import type { Signalling } from './types.ts';

/** After a refused or lost request for fresh servers. */
const RETRY_MS = 15_000;
/** However short-lived credentials claim to be, they are not asked for more often than this. */
const REFRESH_MIN_MS = 15_000;
/** Timers hold no longer span (2^31 ms); a day is often enough. */
const REFRESH_MAX_MS = 86_400_000;

export const toConfiguration = ({ iceServers, iceTransportPolicy }: IceConfig): RTCConfiguration => ({
  iceServers: iceServers.map(({ urls, username, credential }) => ({
    urls,
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { credential }),
  })),
  iceTransportPolicy,
});

/**
 * Asks for fresh ICE servers at half of their life and hands them over [LINK7]. A relay checks credentials whenever
 * an allocation is refreshed. Half, because the answering side uses its new ones only at the offerer's next restart:
 * at that time they are at most half spent, and the next restart comes before the other half is.
 */
export const keepIceFresh = (
  { clock, signalling }: { clock: Clock; signalling: Signalling },
  first: IceConfig,
  onFresh: (configuration: RTCConfiguration) => void,
): Stop => {
  let isStopped = false;
  let cancel: Stop = () => undefined;

  const plan = (config: IceConfig) => {
    // Servers without credentials (or none) do not age.
    if (!config.iceServers.some((server) => server.credential !== undefined)) return;
    const halfLife = config.ttlSeconds * 500;
    cancel = clock.after(Math.min(Math.max(halfLife, REFRESH_MIN_MS), REFRESH_MAX_MS), () => void refresh());
  };
  const refresh = async () => {
    const answer = await signalling.send('ice_config', {});
    if (isStopped) return;
    if (!answer.ok) {
      cancel = clock.after(RETRY_MS, () => void refresh());
      return;
    }
    onFresh(toConfiguration(answer.data));
    plan(answer.data);
  };

  plan(first);
  return () => {
    isStopped = true;
    cancel();
  };
};
