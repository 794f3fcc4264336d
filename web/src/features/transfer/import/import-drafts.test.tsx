import { createMultipleUsers, getImport } from '@pressel/contract/transfer';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { draftDatabase } from '#src/shared/draft-database.ts';
import { CSV, chip, choose, HEADER, openImport, setUpImportBench } from '#test/import-bench.tsx';
import type { AppUnderTest } from '#test/render-app.tsx';
import { sampleId } from '#test/samples.ts';
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

/** Prepares an import, leaves it and returns to the page that offers it. */
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

/** The server's record of the import: nothing, or how it ended. */
const outcome = {
  created: [{ row: 2, id: sampleId(50), identifier: 'lea@example.org' }],
  existing: [],
  rejected: [],
  repeated: [],
};
const reload = (prepare: Parameters<typeof openImport>[0]) => {
  cleanup();
  return openImport(prepare);
};
/** Sends one good row of the file, while the server doesn't answer. */
async function send(app: AppUnderTest): Promise<void> {
  await app.user.click(await screen.findByRole('button', { name: 'Importer 1 ligne' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, importer' }));
  await waitFor(() => expect(app.api.inputs(createMultipleUsers)).toHaveLength(1));
}
async function openAndSend(): Promise<AppUnderTest> {
  const app = await openImport((api) => api.on(createMultipleUsers, () => new Promise(() => {})));
  await choose(app);
  await send(app);
  return app;
}
const idOf = (app: AppUnderTest) => app.api.inputs(createMultipleUsers)[0]?.importId;

test('[IMP28] what is sent stays on the device until the server has stored it', async () => {
  let store = (): void => {};
  const app = await openImport((api) =>
    api.on(createMultipleUsers, async () => {
      await new Promise<void>((resolve) => (store = resolve));
      const { created, existing, rejected, repeated } = outcome;
      return {
        success: true,
        createdUsers: created,
        existingUsers: existing,
        rejectedUsers: rejected,
        repeatedUsers: repeated,
      };
    }),
  );
  await choose(app);
  await send(app);
  expect(names()).toEqual(['équipe.csv']);
  await act(async () => store());
  expect(await screen.findByRole('region', { name: 'Ajoutés' })).toBeVisible();
  await waitFor(() => expect(names()).toEqual([]));
});

test.each(['a reload', 'a crash of the browser'])(
  '[IMP28][IMP35] after %s on the way the rows are there again, and sent again as the same import',
  async (how) => {
    const first = idOf(await openAndSend());
    if (how !== 'a reload') window.sessionStorage.clear();
    const app = await reload((api) => api.on(createMultipleUsers, () => new Promise(() => {})));
    expect(await screen.findByRole('alert')).toHaveTextContent(/^Le serveur ne sait rien de cet import/u);
    expect(await chip('À corriger 1')).toBeVisible();
    await send(app);
    expect(idOf(app)).toBe(first);
  },
);

test('[IMP35] rows that were changed meanwhile are another import', async () => {
  const first = idOf(await openAndSend());
  const app = await reload((api) => api.on(createMultipleUsers, () => new Promise(() => {})));
  await chip('À corriger 1');
  await app.user.click(screen.getByRole('button', { name: 'Retirer la ligne 3' }));
  await chip('À corriger 0');
  await send(app);
  expect(idOf(app)).not.toBe(first);
});

test.each(['a reload', 'a crash of the browser'])(
  '[IMP28] an import that was stored before %s shows its result, rows included, and is offered no more',
  async (how) => {
    await openAndSend();
    if (how !== 'a reload') window.sessionStorage.clear();
    const app = await reload((api) => api.on(getImport, () => ({ success: true, res: { state: 'users', outcome } })));
    const rejected = await screen.findByRole('region', { name: 'Non ajoutés' });
    expect(await within(rejected).findByText('hugo@example.org'), 'it never left the device').toBeVisible();
    expect(screen.queryByText(/Cette page a été quittée ou rechargée/u)).toBeNull();
    await waitFor(() => expect(names()).toEqual([]));
    expect(app.api.inputs(createMultipleUsers)).toEqual([]);
  },
);

test('[IMP28][IMP29] generated passwords are shown after a crash too, when the server has the accounts', async () => {
  const before = await openImport((api) => api.on(createMultipleUsers, () => new Promise(() => {})));
  await choose(before, [HEADER, 'Léa;Martin;lea@example.org;LEA;;vrai;Nord'].join('\n'));
  await before.user.click(await screen.findByRole('button', { name: 'Générer des mots de passe' }));
  await send(before);
  window.sessionStorage.clear();
  await reload((api) => api.on(getImport, () => ({ success: true, res: { state: 'users', outcome } })));
  expect(await screen.findByRole('button', { name: 'Télécharger les mots de passe' })).toBeVisible();
});

test('[IMP28] one that the server cancelled is offered as it was before it was sent', async () => {
  await openAndSend();
  window.sessionStorage.clear();
  await reload((api) => api.on(getImport, () => ({ success: true, res: { state: 'cancelled' } })));
  expect(await screen.findByRole('button', { name: 'Reprendre' })).toBeVisible();
});
