import { notifications } from '@mantine/notifications';
import { getAllActivities } from '@pressel/contract/activities';
import { signUpUser, verifyPassword } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers, getUserById, type User, updateUserData } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { activityOf } from '#test/log-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, sampleId, sessionUserOf, userOf } from '#test/samples.ts';

// Mantine keeps notifications in its module, from test to test.
afterEach(() => notifications.clean());

const nord = channelOf(1, 'Nord');
const sud = channelOf(2, 'Sud');
const lea: User = { ...userOf(2, 'Léa', 'Martin'), channels: [{ id: nord.id, name: 'Nord' }] };
const created = { success: true, result: 'Register successfully', user: { id: lea.id, role: 'member' } };

const withChannels = (api: ApiDouble) =>
  api.on(getAllChannels, (query) => pageOf([nord, sud], query, ({ name }) => name));
const dialogNamed = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

async function openAdd(prepare: (api: ApiDouble) => void = () => {}) {
  const app = await renderApp({
    at: '/usersList?panel=create',
    signedIn: {},
    prepare: (api) => {
      withChannels(api);
      prepare(api);
    },
  });
  return { app, form: await dialogNamed('Ajouter un coéquipier') };
}
type Form = Awaited<ReturnType<typeof openAdd>>['form'];

const GOOD = {
  Prénom: 'Zoé',
  Nom: 'Petit',
  'Identifiant (adresse e-mail)': 'zoe@example.org',
  'Mot de passe': 'secret',
  'Confirmer le mot de passe': 'secret',
};
async function fill(user: UserEvent, form: Form, values: Record<string, string>) {
  for (const [label, text] of Object.entries(values)) {
    await user.click(form.getByLabelText(label));
    await user.paste(text);
  }
}
const add = (form: Form) => form.getByRole('button', { name: 'Ajouter' });

test('a new user is sent with channels and map access in one call, and told once it is confirmed', async () => {
  const { app, form } = await openAdd((api) => api.on(signUpUser, () => created));
  await fill(app.user, form, { ...GOOD, Pseudo: 'ZOE' });
  await app.user.click(form.getByRole('switch', { name: 'Droit d’accès à la carte' }));
  await app.user.click(await form.findByRole('checkbox', { name: 'Choisir Sud' }));
  await app.user.click(add(form));
  expect(await screen.findByText('Coéquipier ajouté')).toBeVisible();
  await screen.findByRole('region', { name: 'Compte de Zoé Petit' });
  await app.user.click(form.getAllByRole('button', { name: 'Fermer' }).at(-1) as HTMLElement);
  await waitFor(() => expect(app.router.state.location.search).toEqual({}));
  expect(app.api.inputs(signUpUser)).toEqual([
    {
      firstName: 'Zoé',
      lastName: 'Petit',
      email: 'zoe@example.org',
      pseudo: 'ZOE',
      password: 'secret',
      phone_number: '',
      mapRight: true,
      channelList: [sud.id],
    },
  ]);
});

test('empty fields are named and marked, the first has the focus, and nothing is sent', async () => {
  const { app, form } = await openAdd();
  await app.user.type(form.getByLabelText('Nom'), '   ');
  await app.user.click(add(form));
  expect(form.getByRole('alert')).toHaveTextContent('Coéquipier non créé');
  expect(form.getByRole('alert')).toHaveTextContent('Vérifier que tous les champs sont remplis.');
  expect(form.getAllByText('Ce champ est obligatoire.')).toHaveLength(4);
  expect(form.getByLabelText('Prénom')).toHaveFocus();
  expect(app.api.inputs(signUpUser)).toEqual([]);
});

test('two passwords that differ are told while one types, and stop the creation', async () => {
  const { app, form } = await openAdd();
  await fill(app.user, form, { ...GOOD, 'Confirmer le mot de passe': 'secre' });
  expect(form.getByText('Les deux mots de passe doivent être identiques.')).toBeVisible();
  await app.user.click(add(form));
  expect(form.getByRole('alert')).toHaveTextContent('Coéquipier non créé');
  expect(form.getByLabelText('Confirmer le mot de passe')).toHaveFocus();
  expect(app.api.inputs(signUpUser)).toEqual([]);
});

