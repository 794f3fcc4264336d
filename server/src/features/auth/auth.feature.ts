import type { Feature, Platform } from '#src/platform/platform.ts';
import { type AuthRouteDeps, authRoutes } from './auth.routes.ts';
import { type AuthDeps, createAuthService } from './auth.service.ts';
import { createKnownDevices } from './known-devices.ts';

export interface AuthNeeds
  extends Pick<AuthDeps, 'users' | 'memberships' | 'signup' | 'passwordMinLength' | 'setupCode'> {
  version: string;
  mode: AuthRouteDeps['info']['mode'];
  /** Whether people come by https. */
  isSecure: boolean;
}

export function authFeature(platform: Platform, needs: AuthNeeds): Feature {
  const { version, mode, signup, passwordMinLength, isSecure } = needs;
  const devices = createKnownDevices({ key: platform.secrets.devices, now: platform.now, isSecure });
  authRoutes(platform.serve, {
    auth: createAuthService({ ...platform, ...needs, devices }),
    sessions: platform.sessions,
    devices,
    info: { version, mode, signup: signup === 'closed' ? 'closed' : 'open', passwordMinLength },
  });
  return { api: undefined };
}
