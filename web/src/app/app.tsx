import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { I18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { type Services, ServicesProvider } from '#src/shared/services.tsx';
import { AnnouncerProvider } from '#src/shared/ui/announcer.tsx';
import { createColorSchemeManager, theme } from '#src/shared/ui/theme.ts';
import type { AppRouter } from './router.tsx';

export interface AppProps {
  services: Services;
  i18n: I18n;
  router: AppRouter;
  /** 'test' turns off transitions, so that tests need not wait for them. */
  env?: 'default' | 'test';
}

/** Providers and router. */
export function App({ services, i18n, router, env = 'default' }: AppProps) {
  const [colorScheme] = useState(() => createColorSchemeManager(services.storage));

  // The theme's variables are in theme-variables.css: computing them takes a page longer than reading them.
  return (
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      env={env}
    >
      <I18nProvider i18n={i18n}>
        <ServicesProvider services={services}>
          <AnnouncerProvider>
            <Suspense fallback={null}>
              <RouterProvider router={router} />
            </Suspense>
          </AnnouncerProvider>
        </ServicesProvider>
      </I18nProvider>
    </MantineProvider>
  );
}
