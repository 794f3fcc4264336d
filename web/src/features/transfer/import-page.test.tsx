import { getServerInfo } from '@pressel/contract/auth';
import { checkImport, createMultipleUsers, getListUsersToExport } from '@pressel/contract/transfer';
import { getAllUsers } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import { serverInfoOf } from '#test/api-double.ts';
import { CSV, chip, choose, HEADER, openImport, rowOf, setUpImportBench } from '#test/import-bench.tsx';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, sampleId, userOf } from '#test/samples.ts';

const bench = setUpImportBench();

test('a file is judged, put right in place, and only its good rows are sent', async () => {
  const app = await openImport((api) =>
    api.on(createMultipleUsers, ({ userData }) => ({
      success: true,
      createdUsers: userData.map((row, index) => ({ row: row.row, id: sampleId(50 + index), identifier: 'x@y.org' })),
      existingUsers: [],
      rejectedUsers: [],
      repeatedUsers: [],
    })),
  );
  await choose(app);
  expect(await chip('À corriger 1')).toBeVisible();
  expect(await chip('Déjà présente 1')).toBeVisible();
  expect(rowOf('3').getByText('Nom : vide')).toBeInTheDocument();

  await app.user.click(screen.getByRole('button', { name: 'Problème suivant' }));
  await app.user.keyboard('{Enter}Petit{Enter}');
  await app.user.click(await screen.findByRole('button', { name: 'Importer 2 lignes' }));
  expect(await screen.findByText('2 coéquipiers seront créés.')).toBeVisible();
  expect(screen.getByText('1 ligne restera de côté.')).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'Oui, importer' }));

  const created = await screen.findByRole('region', { name: 'Ajoutés' });
  expect(within(created).getByText('hugo@example.org')).toBeVisible();
  expect(within(screen.getByRole('region', { name: 'Déjà présents' })).getByText('ines@example.org')).toBeVisible();
  const [sent] = app.api.inputs(createMultipleUsers);
  expect(sent?.userData.map(({ row, lastName }) => [row, lastName])).toEqual([
    [2, 'Martin'],
    [3, 'Petit'],
  ]);
});

test('[APP15] no page reloads by itself under an import that somebody has begun', async () => {
  const app = await openImport();
  const isUnsaved = () => document.querySelector('[data-unsaved]') !== null;
  expect(isUnsaved()).toBe(false);
  await choose(app);
  await chip('À corriger 1');
  expect(isUnsaved()).toBe(true);
});

test('[LIST1] the list that is left for an import is read anew after it, not shown as it was', async () => {
  const app = await openImport((api) => {
    api.on(getAllUsers, (query) => pageOf([userOf(2, 'Anna', 'Ancien')], query, fullName));
    api.on(createMultipleUsers, () => ({
      success: true,
      createdUsers: [{ row: 2, id: sampleId(50), identifier: 'lea@example.org' }],
      existingUsers: [],
      rejectedUsers: [],
      repeatedUsers: [],
    }));
  });
  await act(() => app.router.navigate({ to: '/usersList' }));
  expect(await screen.findByText('Ancien')).toBeVisible();
  await act(() => app.router.navigate({ to: '/usersList/import' }));
  await choose(app);
  await app.user.click(await screen.findByRole('button', { name: 'Importer 1 ligne' }));
  await app.user.click(screen.getByRole('button', { name: 'Oui, importer' }));
  const toList = await screen.findByRole('link', { name: 'Voir les coéquipiers' });
  app.api.on(getAllUsers, () => new Promise(() => {}));
  await app.user.click(toList);
  expect(await screen.findByRole('heading', { level: 1, name: 'Coéquipiers' })).toBeVisible();
  expect(screen.queryByText('Ancien')).not.toBeInTheDocument();
});

test('Escape takes back what was typed; Tab goes on to the next cell', async () => {
  const app = await openImport();
  await choose(app);
  await chip('À corriger 1');
  await app.user.click(rowOf('2').getByText('Léa'));
  await app.user.keyboard('Zoé{Escape}');
  expect(rowOf('2').getByText('Léa')).toBeVisible();
  await app.user.keyboard('{Enter}Zoé{Tab}Petit{Enter}');
  await waitFor(() => expect(rowOf('2').getByText('Petit')).toBeVisible());
  expect(rowOf('2').getByText('Zoé')).toBeVisible();
});

