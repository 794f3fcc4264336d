import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import type { I18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { type Services, ServicesProvider } from '#src/shared/services.tsx';
import { createColorSchemeManager } from '#src/shared/ui/color-scheme.ts';
import { cssVariables, theme } from '#src/shared/ui/theme.ts';
import type { AppRouter } from './router.tsx';

export interface AppProps {
  services: Services;
  queries: QueryClient;
  i18n: I18n;
  router: AppRouter;
  /** 'test' turns off transitions, so that tests need not wait for them. */
  env?: 'default' | 'test';
}

/** Providers and router. */
export function App({ services, queries, i18n, router, env = 'default' }: AppProps) {
  const [colorScheme] = useState(() => createColorSchemeManager(services.storage));
  const { session } = services;

  // Clears the cache when the user changes, so that no data of one user is shown to another.
  useEffect(
    () =>
      session.subscribe(() => {
        if (session.getSnapshot().state === 'signedOut') queries.clear();
      }),
    [session, queries],
  );

  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      env={env}
    >
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queries}>
          <ServicesProvider services={services}>
            <Suspense fallback={null}>
              <RouterProvider router={router} />
            </Suspense>
          </ServicesProvider>
        </QueryClientProvider>
      </I18nProvider>
    </MantineProvider>
  );
}
