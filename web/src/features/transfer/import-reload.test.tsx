import { cancelImport, createMultipleUsers, getImport, listImports } from '@pressel/contract/transfer';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId } from '#test/samples.ts';

const importId = sampleId(900);
const KEY = 'import.users';

// The page before the reload stored this.
beforeEach(() => window.sessionStorage.setItem(KEY, importId));

const open = (prepare: NonNullable<Parameters<typeof renderApp>[0]['prepare']>) =>
  renderApp({
    at: '/usersList/import',
    signedIn: {},
    prepare(api) {
      api.on(listImports, () => ({ success: true, res: [] }));
      prepare(api);
    },
  });

test('a reload finds the running import again, with its progress and the way to stop it', async () => {
  const app = await open((api) => {
    api.on(getImport, () => ({ success: true, res: { state: 'running', done: 3, total: 9 } }));
    api.on(cancelImport, () => ({ success: true, cancelled: true }));
  });
  expect(await screen.findByText('3 sur 9')).toBeVisible();
  app.api.on(getImport, () => ({ success: true, res: { state: 'cancelled' } }));
  await app.user.click(screen.getByRole('button', { name: 'Annuler l’import' }));
  expect(await screen.findByText('Import annulé')).toBeVisible();
  expect(app.api.inputs(cancelImport)).toEqual([{ importId }]);
  expect(app.api.inputs(createMultipleUsers)).toEqual([]);
  await app.user.click(screen.getByRole('button', { name: 'Choisir un fichier' }));
  expect(app.storage.readImport('users')).toBeUndefined();
});

test('an import that ended meanwhile shows its groups, until it is left', async () => {
  const app = await open((api) =>
    api.on(getImport, () => ({
      success: true,
      res: {
        state: 'users',
        outcome: {
          created: [{ row: 2, id: sampleId(5), identifier: 'lea@example.org' }],
          existing: [],
          rejected: [
            { row: 3, name: 'hugo@example.org', faults: [{ field: 'canal', code: 'unknown_channel', names: ['X'] }] },
          ],
          repeated: [],
        },
      },
    })),
  );
  const created = await screen.findByRole('region', { name: 'Ajoutés' });
  expect(within(created).getByText('lea@example.org')).toBeVisible();
  expect(screen.getByText('hugo@example.org')).toBeVisible();
  expect(screen.getByText(/Cette page a été quittée ou rechargée entre-temps/u)).toBeVisible();
  expect(screen.queryByRole('button', { name: /Télécharger/u })).toBeNull();
  expect(app.storage.readImport('users')).toBe(importId);
  await app.user.click(screen.getByRole('link', { name: 'Voir les coéquipiers' }));
  await waitFor(() => expect(app.storage.readImport('users')).toBeUndefined());
});

test('an import that the server does not know is forgotten without a word', async () => {
  const app = await open((api) => api.fail(getImport, new ApiError('not_found')));
  expect(await screen.findByRole('button', { name: 'Choisir un fichier' })).toBeVisible();
  expect(app.storage.readImport('users')).toBeUndefined();
});

test('an import of the other kind is left alone', async () => {
  const app = await renderApp({ at: '/channelsList/import', signedIn: {} });
  expect(await screen.findByRole('button', { name: 'Choisir un fichier' })).toBeVisible();
  expect(app.api.inputs(getImport)).toEqual([]);
  expect(app.storage.readImport('users')).toBe(importId);
});

const entry = { importId, kind: 'users', startedAt: '2026-03-01T10:00:00.000Z', endedAt: null };

test('[IMP32] an import that another tab started is followed here, with the time left and the way to stop it', async () => {
  window.sessionStorage.clear();
  let done = 100;
  const app = await open((api) => {
    api.on(listImports, () => ({ success: true, res: [{ ...entry, state: 'running' }] }));
    api.on(getImport, () => {
      done += 100;
      return { success: true, res: { state: 'running', done, total: 1_000 } };
    });
    api.on(cancelImport, () => ({ success: true, cancelled: true }));
  });
  expect(await screen.findByText(/^\d+ sur 1\s000$/u)).toBeVisible();
  expect(await screen.findByText('Encore moins d’une minute')).toBeVisible();
  app.api.on(getImport, () => ({ success: true, res: { state: 'cancelled' } }));
  await app.user.click(screen.getByRole('button', { name: 'Annuler l’import' }));
  expect(app.api.inputs(cancelImport)).toEqual([{ importId }]);
  expect(await screen.findByText('Import annulé')).toBeVisible();
});

test('[IMP32] what an import of another tab came to is there to be looked at', async () => {
  window.sessionStorage.clear();
  const ended = { ...entry, state: 'ended', endedAt: '2026-03-01T10:05:00.000Z' };
  const app = await open((api) => {
    api.on(listImports, () => ({ success: true, res: [ended] }));
    api.on(getImport, () => ({
      success: true,
      res: {
        state: 'users',
        outcome: { created: [], existing: [{ row: 2, name: 'a@b.fr' }], rejected: [], repeated: [] },
      },
    }));
  });
  await app.user.click(await screen.findByRole('button', { name: 'Voir son résultat' }));
  expect(await screen.findByText('Ajoutés : 0. Non ajoutés : 0. Déjà présents : 1.')).toBeVisible();
});

test('[IMP32] a running import of the other kind is said, with the way to it', async () => {
  window.sessionStorage.clear();
  await open((api) => {
    api.on(listImports, () => ({ success: true, res: [{ ...entry, kind: 'channels', state: 'running' }] }));
  });
  expect(await screen.findByText('Un import de canaux est en cours.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Le suivre' })).toHaveAttribute('href', '/channelsList/import');
});