test('a login typed over is asked of the server, and only that one', async () => {
  const app = await openImport();
  await choose(app);
  await chip('Déjà présente 1');
  await app.user.click(rowOf('2').getByText('lea@example.org'));
  await app.user.keyboard('{Control>}a{/Control}ines2@example.org{Enter}');
  expect(await chip('Déjà présente 2')).toBeVisible();
  const last = app.api.inputs(checkImport).at(-1);
  expect(last?.channelNames).toEqual([]);
  expect(last?.identifiers).toContain('ines2@example.org');
  expect(last?.identifiers).not.toContain('hugo@example.org');
});

test('a row is removed, and put back', async () => {
  const app = await openImport();
  await choose(app);
  await chip('À corriger 1');
  await app.user.click(screen.getByRole('button', { name: 'Retirer la ligne 3' }));
  expect(await chip('À corriger 0')).toBeVisible();
  await app.user.click(await screen.findByRole('button', { name: 'Remettre' }));
  expect(await chip('À corriger 1')).toBeVisible();
});

test('a correction is offered to the rows that need the same, set in all of them at once, and taken back', async () => {
  const app = await openImport();
  const line = (name: string, right: string) => `Léa;Martin;${name}@example.org;LEA;secret;${right};`;
  await choose(app, [HEADER, line('a', 'carte'), line('b', 'carte'), line('c', 'rien'), line('d', 'carte')].join('\n'));
  await chip('À corriger 4');
  await app.user.click(screen.getByRole('button', { name: 'Problème suivant' }));
  await app.user.keyboard('{Enter}{Control>}a{/Control}vrai');
  await chip('À corriger 3');
  expect(screen.queryByRole('button', { name: /Aussi dans/u })).toBeNull();
  await app.user.keyboard('{Enter}');
  const offer = await screen.findByRole('button', { name: 'Accès à la carte\u00a0: Aussi dans les 2 autres' });
  expect(offer.closest('[role=status]')).not.toBeNull();
  offer.focus();
  await app.user.keyboard('{Enter}');
  expect(await chip('À corriger 1')).toBeVisible();
  expect(screen.queryByRole('button', { name: /Aussi dans/u })).toBeNull();
  expect(rowOf('2').getByText('vrai').closest('td')).toHaveFocus();
  await app.user.click(await screen.findByRole('button', { name: 'Annuler' }));
  expect(await chip('À corriger 3')).toBeVisible();
  expect(rowOf('2').getByText('vrai')).toBeVisible();
  expect(rowOf('5').getByText('carte')).toBeVisible();
});

test('passwords show as dots until they are asked for', async () => {
  const app = await openImport();
  await choose(app);
  await chip('À corriger 1');
  expect(screen.queryByText('secret')).toBeNull();
  await app.user.click(screen.getByRole('switch', { name: 'Mots de passe visibles' }));
  expect(screen.getAllByText('secret')).toHaveLength(3);
});

test('the server’s minimum length of passwords applies', async () => {
  const app = await openImport((api) => api.on(getServerInfo, () => serverInfoOf({ passwordMinLength: 8 })));
  await choose(app);
  expect(await chip('À corriger 2')).toBeVisible();
  expect(screen.getAllByText('Mot de passe : au moins 8 caractères')).not.toHaveLength(0);
});

test('columns that the headers do not name are chosen by hand', async () => {
  const app = await openImport();
  await choose(app, CSV.replace('Login', 'Courrier interne'));
  expect(await screen.findByText('Il manque : Identifiant.')).toBeVisible();
  const next = screen.getByRole('button', { name: 'Vérifier les lignes' });
  expect(next).toBeDisabled();
  await app.user.selectOptions(
    screen.getByRole('combobox', { name: 'Colonne Courrier interne\u00a0: sert à' }),
    'Identifiant',
  );
  await app.user.click(next);
  expect(await chip('À corriger 1')).toBeVisible();
});

test('a file that is refused says why, and another can be chosen', async () => {
  const app = await openImport();
  await choose(app, HEADER);
  expect(await screen.findByRole('alert')).toHaveTextContent('Cette feuille n’a que sa ligne de titres.');
  await choose(app);
  expect(await chip('À corriger 1')).toBeVisible();
});