test('a double click creates once', async () => {
  let answer: (value: unknown) => void = () => {};
  const { app, form } = await openAdd((api) =>
    api.on(
      signUpUser,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    ),
  );
  await fill(app.user, form, GOOD);
  await app.user.dblClick(add(form));
  await waitFor(() => expect(app.api.inputs(signUpUser)).toHaveLength(1));
  answer(created);
  expect(await screen.findByText('Coéquipier ajouté')).toBeVisible();
  expect(app.api.inputs(signUpUser)).toHaveLength(1);
});

test('without an answer nothing is lost, and a repeat that finds the login taken is explained', async () => {
  const { app, form } = await openAdd((api) => api.fail(signUpUser, new ApiError('timeout')));
  await fill(app.user, form, GOOD);
  await app.user.click(add(form));
  expect(await form.findByText(/on ne sait pas si l’envoi est arrivé/)).toBeVisible();
  expect(form.getByLabelText('Mot de passe')).toHaveValue('secret');
  app.api.fail(signUpUser, new ApiError('duplicate_login'));
  await app.user.click(add(form));
  expect(await form.findByText(/votre premier envoi, resté sans réponse, a sans doute abouti/)).toBeVisible();
  expect(form.getByText('Cet identifiant existe déjà.')).toBeVisible();
  expect(screen.queryByText('Coéquipier ajouté')).toBeNull();
});

test('a channel that is gone is unticked and told', async () => {
  const { app, form } = await openAdd((api) => api.fail(signUpUser, new ApiError('not_found', { what: 'channel' })));
  await fill(app.user, form, GOOD);
  await app.user.click(await form.findByRole('checkbox', { name: 'Choisir Sud' }));
  app.api.on(getAllChannels, (query) => pageOf([nord], query, ({ name }) => name));
  await app.user.click(add(form));
  expect(await form.findByText(/Un canal choisi a été supprimé entre-temps/)).toBeVisible();
  expect(form.getByText('0 choisi')).toBeVisible();
});

async function openEdit(user: User = lea, prepare: (api: ApiDouble) => void = () => {}) {
  const app = await renderApp({
    at: `/usersList?panel=${user.id}`,
    signedIn: {},
    prepare: (api) => {
      withChannels(api);
      api.on(getUserById, () => ({ success: true, res: user }));
      api.on(verifyPassword, ({ password }) => ({ success: true, result: password === 'mine' }));
      api.on(updateUserData, () => ({ success: true, result: 'ok' }));
      prepare(api);
    },
  });
  const question = await dialogNamed('Confirmez votre mot de passe');
  return { app, question };
}
async function passQuestion({ app, question }: { app: AppUnderTest; question: Form }) {
  await app.user.type(question.getByLabelText('Votre mot de passe'), 'mine{Enter}');
  const form = await dialogNamed(/^Modifier le profil/);
  await form.findByLabelText('Prénom');
  return form;
}
const save = (form: Form) => form.getByRole('button', { name: 'Enregistrer' });

test('a wrong password of one’s own opens nothing', async () => {
  const { app, question } = await openEdit();
  await app.user.type(question.getByLabelText('Votre mot de passe'), 'no{Enter}');
  expect(await question.findByText('Mot de passe incorrect')).toBeVisible();
  expect(screen.queryByRole('dialog', { name: /^Modifier le profil/ })).toBeNull();
});

test.each([
  [new ApiError('too_many', { retryAfterSeconds: 30 }), 'Trop de tentatives. Réessayez dans 30 secondes.'],
  [new ApiError('internal'), 'Une erreur est survenue !'],
])('a password that could not be checked is told', async (error, words) => {
  const { app, question } = await openEdit(lea, (api) => api.fail(verifyPassword, error));
  await app.user.type(question.getByLabelText('Votre mot de passe'), 'mine{Enter}');
  expect(await question.findByRole('alert')).toHaveTextContent(words);
});

