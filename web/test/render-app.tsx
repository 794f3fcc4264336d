import type { SessionUser } from '@pressel/contract/auth';
import { createMemoryHistory } from '@tanstack/react-router';
import { type RenderResult, render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { onTestFinished } from 'vitest';
import { App } from '#src/app/app.tsx';
import { createEntrance, type RouterContext } from '#src/app/guards.ts';
import { type AppRouter, createAppRouter } from '#src/app/router.tsx';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import type { Language } from '#src/shared/languages.ts';
import type { Services } from '#src/shared/services.tsx';
import { createSession, type Session } from '#src/shared/session.ts';
import { type AppStorage, createStorage } from '#src/shared/storage.ts';
import { type ApiDouble, createApiDouble } from './api-double.ts';
import { NO_RENEWAL } from './no-renewal.ts';
import { createRealtimeDouble, type RealtimeDouble } from './realtime-double.ts';
import { sessionUserOf } from './samples.ts';

export interface AppUnderTest extends RenderResult {
  api: ApiDouble;
  router: AppRouter;
  session: Session;
  storage: AppStorage;
  realtime: RealtimeDouble;
  user: UserEvent;
}

export interface RenderAppOptions {
  at: string;
  /** The signed-in user; undefined: no session. */
  signedIn?: Partial<SessionUser> | undefined;
  language?: Language;
  /** The token of a guest link that opened the page; empty after a reload. */
  guestLink?: string;
  /** Replaces the default services that do nothing. */
  services?: Partial<Pick<Services, 'renewal' | 'installing' | 'openRealtime' | 'patience'>>;
  /** Replaces the real loader. */
  loadWords?: RouterContext['loadWords'];
  /** Mounts everything twice, as main.tsx does. */
  isStrict?: boolean;
  /** Sets further answers before the app starts. */
  prepare?: (api: ApiDouble) => void;
}

/** Renders the whole app at a URL, with a fake API. */
export async function renderApp(options: RenderAppOptions): Promise<AppUnderTest> {
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const api = createApiDouble();
  const { signedIn } = options;
  if (signedIn !== undefined) api.signIn(storage, sessionUserOf(signedIn));
  if (options.language !== undefined) storage.writePreference('language', options.language);
  options.prepare?.(api);
  const session = createSession({ api, storage });
  const realtime = createRealtimeDouble();
  const i18n = await createI18n(storage);
  const services: Services = {
    ...{ api, session, storage, renewal: NO_RENEWAL, openRealtime: () => realtime, guestLink: options.guestLink },
    ...options.services,
  };
  const router = createAppRouter(
    {
      session,
      loadWords: options.loadWords ?? (async (namespaces) => i18n.loadNamespaces([...namespaces])),
      entrance: createEntrance(() => import('#src/app/room-routes.tsx'), services),
    },
    createMemoryHistory({ initialEntries: [options.at] }),
  );
  // A link outlives its pages, and its keys would meet the next test.
  onTestFinished(() => session.end('chosen'));
  const rendered = render(<App services={services} i18n={i18n} router={router} env="test" />, {
    reactStrictMode: options.isStrict === true,
  });
  return { ...rendered, api, router, session, storage, realtime, user: userEvent.setup() };
}
