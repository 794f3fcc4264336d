import {
  deleteUserTokens,
  endSession,
  getPasswordProof,
  getServerInfo,
  getUserSessions,
  isValidToken,
  logIn,
  logOut,
  signUpUser,
  verifyPassword,
} from '@pressel/contract/auth';
import { deviceOf } from '#src/accounts/device-of.ts';
import type { Sessions } from '#src/accounts/sessions.ts';
import { isLocalRequest } from '#src/config/setup-code.ts';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import type { AuthService } from './auth.service.ts';
import type { KnownDevices } from './known-devices.ts';

export interface AuthRouteDeps {
  auth: AuthService;
  sessions: Pick<Sessions, 'authenticate'>;
  devices: Pick<KnownDevices, 'read'>;
  info: {
    version: string;
    mode: 'production' | 'development' | 'test';
    signup: 'open' | 'closed';
    isSelfSigned: boolean;
    passwordMinLength: number;
  };
  /** The address at which other devices find this server; null while it is unknown. */
  sharedAddress: () => string | null;
}

export function authRoutes(serve: ServeCall, { auth, sessions, devices, info, sharedAddress }: AuthRouteDeps): void {
  serve(logIn, async (body, { address, loggedAddress, headers, setCookie }) => {
    const { user, token, cookie } = await auth.logIn(body, {
      address,
      loggedAddress,
      shown: devices.read(headers.cookie),
      device: deviceOf(headers['user-agent']),
    });
    setCookie(cookie);
    return { success: true as const, result: 'Signed in', user: { ...user, authToken: token } };
  });

  serve(isValidToken, async ({ token }, { address }) => {
    const session = await sessions.authenticate(token, address);
    if (session === null) return { success: false as const };
    return { success: true as const, user: await auth.describe(session.userId) };
  });

  serve(signUpUser, async (body, { session, address, loggedAddress, headers }) => ({
    success: true as const,
    result: 'Register successfully',
    user: await auth.signUp(body, session, { address, loggedAddress, isLocal: isLocalRequest(headers) }),
  }));

  serve(logOut, async ({ userId }, { session }) => {
    requireSelf(session, userId);
    await auth.logOut(session);
    return { success: true };
  });

  serve(verifyPassword, async ({ id, password, keep }, { session, address }) => {
    requireSelf(session, id);
    return { success: true, result: await auth.verifyPassword(session, password, keep, address) };
  });

  serve(getPasswordProof, async (_body, { session }) => ({
    success: true as const,
    isKept: auth.isProofKept(session),
  }));

  serve(getUserSessions, async ({ userId }, { session }) => ({
    success: true as const,
    res: await auth.sessionsOf(session, userId),
  }));

  serve(endSession, async ({ sessionId }, { session }) => {
    await auth.endSession(session, sessionId);
    return { success: true };
  });

  serve(deleteUserTokens, async ({ userId }, { session }) => {
    await auth.endAllSessions(session, userId);
    return { success: true };
  });

  serve(getServerInfo, async (_body, { headers }) => ({
    ...info,
    address: sharedAddress(),
    ...(await auth.firstAccount(isLocalRequest(headers))),
  }));
}
