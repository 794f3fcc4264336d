import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { draftDatabase } from '#src/shared/draft-database.ts';
import { CSV, chip, choose, openImport, setUpImportBench } from '#test/import-bench.tsx';
import type { AppUnderTest } from '#test/render-app.tsx';
import { stubWorkers } from '#test/worker-double.ts';

setUpImportBench();

const stored = new Map<string, unknown>();
const names = () => [...stored.values()].map((draft) => (draft as { fileName: string }).fileName);

beforeEach(() => {
  stored.clear();
  vi.spyOn(draftDatabase, 'get').mockImplementation(async (...key) => stored.get(key.join()));
  vi.spyOn(draftDatabase, 'put').mockImplementation(async (name, userId, value) => {
    stored.set([name, userId].join(), value);
  });
  vi.spyOn(draftDatabase, 'remove').mockImplementation(async (name, userId, isIt) => {
    const key = [name, userId].join();
    if (isIt(stored.get(key))) stored.delete(key);
  });
});

/** Prepares an import, leaves it and comes back to where it is offered. */
async function openWithDraft(): Promise<AppUnderTest> {
  const app = await openImport();
  await choose(app);
  await chip('À corriger 1');
  await app.user.click(screen.getByRole('link', { name: 'Coéquipiers' }));
  await app.user.click(await screen.findByRole('button', { name: 'Quitter et garder' }));
  await app.user.click(await screen.findByRole('link', { name: 'Importer' }));
  await screen.findByRole('region', { name: 'Un import n’a pas été envoyé.' });
  return app;
}

test('[IMP28] a draft whose file can’t be read just now stays, and says why', async () => {
  const app = await openWithDraft();
  stubWorkers(async () => ({ ok: false, fault: 'too_slow' }));
  await app.user.click(screen.getByRole('button', { name: 'Reprendre' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('La lecture a pris plus de');
  expect(names()).toEqual(['équipe.csv']);
  expect(screen.getByRole('button', { name: 'Reprendre' })).toBeVisible();
});

test('[IMP28] another file takes the place of a draft only when somebody says so', async () => {
  const app = await openWithDraft();
  const other = CSV.replace('Léa', 'Zoé');
  const isAsked = () => screen.findByRole('dialog', { name: 'Remplacer l’import gardé\u202f?' });
  await choose(app, other);
  await app.user.click(within(await isAsked()).getByRole('button', { name: 'Annuler' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.getByRole('button', { name: 'Reprendre' })).toBeVisible();
  await choose(app, other);
  await app.user.click(within(await isAsked()).getByRole('button', { name: 'Remplacer' }));
  expect(await screen.findByText('Zoé')).toBeVisible();
});
