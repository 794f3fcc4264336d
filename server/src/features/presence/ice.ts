import { createHmac } from 'node:crypto';
import type { IceConfig } from '@pressel/contract/presence';

export interface IceSettings {
  stunUrls: readonly string[];
  turnUrls: readonly string[];
  turnSecret: string | null;
  policy: 'all' | 'relay';
}

/** How long minted credentials are good for. The relay checks them at each refresh, so clients renew before. */
const TTL_SECONDS = 3_600;

/**
 * ICE servers for one session. The relay's credentials are time-limited in the way that coturn's `use-auth-secret`
 * checks: user name `expiry:user`, password the base64 HMAC-SHA1 of it (draft-uberti-behave-turn-rest-00 §2.2).
 */
export function mintIceConfig(settings: IceSettings, userId: string, now: Date): IceConfig {
  const iceServers: IceConfig['iceServers'] = [];
  if (settings.stunUrls.length > 0) iceServers.push({ urls: [...settings.stunUrls] });
  if (settings.turnUrls.length > 0 && settings.turnSecret !== null) {
    const username = `${Math.floor(now.getTime() / 1000) + TTL_SECONDS}:${userId}`;
    const credential = createHmac('sha1', settings.turnSecret).update(username).digest('base64');
    iceServers.push({ urls: [...settings.turnUrls], username, credential });
  }
  return { iceServers, iceTransportPolicy: settings.policy, ttlSeconds: TTL_SECONDS };
}
