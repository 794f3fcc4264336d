import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import type { Language } from '#src/shared/languages.ts';
import { createStorage } from '#src/shared/storage.ts';
import { BacklogBar } from './message-body.tsx';

afterEach(() => {
  vi.useRealTimers();
});

/** A Thursday, by the clock of this device. */
const now = new Date(2026, 10, 26, 9, 0);
const before = (days: number) => new Date(2026, 10, 26 - days, 8, 5).getTime();

test.each<[Language, number, number | undefined, string]>([
  ['fr', 41, before(5), '41 non lus depuis samedi'],
  ['fr', 1, before(1), '1 non lu depuis hier'],
  ['fr', 2, before(0), '2 non lus depuis 08:05'],
  ['fr', 1_000, before(7), '1\u202f000+ non lus depuis le 19 novembre'],
  ['fr', 3, undefined, '3 non lus'],
  ['en', 41, before(5), '41 unread since Saturday'],
  ['en', 2, before(40), '2 unread since October 17'],
  ['de', 41, before(5), '41 ungelesen seit Samstag'],
  ['de', 2, before(40), '2 ungelesen seit dem 17. Oktober'],
  ['de', 2, before(0), '2 ungelesen seit 08:05 Uhr'],
])('[CHATS50] in %s the bar says of %i since %s: %s', async (language, count, since, words) => {
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  storage.writePreference('language', language);
  const i18n = await createI18n(storage);
  await i18n.loadNamespaces(['chat']);
  vi.useFakeTimers({ toFake: ['Date'], now });
  render(
    <MantineProvider env="test">
      <I18nProvider i18n={i18n}>
        <BacklogBar backlog={{ after: 7, count, since }} onGo={() => undefined} onClose={() => undefined} />
      </I18nProvider>
    </MantineProvider>,
  );
  expect(screen.getByRole('button', { name: words })).toBeInTheDocument();
});
