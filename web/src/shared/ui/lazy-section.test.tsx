import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import app from '#src/locales/fr/app.json';
import shared from '#src/locales/fr/shared.json';
import shell from '#src/locales/fr/shell.json';
import { openI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { LazyOverlay, LazySection } from './lazy-section.tsx';

// React logs what was thrown.
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
// biome-ignore lint/suspicious/noConsole: what React said is expected
afterEach(() => void vi.mocked(console.error).mockClear());

const renewal = { ...NO_RENEWAL, renew: vi.fn(async () => true), reload: vi.fn(async () => undefined) };

const i18n = openI18n({
  language: 'fr',
  load: async () => ({}),
  known: [
    ['fr', 'app', app],
    ['fr', 'shared', shared],
    ['fr', 'shell', shell],
  ],
});

function show(content: ReactNode) {
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const api = createApiDouble();
  return render(
    <I18nProvider i18n={i18n}>
      <MantineProvider env="test">
        <ServicesProvider services={{ api, storage, session: createSession({ api, storage }), renewal }}>
          <p>le bouton</p>
          {content}
        </ServicesProvider>
      </MantineProvider>
    </I18nProvider>,
  );
}
const alert = () => screen.findByRole('alert');
const button = (name: string) => screen.findByRole('button', { name });

function Breaking(): ReactNode {
  throw new Error('broken');
}

/** Stubs a part whose code is gone until the server has it. */
function lacking() {
  const server = { has: false, asked: 0 };
  const Lacking = lazyComponent(async () => {
    server.asked += 1;
    if (!server.has) throw new TypeError('Failed to fetch dynamically imported module');
    return ({ isOpen = true }: { isOpen?: boolean }) => (isOpen ? <p>la fenêtre</p> : null);
  });
  return { server, Lacking };
}

test('[APP11] a part that can’t be loaded says so in its place, reloads nothing by itself, and can be tried again', async () => {
  const { server, Lacking } = lacking();
  show(
    <LazySection>
      <Lacking />
    </LazySection>,
  );
  expect(await alert()).toHaveTextContent('n’a pas pu être chargée');
  expect(screen.getByText('le bouton')).toBeVisible();
  await userEvent.click(await button('Réessayer'));
  await vi.waitFor(() => expect(server.asked).toBe(2));
  server.has = true;
  await userEvent.click(await button('Réessayer'));
  expect(await screen.findByText('la fenêtre')).toBeVisible();
  expect(renewal.renew).not.toHaveBeenCalled();
  expect(renewal.reload).not.toHaveBeenCalled();
});

test('[APP11] the page is reloaded when the user says so', async () => {
  const { Lacking } = lacking();
  show(
    <LazySection>
      <Lacking />
    </LazySection>,
  );
  await userEvent.click(await button('Recharger la page'));
  expect(renewal.reload).toHaveBeenCalledOnce();
});

function Opener({ children }: { children: (isOpen: boolean) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const open = () => {
    setOpen(true);
    setUsed(true);
  };
  return (
    <>
      <button type="button" onClick={open}>
        Ouvrir
      </button>
      {isUsed && (
        <LazyOverlay isOpen={isOpen} onClose={() => setOpen(false)}>
          {children(isOpen)}
        </LazyOverlay>
      )}
    </>
  );
}

test('[APP11] a dialog that can’t be loaded says so until it is closed, and is tried again when it is opened again', async () => {
  const { server, Lacking } = lacking();
  show(<Opener>{(isOpen) => <Lacking isOpen={isOpen} />}</Opener>);
  await userEvent.click(await button('Ouvrir'));
  expect(await alert()).toHaveTextContent('n’a pas pu être chargée');
  await userEvent.click(await button('Réessayer'));
  await vi.waitFor(() => expect(server.asked).toBe(2));
  await userEvent.click(await button('Fermer'));
  // After it is closed, it is tried once more without a message.
  await vi.waitFor(() => expect(server.asked).toBe(3));
  await act(async () => undefined);
  expect(screen.queryByRole('alert')).toBeNull();
  server.has = true;
  await userEvent.click(await button('Ouvrir'));
  expect(await screen.findByText('la fenêtre')).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('[APP11] a dialog that throws is told apart: a reload would not help', async () => {
  show(<Opener>{() => <Breaking />}</Opener>);
  await userEvent.click(await button('Ouvrir'));
  expect(await alert()).toHaveTextContent('a rencontré une erreur');
  expect(screen.queryByRole('button', { name: 'Recharger la page' })).toBeNull();
  expect(screen.getByText('le bouton')).toBeVisible();
  await userEvent.click(await button('Fermer'));
  expect(screen.queryByRole('alert')).toBeNull();
});
