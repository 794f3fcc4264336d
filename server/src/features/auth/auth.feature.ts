import type { LoggedAct } from '#src/history/change.ts';
import { isWithin } from '#src/limits/rate-limit.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { type AuthRouteDeps, authRoutes } from './auth.routes.ts';
import { type AuthDeps, createAuthService } from './auth.service.ts';
import { createFailedAttempts } from './failed-attempts.ts';
import { createKnownDevices } from './known-devices.ts';

/** How often gathered failures are looked at. */
const FLUSH_MS = 60_000;

export interface AuthNeeds
  extends Pick<AuthDeps, 'users' | 'memberships' | 'signup' | 'passwordMinLength' | 'setupCode'> {
  /** Stores an entry of the activity log, as soon as the database is there. */
  storeEntry(act: LoggedAct): Promise<void>;
  version: string;
  mode: AuthRouteDeps['info']['mode'];
  /** Whether people reach the server by https. */
  isSecure: boolean;
  sharedAddress: AuthRouteDeps['sharedAddress'];
  /** Whether browsers warn of the server's certificate. */
  isSelfSigned: boolean;
}

export function authFeature(platform: Platform, needs: AuthNeeds): Feature {
  const { version, mode, signup, passwordMinLength, isSecure, isSelfSigned } = needs;
  const devices = createKnownDevices({ key: platform.secrets.devices, now: platform.now, isSecure });
  const noted = platform.shared === null ? null : platform.limit('auth.notedFailures');
  const failures = createFailedAttempts({
    isFirst: async (kind) => noted === null || (await isWithin(noted, kind)),
    record: needs.storeEntry,
    now: platform.now,
    log: platform.log,
  });
  authRoutes(platform.serve, {
    auth: createAuthService({ ...platform, ...needs, devices, failures }),
    sessions: platform.sessions,
    devices,
    info: { version, mode, signup: signup === 'closed' ? 'closed' : 'open', passwordMinLength, isSelfSigned },
    sharedAddress: needs.sharedAddress,
  });
  return {
    api: undefined,
    async start() {
      platform.schedule.every(FLUSH_MS, 'sign_in_failures', () => failures.flush(), { by: 'each' });
    },
    close: () => failures.flush(true),
  };
}
