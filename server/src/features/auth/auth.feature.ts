import type { Feature, Platform } from '#src/platform/platform.ts';
import { type AuthRouteDeps, authRoutes } from './auth.routes.ts';
import { type AuthDeps, createAuthService } from './auth.service.ts';

export interface AuthNeeds extends Pick<AuthDeps, 'users' | 'memberships' | 'signup' | 'passwordMinLength'> {
  version: string;
  mode: AuthRouteDeps['info']['mode'];
}

export function authFeature(platform: Platform, needs: AuthNeeds): Feature {
  const { version, mode, signup, passwordMinLength } = needs;
  authRoutes(platform.serve, {
    auth: createAuthService({ ...platform, ...needs }),
    sessions: platform.sessions,
    info: { version, mode, signup: signup === 'closed' ? 'closed' : 'open', passwordMinLength },
  });
  return { api: undefined };
}
