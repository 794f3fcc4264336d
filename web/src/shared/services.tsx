import type { SessionUser } from '@pressel/contract/auth';
import { createContext, type ReactNode, use } from 'react';
import type { Api } from './api/api.ts';
import type { Patience } from './api/retry-after.ts';
import type { CallLink } from './call-link.ts';
import type { Installing } from './installing.ts';
import type { LinkState, Realtime, RealtimeDeps } from './realtime/realtime.ts';
import type { Renewal } from './renewal.ts';
import type { Session } from './session.ts';
import type { AppStorage } from './storage.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Dependencies of all screens, created once in main.tsx; tests pass their own. */
export interface Services {
  api: Api;
  session: Session;
  storage: AppStorage;
  renewal: Renewal;
  /** The browser's offer to install the app; tests that aren't about it leave it out. */
  installing?: Installing | undefined;
  /** Says whether calls wait because the server asked for it; tests that aren't about it leave it out. */
  patience?: Patience | undefined;
  /** The call link that opened this page, if one did. */
  callLink?: CallLink | 'broken' | undefined;
  /** The token of the guest link that opened this page, if one did; empty after a reload, which no longer has it. */
  guestLink?: string | undefined;
  /** Opens the socket; tests pass a fake. */
  openRealtime?: (deps: RealtimeDeps) => Realtime;
}

const ServicesContext = createContext<Services | null>(null);
const UserContext = createContext<SessionUser | null>(null);
const RealtimeContext = createContext<Realtime | null>(null);

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  return <ServicesContext value={services}>{children}</ServicesContext>;
}

/** Provides the signed-in user. */
export function UserProvider({ user, children }: { user: SessionUser; children: ReactNode }) {
  return <UserContext value={user}>{children}</UserContext>;
}

/** Provides the socket of the signed-in user. */
export function RealtimeProvider({ realtime, children }: { realtime: Realtime; children: ReactNode }) {
  return <RealtimeContext value={realtime}>{children}</RealtimeContext>;
}

export function useServices(): Services {
  const services = use(ServicesContext);
  if (services === null) throw new Error('No ServicesProvider above.');
  return services;
}

export const useApi = (): Api => useServices().api;
export const useStorage = (): AppStorage => useServices().storage;
export const useSession = (): Session => useServices().session;

export function useRealtime(): Realtime {
  const realtime = use(RealtimeContext);
  if (realtime === null) throw new Error('No RealtimeProvider above.');
  return realtime;
}

/** The signed-in user. For use below SessionGate only. */
export function useUser(): SessionUser {
  const user = use(UserContext);
  if (user === null) throw new Error('No UserProvider above.');
  return user;
}

/** The state of the link to the server. */
export const useLink = (): LinkState => useSnapshot(useRealtime());