test('an edit sends its version and what changes among the channels, the password only when there is one', async () => {
  const opened = await openEdit();
  const form = await passQuestion(opened);
  const { user } = opened.app;
  expect(form.getByLabelText('Identifiant (adresse e-mail)')).toHaveAttribute('readonly');
  expect(await form.findByRole('checkbox', { name: 'Choisir Nord' })).toBeChecked();
  await user.click(form.getByRole('checkbox', { name: 'Choisir Nord' }));
  await user.click(form.getByRole('checkbox', { name: 'Choisir Sud' }));
  await user.selectOptions(form.getByLabelText('Rôle'), 'admin');
  await user.click(save(form));
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
  expect(opened.app.api.inputs(updateUserData)).toEqual([
    {
      id: lea.id,
      firstName: 'Léa',
      lastName: 'Martin',
      pseudo: 'LÉA',
      phone_number: '',
      password: '',
      mapRight: false,
      role: 'admin',
      addChannels: [sud.id],
      removeChannels: [nord.id],
      version: 1,
    },
  ]);
});

const many = Array.from({ length: 30 }, (_, index) => channelOf(index + 1, `Canal ${index}`));
const withMany = (api: ApiDouble) => api.on(getAllChannels, (query) => pageOf(many, query, ({ name }) => name));
const picked = async (form: Form) => within(await form.findByRole('region', { name: 'Canaux' }));
const sizesOf = (picker: Form) =>
  within(picker.getByLabelText('Lignes par page'))
    .getAllByRole('option')
    .map(({ textContent }) => textContent);

test('a user’s channels are edited by their names, 5, 10 or 25 of them a page', async () => {
  const opened = await openEdit(lea, withMany);
  const picker = await picked(await passQuestion(opened));
  expect(await picker.findByRole('columnheader', { name: 'Nom du canal' })).toBeVisible();
  expect(sizesOf(picker)).toEqual(['5', '10', '25']);
  expect(picker.getAllByRole('row')).toHaveLength(1 + 5);
  await opened.app.user.selectOptions(picker.getByLabelText('Lignes par page'), '25');
  await waitFor(() => expect(picker.getAllByRole('row')).toHaveLength(1 + 25));
});

test('the channels of a new user are chosen 5, 10 or 20 a page', async () => {
  const { app, form } = await openAdd(withMany);
  const picker = await picked(form);
  await picker.findByRole('columnheader', { name: 'Nom du canal' });
  expect(sizesOf(picker)).toEqual(['5', '10', '20']);
  expect(picker.getAllByRole('row')).toHaveLength(1 + 5);
  await app.user.selectOptions(picker.getByLabelText('Lignes par page'), '20');
  await waitFor(() => expect(picker.getAllByRole('row')).toHaveLength(1 + 20));
});

test('a mismatch stops an edit, and the refusal of the last administrator is told at the role', async () => {
  const opened = await openEdit();
  const form = await passQuestion(opened);
  const { user } = opened.app;
  await user.type(form.getByLabelText('Nouveau mot de passe'), 'new');
  await user.click(save(form));
  expect(form.getByRole('alert')).toHaveTextContent('Coéquipier non modifié');
  expect(opened.app.api.inputs(updateUserData)).toEqual([]);
  await user.type(form.getByLabelText('Confirmer le mot de passe'), 'new');
  opened.app.api.fail(updateUserData, new ApiError('last_admin'));
  await user.click(save(form));
  expect(await form.findByText('Il faut garder au moins un administrateur.')).toBeVisible();
  expect(form.getByLabelText('Rôle')).toHaveFocus();
});

test('a conflict shows theirs against mine, and "mine" is sent with their version', async () => {
  let now = lea;
  const opened = await openEdit(lea, (api) => {
    api.on(getUserById, () => ({ success: true, res: now }));
    api.on(updateUserData, ({ version }) => {
      if (version !== now.version) throw new ApiError('conflict');
      return { success: true, result: 'ok' };
    });
  });
  const form = await passQuestion(opened);
  const { user } = opened.app;
  await user.clear(form.getByLabelText('Nom'));
  await user.type(form.getByLabelText('Nom'), 'Moreau');
  now = { ...lea, version: 2, lastName: 'Petit', phone_number: '01' };
  await user.click(save(form));
  const conflict = within(await form.findByRole('region', { name: /Quelqu’un d’autre/ }));
  expect(conflict.getByRole('radio', { name: /La vôtre Moreau/ })).not.toBeChecked();
  expect(form.getByLabelText('Téléphone (facultatif)')).toHaveValue('01');
  await user.click(conflict.getByRole('button', { name: 'Enregistrer ma version' }));
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
  expect(opened.app.api.inputs(updateUserData).at(-1)).toMatchObject({
    version: 2,
    lastName: 'Moreau',
    phone_number: '',
  });
});