test('the example of the model is left out without a word, and alone it is no file', async () => {
  const app = await openImport();
  const example = 'Camille;Durand;camille.durand@example.org;CAM;secret12;vrai;Équipe Nord';
  await choose(app, [HEADER, example].join('\n'));
  expect(await screen.findByRole('alert')).toHaveTextContent('Cette feuille n’a que l’exemple du modèle.');
  await choose(app, `${CSV}\n${example}`);
  expect(await chip('Toutes 3')).toBeVisible();
});

test('of several sheets the one with the known header comes first, and another can be chosen', async () => {
  const app = await openImport();
  await choose(app, `Note\nrien\f${CSV}`);
  expect(await chip('Toutes 3')).toBeVisible();
  const select = screen.getByRole('combobox', { name: 'Feuille' });
  expect(select).toHaveValue('Page 2');
  await app.user.selectOptions(select, 'Page 1');
  expect(await screen.findByText(/^Il manque/u)).toBeVisible();
});

test('when the server cannot check, nothing is sent until it could', async () => {
  const app = await openImport((api) => api.fail(checkImport, new ApiError('unreachable')));
  await choose(app);
  expect(await screen.findByText(/Le serveur n’a pas pu vérifier les lignes/u)).toBeVisible();
  expect(screen.getByRole('button', { name: /Importer 2 lignes/u })).toBeDisabled();
  app.api.on(checkImport, () => ({ success: true, identifiers: [], channelNames: ['Nord'], near: [] }));
  await app.user.click(screen.getByRole('button', { name: 'Réessayer' }));
  await waitFor(() => expect(screen.getByRole('button', { name: /Importer 2 lignes/u })).toBeEnabled());
});

test('an import that is refused stores nothing, says so, and the rows are still there', async () => {
  const app = await openImport((api) => api.fail(createMultipleUsers, new ApiError('import_running')));
  await choose(app);
  await app.user.click(await screen.findByRole('button', { name: 'Importer 1 ligne' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, importer' }));
  expect(await screen.findByText('Une erreur est survenue !')).toBeVisible();
  expect(screen.getByText('Veuillez réessayer')).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'Revoir les lignes' }));
  expect(await chip('À corriger 1')).toBeVisible();
});

test('an export has a row for each user, and no formula', async () => {
  const app = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) =>
      api.on(getListUsersToExport, () => ({
        success: true,
        res: [
          {
            firstName: '=A1',
            lastName: 'B',
            identifier: 'a@b.fr',
            pseudo: '007',
            password: '',
            mapRight: true,
            canal: 'Nord;Sud',
            phoneNumber: '+33 6',
            role: 'admin',
          },
        ],
      })),
  });
  await app.user.click(await screen.findByRole('button', { name: 'Exporter' }));
  await waitFor(() => expect(bench.written()).toHaveLength(1));
  expect(bench.written()[0]?.rows).toEqual([
    ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal', 'phone', 'role'],
    ['=A1', 'B', 'a@b.fr', '007', '', 'true', 'Nord;Sud', '+33 6', 'admin'],
  ]);
});

test('members have no import', async () => {
  await renderApp({ at: '/channelsList/import', signedIn: { role: 'member' } });
  expect(await screen.findByText('Cette page est réservée aux administrateurs')).toBeVisible();
});

test('what was typed and removed stays when the columns are looked at again', async () => {
  const app = await openImport();
  await choose(app);
  await chip('À corriger 1');
  await app.user.click(screen.getByRole('button', { name: 'Problème suivant' }));
  await app.user.keyboard('{Enter}Petit{Enter}');
  await chip('Prête 2');
  await app.user.click(screen.getByRole('button', { name: 'Retirer la ligne 2' }));
  await chip('Toutes 2');
  await app.user.click(screen.getByRole('button', { name: 'Colonnes' }));
  await app.user.selectOptions(screen.getByRole('combobox', { name: 'Colonne canal\u00a0: sert à' }), 'Non utilisée');
  await app.user.click(screen.getByRole('button', { name: 'Vérifier les lignes' }));
  expect(await chip('Toutes 2')).toBeVisible();
  expect(rowOf('3').getByText('Petit')).toBeVisible();
});
