import type { IceConfig } from '@pressel/contract/presence';
import type { Clock, Stop } from './platform.ts';
import type { Signalling } from './types.ts';

const NO_SERVERS: IceConfig = { iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 0 };

/** The servers that each link to the server named last, and until when credentials of them are young enough for a new connection. */
const remembered = new WeakMap<object, { ice: IceConfig; until: number }>();

/** Keeps the servers that a join named, for the next connection that is opened before its join is answered. */
export const rememberIce = (signalling: object, ice: IceConfig, now: number): void => {
  remembered.set(signalling, { ice, until: now + ice.ttlSeconds * 250 });
};

/** The configuration to open a connection with before a join is answered: most servers name the same ones again, or none. */
export const guessIce = (signalling: object, now: number): RTCConfiguration => {
  const known = remembered.get(signalling);
  return toConfiguration(known !== undefined && now < known.until ? known.ice : NO_SERVERS);
};

/** Whether both have the same servers, whatever the credentials: candidates gathered by one are good for the other. */
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
 * credentials whenever an allocation is refreshed. Half, because the answerer uses its new ones only at the offerer's
 * next restart: by then at most half of their lifetime has passed, and the restart after it comes before they expire.
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