test.each([
  ['somebody else', 2, 'Noé Petit a modifié ce profil entre-temps'],
  ['oneself, elsewhere', 1, 'Vous avez modifié ce profil ailleurs entre-temps'],
])('a conflict says who changed the account: %s', async (_, who, title) => {
  let now = lea;
  const opened = await openEdit(lea, (api) => {
    api.on(getUserById, () => ({ success: true, res: now }));
    api.fail(updateUserData, new ApiError('conflict'));
    const user = { id: who === 1 ? sessionUserOf().id : sampleId(who), firstName: 'Noé', display_name: 'Noé Petit' };
    api.on(getAllActivities, () => ({
      success: true,
      res: {
        activities: [activityOf(1, { user, type: 'user_update' })],
        totalRecords: 1,
        newer: 0,
        top: null,
        older: null,
      },
    }));
  });
  const form = await passQuestion(opened);
  const { user } = opened.app;
  await user.clear(form.getByLabelText('Nom'));
  await user.type(form.getByLabelText('Nom'), 'Moreau');
  now = { ...lea, version: 2, lastName: 'Petit' };
  await user.click(save(form));
  expect(await form.findByRole('region', { name: title })).toBeVisible();
  expect(opened.app.api.inputs(getAllActivities).at(-1)).toMatchObject({ targetId: lea.id, limit: 1 });
});

test('a conflict about nothing that the form holds is no question', async () => {
  let now = lea;
  const opened = await openEdit(lea, (api) => {
    api.on(getUserById, () => ({ success: true, res: now }));
    api.on(updateUserData, ({ version }) => {
      if (version !== now.version) throw new ApiError('conflict');
      return { success: true, result: 'ok' };
    });
  });
  const form = await passQuestion(opened);
  await opened.app.user.type(form.getByLabelText('Pseudo'), 'x');
  now = { ...lea, version: 5 };
  await opened.app.user.click(save(form));
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
});

test('whoever edits from a row finds the focus there again, having saved or not, and is told the new name', async () => {
  const { app, question } = await openEdit(lea, (api) =>
    api.on(getAllUsers, (query) => ({ ...pageOf([lea], query, fullName), connected: 0 })),
  );
  await app.user.click(question.getByRole('button', { name: 'Annuler' }));
  // It was opened by its address, so no row is where it began. Until it is gone, the next one can't begin.
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  const row = await screen.findByRole('button', { name: 'Modifier Léa Martin' });
  const reopen = async () => {
    await app.user.click(row);
    return { app, question: await dialogNamed('Confirmez votre mot de passe') };
  };
  const untouched = await passQuestion(await reopen());
  await app.user.click(untouched.getByRole('button', { name: 'Annuler' }));
  await waitFor(() => expect(row).toHaveFocus());
  const form = await passQuestion(await reopen());
  await app.user.type(form.getByLabelText('Nom'), '-Petit');
  await app.user.click(save(form));
  expect(await screen.findByText('Léa Martin-Petit')).toBeVisible();
  await waitFor(() => expect(row).toHaveFocus());
});

test('nobody is asked for a password for an account that is gone', async () => {
  const app = await renderApp({
    at: `/usersList?panel=${lea.id}`,
    signedIn: {},
    prepare: (api) => api.fail(getUserById, new ApiError('not_found', { what: 'user' })),
  });
  expect(await screen.findByText('Ce coéquipier a été supprimé')).toBeVisible();
  expect(screen.queryByLabelText('Votre mot de passe')).toBeNull();
  const tries = app.api.inputs(getUserById).length;
  expect(tries).toBeLessThanOrEqual(2);
  const dialog = await dialogNamed(/^Modifier le profil/);
  await app.user.click(dialog.getAllByRole('button', { name: 'Fermer' }).at(-1) as HTMLElement);
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
});

test('a user deleted meanwhile is told', async () => {
  const opened = await openEdit();
  const form = await passQuestion(opened);
  opened.app.api.fail(getUserById, new ApiError('not_found', { what: 'user' }));
  opened.app.api.fail(updateUserData, new ApiError('not_found', { what: 'user' }));
  await opened.app.user.type(form.getByLabelText('Pseudo'), 'x');
  await opened.app.user.click(save(form));
  expect(await screen.findByText('Ce coéquipier a été supprimé')).toBeVisible();
});
