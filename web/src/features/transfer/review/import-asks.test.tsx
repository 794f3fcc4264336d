import { verifyPassword } from '@pressel/contract/auth';
import { checkImport, createMultipleChannels, createMultipleUsers } from '@pressel/contract/transfer';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { chip, choose, HEADER, openImport, rowOf, setUpImportBench } from '#test/import-bench.tsx';
import { sampleId } from '#test/samples.ts';
import { stubWorkers } from '#test/worker-double.ts';

const bench = setUpImportBench();

test('[IMP22] a quote that swallows people is asked about before anything is sent, and read as a letter', async () => {
  const app = await openImport();
  const line = (name: string, first = name) => `${first};Martin;${name}@example.org;X;secret;vrai;`;
  await choose(app, [HEADER, line('a'), line('b', '"b'), line('c'), line('d')].join('\n'));
  expect(await screen.findByText(/^Ligne 3 : un guillemet y avale la suite/u)).toHaveTextContent(
    'Le fichier a 5 lignes, titres compris ; 3 ont été trouvées.',
  );
  await waitFor(() => expect(screen.getByRole('button', { name: /^Importer/u })).toBeDisabled());
  await app.user.click(screen.getByRole('button', { name: 'Lire les guillemets comme de simples caractères' }));
  expect(await chip('Prête 4')).toBeVisible();
  expect(screen.queryByRole('list', { name: 'Questions sur le fichier' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Importer 4 lignes' })).toBeEnabled();
});

test('[IMP34] what is done while the file is read anew stands: the columns stay, and what was corrected', async () => {
  const app = await openImport();
  const line = (name: string, first = name) => `${first};Martin;${name}@example.org;X;secret;vrai;`;
  await choose(app, [HEADER, line('a'), line('b', '"b'), line('c')].join('\n'));
  const asLetters = 'Lire les guillemets comme de simples caractères';
  const readingAnew = async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const readings = bench.hold(held);
    await app.user.click(await screen.findByRole('button', { name: asLetters }));
    await waitFor(() => expect(readings).toHaveLength(1));
    return async () => {
      goOn();
      await act(() => Promise.all(readings));
    };
  };
  const endOfFirst = await readingAnew();
  await app.user.click(screen.getByRole('button', { name: 'Colonnes' }));
  await endOfFirst();
  await app.user.click(screen.getByRole('button', { name: 'Vérifier les lignes' }));
  expect(await screen.findByText(/^Ligne 3 : un guillemet/u)).toBeVisible();

  const endOfSecond = await readingAnew();
  await app.user.click(rowOf('2').getByText('Martin'));
  await app.user.keyboard('Petit{Enter}');
  await endOfSecond();
  await waitFor(() => expect(rowOf('2').getByText(/Petit/u)).toBeVisible());
});

test('[IMP23] what stands beyond the titles is asked about, and is channels when they say so', async () => {
  const app = await openImport();
  await choose(app, `${HEADER}\nLéa;Martin;lea@example.org;LEA;secret;vrai;Nord;Équipe Nord`);
  expect(await screen.findByText('1 ligne a des valeurs au-delà des titres. Que sont-elles ?')).toBeVisible();
  expect(screen.getByText('Ligne 2 : Équipe Nord')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Importer 1 ligne' })).toBeDisabled();
  await app.user.click(screen.getByRole('button', { name: 'Ce sont des canaux' }));
  expect(await chip('À corriger 1')).toBeVisible();
  expect(rowOf('2').getByText('Nord;Équipe Nord')).toBeVisible();
});

test('[IMP26] a password with spaces around it says so, and they are removed at once', async () => {
  const app = await openImport();
  await choose(app, `${HEADER}\nLéa;Martin;lea@example.org;LEA;secret  ;vrai;Nord`);
  await app.user.click(await screen.findByRole('button', { name: 'Enlever ces espaces' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Enlever ces espaces' })).toBeNull());
  await waitFor(() => expect(screen.getByRole('button', { name: 'Importer 1 ligne' })).toBeEnabled());
  await app.user.click(screen.getByRole('button', { name: 'Importer 1 ligne' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, importer' }));
  expect(app.api.inputs(createMultipleUsers)[0]?.userData[0]?.password).toBe('secret');
});

const created = (rows: readonly { row?: number | undefined }[]) => ({
  success: true as const,
  createdUsers: rows.map(({ row = 0 }) => ({ row, id: sampleId(50 + row), identifier: 'x@y.org' })),
  existingUsers: [],
  rejectedUsers: [],
  repeatedUsers: [],
});

test('[IMP29 IMP31] an export on an empty server: channels made, passwords generated, administrators on purpose', async () => {
  const app = await openImport((api) => {
    api.on(checkImport, () => ({ success: true, identifiers: [], channelNames: [], near: [] }));
    api.on(createMultipleChannels, ({ channelData }) => ({
      success: true,
      channelsCreated: channelData.map(({ name }, at) => ({ row: at + 1, id: sampleId(at), name: String(name) })),
      existingChannels: [],
      rejectedChannels: [],
      repeatedChannels: [],
    }));
    api.on(verifyPassword, ({ password }) => ({ success: true, result: password === 'mine' }));
    api.on(createMultipleUsers, ({ userData }) => created(userData));
  });
  await choose(
    app,
    [
      'firstName;lastName;identifier;pseudo;password;mapRight;canal;phone;role',
      'Léa;Martin;lea@example.org;;;true;Nord;+33 6;admin',
      'Hugo;Petit;hugo@example.org;HUG;;false;"Nord;Sud";;member',
    ].join('\n'),
  );
  await app.user.click(await screen.findByRole('button', { name: 'Créer ces 2 canaux' }));
  await app.user.click(await screen.findByRole('button', { name: 'Créer' }));
  await app.user.click(await screen.findByRole('button', { name: 'Générer des mots de passe' }));
  const send = await screen.findByRole('button', { name: 'Importer 2 lignes' });
  await waitFor(() => expect(send).toBeEnabled());
  await app.user.click(send);
  await app.user.click(await screen.findByRole('checkbox', { name: 'Créer 1 compte comme administrateur' }));
  await app.user.type(screen.getByLabelText('Votre mot de passe'), 'theirs');
  await app.user.click(screen.getByRole('button', { name: 'Oui, importer' }));
  expect(await screen.findByText('Ce n’est pas votre mot de passe.')).toBeVisible();
  await app.user.type(screen.getByLabelText('Votre mot de passe'), 'mine');
  await app.user.click(screen.getByRole('button', { name: 'Oui, importer' }));

  expect(await screen.findByText('Ajoutés : 2. Non ajoutés : 0. Déjà présents : 0.')).toBeVisible();
  const [sent] = app.api.inputs(createMultipleUsers);
  expect(sent?.withAdmins).toBe(true);
  expect(sent?.userData[0]).toMatchObject({ phoneNumber: '+33 6', role: 'admin', pseudo: '' });
  expect(sent?.userData[0]).not.toHaveProperty('notes');
  const passwords = sent?.userData.map(({ password }) => String(password)) ?? [];
  expect(new Set(passwords).size).toBe(2);
  for (const password of passwords) expect(password).toMatch(/^[a-z2-9]{12}$/u);

  // The passwords are shown once: leaving asks until they were saved.
  await app.user.click(screen.getByRole('link', { name: 'Voir les coéquipiers' }));
  expect(await screen.findByRole('dialog', { name: 'Partir sans les mots de passe\u202f?' })).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'Annuler' }));
  await app.user.click(screen.getByRole('button', { name: 'Télécharger les mots de passe' }));
  await waitFor(() => expect(bench.written()[0]?.rows[0]).toEqual(['firstName', 'lastName', 'identifier', 'password']));
  expect(
    bench
      .written()[0]
      ?.rows.slice(1)
      .map((row) => row[3]),
  ).toEqual(passwords);
});

test('[IMP29] generated passwords are asked about until they were written, whichever way the result is left', async () => {
  const app = await openImport((api) => api.on(createMultipleUsers, ({ userData }) => created(userData)));
  await choose(app, `${HEADER}\nLéa;Martin;lea@example.org;LEA;;vrai;Nord\nHugo;;hugo@example.org;HUG;;vrai;Nord`);
  await app.user.click(await screen.findByRole('button', { name: 'Générer des mots de passe' }));
  const send = await screen.findByRole('button', { name: 'Importer 1 ligne' });
  await waitFor(() => expect(send).toBeEnabled());
  await app.user.click(send);
  await app.user.click(await screen.findByRole('button', { name: 'Oui, importer' }));

  const isAsked = async (name: string) => {
    await app.user.click(await screen.findByRole('button', { name }));
    const dialog = await screen.findByRole('dialog', { name: 'Partir sans les mots de passe\u202f?' });
    await app.user.click(within(dialog).getByRole('button', { name: 'Annuler' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  };
  await isAsked('Importer un autre fichier');
  await isAsked('Revoir les lignes');
  stubWorkers(async () => null);
  await app.user.click(screen.getByRole('button', { name: 'Télécharger les mots de passe' }));
  await screen.findByText('Fichier non créé');
  await isAsked('Importer un autre fichier');

  stubWorkers(async () => new Blob(['x']));
  await app.user.click(screen.getByRole('button', { name: 'Télécharger les mots de passe' }));
  await waitFor(() => expect(HTMLAnchorElement.prototype.click).toHaveBeenCalled());
  await app.user.click(screen.getByRole('button', { name: 'Importer un autre fichier' }));
  expect(await screen.findByRole('button', { name: 'Choisir un fichier' })).toBeVisible();
});

test('[IMP18] cancelling forgets that administrators were wanted, and rows without any are sent as they are', async () => {
  const app = await openImport((api) => {
    api.on(createMultipleUsers, ({ userData }) => created(userData));
  });
  const line = (name: string, role: string) => `Léa;Martin;${name}@example.org;LEA;secret;vrai;Nord;${role}`;
  await choose(app, [`${HEADER};role`, line('a', 'admin'), line('b', '')].join('\n'));
  await app.user.click(await screen.findByRole('button', { name: 'Importer 2 lignes' }));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Créer 1 compte comme administrateur' }));
  await app.user.type(screen.getByLabelText('Votre mot de passe'), 'mine');
  await app.user.click(screen.getByRole('button', { name: 'Annuler' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await app.user.click(screen.getByRole('button', { name: 'Importer 2 lignes' }));
  expect(await screen.findByRole('checkbox', { name: 'Créer 1 compte comme administrateur' })).not.toBeChecked();
  expect(screen.queryByLabelText('Votre mot de passe')).toBeNull();
  await app.user.click(screen.getByRole('button', { name: 'Annuler' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await app.user.click(screen.getByRole('button', { name: 'Retirer la ligne 2' }));
  await app.user.click(await screen.findByRole('button', { name: 'Importer 1 ligne' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, importer' }));
  await screen.findByText('Ajoutés : 1. Non ajoutés : 0. Déjà présents : 0.');
  expect(app.api.inputs(createMultipleUsers)[0]?.withAdmins).toBe(false);
});

test('[IMP30] a near name is suggested and takes the place of the wrong one in every row', async () => {
  const app = await openImport((api) =>
    api.on(checkImport, ({ channelNames }) => ({
      success: true,
      identifiers: [],
      channelNames: channelNames.filter((name) => name === 'Sud'),
      near: channelNames.filter((name) => name === 'sud').map((name) => ({ name, near: ['Sud'] })),
    })),
  );
  const line = (name: string) => `Léa;Martin;${name}@example.org;LEA;secret;oui;sud`;
  await choose(app, [HEADER, line('a'), line('b')].join('\n'));
  await app.user.click(await screen.findByRole('button', { name: 'Remplacer par Sud' }));
  expect(await chip('Prête 2')).toBeVisible();
  expect(rowOf('3').getByText('Sud')).toBeVisible();
});

test('[IMP30] of new channels that differ in case or accents alone the first takes the place of the others', async () => {
  const app = await openImport();
  const line = (name: string, canal: string) => `Léa;Martin;${name}@example.org;LEA;secret;oui;${canal}`;
  await choose(app, [HEADER, line('a', 'Équipe Est'), line('b', 'equipe est')].join('\n'));
  expect(await screen.findByText('1 canal n’existe pas encore.')).toBeVisible();
  await app.user.click(await screen.findByRole('button', { name: 'Remplacer par Équipe Est' }));
  await waitFor(() => expect(rowOf('3').getByText('Équipe Est')).toBeVisible());
});

test('[IMP29] empty pseudos and map rights are filled in for all, also of a file without these columns', async () => {
  const app = await openImport();
  await choose(app, 'Prénom;Nom;Login;Mot de passe\nLéa;Martin;lea@example.org;secret\nÂge;Öz;age@example.org;secret');
  await app.user.click(await screen.findByRole('button', { name: 'Mettre le prénom et l’initiale du nom' }));
  await app.user.click(await screen.findByRole('button', { name: 'Personne ne voit la carte' }));
  expect(await chip('Prête 2')).toBeVisible();
  expect(rowOf('2').getByText('Léa M.')).toBeVisible();
  expect(rowOf('2').getByText('false')).toBeVisible();
});
