import type { IceConfig } from '@pressel/contract/presence';
import type { Clock, Stop } from './platform.ts';
import type { Signalling } from './types.ts';

const NO_SERVERS: IceConfig = { iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 0 };

/**
 * The last ICE servers by link to the server, and until when their credentials are fresh enough for a new connection.
 */
const remembered = new WeakMap<object, { ice: IceConfig; until: number }>();

/** Keeps a join's ICE servers for the next connection that is opened before its join is answered. */
export const rememberIce = (signalling: object, ice: IceConfig, now: number): void => {
  remembered.set(signalling, { ice, until: now + ice.ttlSeconds * 250 });
};

/**
 * The configuration for a connection that is opened before the join's answer: most servers name the same ICE servers
 * again, or none.
 */
export const guessIce = (signalling: object, now: number): RTCConfiguration => {
  const known = remembered.get(signalling);
  return toConfiguration(known !== undefined && now < known.until ? known.ice : NO_SERVERS);
};

/**
 * Whether both name the same servers, whatever their credentials: then candidates gathered with one are good for the
 * other.
 */
export const areSameServers = (one: RTCConfiguration, other: RTCConfiguration): boolean => {
  const servers = ({ iceServers = [], iceTransportPolicy = 'all' }: RTCConfiguration) =>
    JSON.stringify([iceTransportPolicy, iceServers.map(({ urls }) => urls)]);
  return servers(one) === servers(other);
};

/** Delay after a failed request for new servers. */
const RETRY_MS = 15_000;
/** Minimum interval between requests, however short the credentials' lifetime. */
const REFRESH_MIN_MS = 15_000;
/** Maximum interval: timers are limited to 2^31 ms. */
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
 * Requests new ICE servers at half of their credentials' lifetime and passes them on [LINK7]. A relay checks the
 * credentials whenever an allocation is refreshed. It is half because the answerer uses new servers only at the
 * offerer's next restart. By then at most half of the lifetime has passed, and the following restart comes before they
 * expire.
 */
export const keepIceFresh = (
  { clock, signalling }: { clock: Clock; signalling: Signalling },
  first: IceConfig,
  onFresh: (configuration: RTCConfiguration) => void,
): Stop => {
  let isStopped = false;
  let cancel: Stop = () => undefined;

  const plan = (config: IceConfig) => {
    // Servers without credentials do not expire.
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
