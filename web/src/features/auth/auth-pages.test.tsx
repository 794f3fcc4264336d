import { getServerInfo, logIn, signUpUser } from '@pressel/contract/auth';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type ApiDouble, serverInfoOf, unreachable } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { sessionUserOf } from '#test/samples.ts';

const login = () => screen.findByLabelText('Identifiant (adresse e-mail)');
const password = () => screen.getByLabelText('Mot de passe');
const serverInfo = serverInfoOf();
const welcome = () => ({
  success: true as const,
  result: 'ok',
  user: { ...sessionUserOf(), authToken: 'fresh-token' },
});

test('sign-in opens the channels, and remembers only when asked', async () => {
  const app = await renderApp({ at: '/signin', prepare: (api) => api.on(logIn, welcome) });
  await app.user.type(await login(), ' camille@example.org ');
  await app.user.type(password(), 'secret{Enter}');
  expect(await screen.findByRole('heading', { name: 'Canaux' })).toBeVisible();
  expect(app.api.inputs(logIn)).toEqual([
    { user_email: 'camille@example.org', user_password: 'secret', remember: false },
  ]);
  expect(window.sessionStorage.getItem('TOKEN_KEY')).toBe('fresh-token');
  expect(window.localStorage.getItem('TOKEN_KEY')).toBeNull();
  const { id, identifier: email, firstName, lastName, display_name } = sessionUserOf();
  expect(window.localStorage).toMatchObject({ id, email, firstName, lastName, display_name });
});

test('with "Remember me" the token outlives the tab, and the place asked for opens', async () => {
  const app = await renderApp({ at: '/signin?next=%2Fdashboard', prepare: (api) => api.on(logIn, welcome) });
  await app.user.type(await login(), 'camille@example.org');
  await app.user.type(password(), 'secret');
  await app.user.click(screen.getByLabelText('Rester connecté sur cet appareil'));
  await app.user.click(screen.getByRole('button', { name: 'Se connecter' }));
  expect(await screen.findByRole('heading', { name: 'Bonjour Camille' })).toBeVisible();
  expect(window.localStorage.getItem('TOKEN_KEY')).toBe('fresh-token');
});

test('never leaves for another site after sign-in', async () => {
  const app = await renderApp({ at: '/signin?next=%2F%2Fevil.example', prepare: (api) => api.on(logIn, welcome) });
  await app.user.type(await login(), 'camille@example.org');
  await app.user.type(password(), 'secret{Enter}');
  await waitFor(() => expect(app.router.state.location.pathname).toBe('/channelsList'));
});

test.each([
  ['', 'Ce champ est obligatoire.'],
  ['a', 'Identifiant trop court : 2 caractères au moins.'],
  ['camille', 'Adresse e-mail invalide.'],
  [`${'a'.repeat(40)}@example.org`, 'Identifiant trop long : 50 caractères au plus.'],
])('the login "%s" is refused under its field, without a call', async (text, words) => {
  const app = await renderApp({ at: '/signin' });
  await app.user.click(await login());
  if (text !== '') await app.user.keyboard(text);
  await app.user.type(password(), 'x');
  await app.user.click(screen.getByRole('button', { name: 'Se connecter' }));
  expect(await screen.findByText(words)).toBeVisible();
  expect(await login()).toHaveFocus();
  expect(app.api.inputs(logIn)).toEqual([]);
});

test.each([
  [new ApiError('bad_credentials'), 'Identifiant ou mot de passe incorrect.'],
  [new ApiError('too_many', { retryAfterSeconds: 30 }), 'Trop de tentatives. Réessayez dans 30 secondes.'],
  [unreachable(), 'Le serveur est injoignable. Vérifiez votre réseau.'],
])('a refusal says why and keeps what was typed', async (error, words) => {
  const app = await renderApp({ at: '/signin', prepare: (api) => api.fail(logIn, error) });
  await app.user.type(await login(), 'camille@example.org');
  await app.user.type(password(), 'secret{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent(words);
  expect(await login()).toHaveValue('camille@example.org');
  expect(password()).toHaveValue('secret');
});

test('a password that is missing or refused has the focus afterwards', async () => {
  const refusal = new ApiError('bad_credentials');
  const app = await renderApp({ at: '/signin', prepare: (api) => api.fail(logIn, refusal) });
  await app.user.type(await login(), 'camille@example.org');
  const submit = screen.getByRole('button', { name: 'Se connecter' });
  await app.user.click(submit);
  expect(password()).toHaveFocus();
  await app.user.type(password(), 'secret');
  await app.user.click(submit);
  expect(await screen.findByRole('alert')).toBeVisible();
  await waitFor(() => expect(password()).toHaveFocus());
});

test('shows the version and mode, and speaks the language chosen at once', async () => {
  const app = await renderApp({ at: '/signin' });
  expect(await screen.findByText('Version 2.0.2, mode production')).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'English' }));
  expect(await screen.findByText('Version 2.0.2, production mode')).toBeVisible();
  expect(window.localStorage.getItem('language')).toBe('"en"');
});

/** A server on which the next sign-up is the first one. */
const emptyServer = (api: ApiDouble) => {
  api.on(getServerInfo, () => ({ ...serverInfo, isFirstUser: true }));
  api.on(signUpUser, asAdmin);
};

test.each(['/', '/signin'])('[AUTH22] %s of an empty server is the sign-up, and says what Pressel is', async (at) => {
  const app = await renderApp({ at, prepare: emptyServer });
  // Comes with the server's answer, which the page requests after rendering.
  expect(await screen.findByText(/talkie-walkie de votre équipe/)).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Inscription' })).toBeVisible();
  expect(screen.getByText(/vous serez administrateur/)).toBeVisible();
  expect(app.router.state.location.pathname).toBe('/signup');
  // Nobody has an account yet.
  expect(screen.queryByRole('link', { name: 'Se connecter' })).toBeNull();
});

test('[AUTH22] who signed up is signed in; the first account begins at the dashboard', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare(api) {
      emptyServer(api);
      api.on(logIn, welcome);
    },
  });
  await fillAccount(app);
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findByRole('heading', { name: 'Bonjour Camille' })).toBeVisible();
  expect(app.api.inputs(signUpUser)).toEqual([
    { firstName: 'Camille', lastName: 'Durand', email: 'camille@example.org', password: 'secret', phone_number: '' },
  ]);
  expect(app.api.inputs(logIn)).toEqual([
    { user_email: 'camille@example.org', user_password: 'secret', remember: false },
  ]);
  expect(window.sessionStorage.getItem('TOKEN_KEY')).toBe('fresh-token');
  expect(window.localStorage.getItem('TOKEN_KEY')).toBeNull();
});

test('[AUTH22] a later account begins at its channels', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare(api) {
      api.on(signUpUser, () => ({ ...asAdmin(), user: { id: sessionUserOf().id, role: 'member' as const } }));
      api.on(logIn, welcome);
    },
  });
  await fillAccount(app);
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  await waitFor(() => expect(app.router.state.location.pathname).toBe('/channelsList'));
});

test('[AUTH22] an account that is made but not signed in has its login already: only the password is asked for', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare(api) {
      api.on(signUpUser, asAdmin);
      api.fail(logIn, unreachable());
    },
  });
  await fillAccount(app);
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findByText(/Inscription réussie/)).toBeVisible();
  expect(await login()).toHaveValue('camille@example.org');
  expect(password()).toHaveFocus();
});

const fillAccount = async ({ user }: Awaited<ReturnType<typeof renderApp>>) => {
  await user.type(await screen.findByLabelText('Prénom'), 'Camille');
  await user.type(screen.getByLabelText('Nom'), 'Durand');
  await user.type(await login(), 'camille@example.org');
  await user.type(password(), 'secret');
};
const first = { ...serverInfo, isFirstUser: true, needsSetupCode: true };

test('[AUTH22] the code of an empty server is the first field, and has the focus before anything is typed', async () => {
  await renderApp({ at: '/signup', prepare: (api) => api.on(getServerInfo, () => first) });
  await waitFor(() => expect(screen.getByLabelText('Code d’installation')).toHaveFocus());
});

test('[AUTH22] what is typed before the server has asked for its code keeps the focus', async () => {
  const told = Promise.withResolvers<typeof first>();
  const app = await renderApp({ at: '/signup', prepare: (api) => api.on(getServerInfo, () => told.promise) });
  await app.user.type(await screen.findByLabelText('Prénom'), 'Zo');
  told.resolve(first);
  expect(await screen.findByLabelText('Code d’installation')).not.toHaveFocus();
  expect(screen.getByLabelText('Prénom')).toHaveFocus();
});
const asAdmin = () => ({
  success: true as const,
  result: 'ok',
  user: { id: sessionUserOf().id, role: 'admin' as const },
});

test('AUTH10: the first account is asked for the setup code, and a wrong one is told at its field', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare: (api) => {
      api.on(getServerInfo, () => first);
      api.fail(signUpUser, new ApiError('wrong_setup_code'));
    },
  });
  await fillAccount(app);
  const submit = screen.getByRole('button', { name: 'S’inscrire' });
  await app.user.click(submit);
  const code = screen.getByLabelText('Code d’installation');
  expect(code).toHaveFocus();
  expect(app.api.inputs(signUpUser)).toEqual([]);
  await app.user.type(code, 'WRONG-CODE');
  await app.user.click(submit);
  expect(await screen.findByText(/Code d’installation incorrect/)).toBeVisible();
  expect(code).toHaveFocus();
  expect(password()).toHaveValue('secret');
  app.api.on(signUpUser, asAdmin);
  app.api.on(logIn, welcome);
  await app.user.clear(code);
  await app.user.type(code, 'PRKD-7M2X-QW9H{Enter}');
  expect(await screen.findByRole('heading', { name: 'Bonjour Camille' })).toBeVisible();
  expect(app.api.inputs(signUpUser).at(-1)).toMatchObject({
    email: 'camille@example.org',
    setupCode: 'PRKD-7M2X-QW9H',
  });
});

test('AUTH10: a server that asks for the code only now is understood', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare: (api) => api.fail(signUpUser, new ApiError('wrong_setup_code')),
  });
  await fillAccount(app);
  expect(screen.queryByLabelText('Code d’installation')).toBeNull();
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findByLabelText('Code d’installation')).toHaveFocus();
});

test('a login that exists is told under its field, and nothing typed is lost', async () => {
  const app = await renderApp({
    at: '/signup',
    prepare: (api) => api.fail(signUpUser, new ApiError('duplicate_login')),
  });
  await app.user.type(await screen.findByLabelText('Prénom'), 'Camille');
  await app.user.type(screen.getByLabelText('Nom'), 'Durand');
  await app.user.type(await login(), 'camille@example.org');
  await app.user.type(password(), 'secret{Enter}');
  expect(await screen.findByText('Cet identifiant existe déjà.')).toBeVisible();
  expect(await login()).toHaveFocus();
  expect(screen.getByLabelText('Prénom')).toHaveValue('Camille');
  expect(password()).toHaveValue('secret');
});

test('a name of white space only is no name', async () => {
  const app = await renderApp({ at: '/signup' });
  await app.user.type(await screen.findByLabelText('Prénom'), '   ');
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findAllByText('Ce champ est obligatoire.')).toHaveLength(4);
  expect(app.api.inputs(signUpUser)).toEqual([]);
});

test('a closed server offers no registration', async () => {
  const app = await renderApp({
    at: '/signin',
    prepare: (api) => api.on(getServerInfo, () => ({ ...serverInfo, signup: 'closed' })),
  });
  await screen.findByText('Version 2.0.2, mode production');
  expect(screen.queryByRole('link', { name: 'S’inscrire' })).toBeNull();
  await app.router.navigate({ to: '/signup' });
  expect(await screen.findByText('Les inscriptions sont fermées')).toBeVisible();
});

test('the registration asks for names, login, password and phone, and stands over the line of copyright', async () => {
  await renderApp({ at: '/signup', prepare: (api) => api.on(getServerInfo, () => serverInfo) });
  await login();
  for (const label of ['Prénom', 'Nom', 'Mot de passe', 'Téléphone (facultatif)'])
    expect(screen.getByLabelText(label), label).toBeVisible();
  expect(screen.getByText(`© ${new Date().getFullYear()} Pressel. Logiciel libre, licence MIT.`)).toBeVisible();
});

test('a password is shown and hidden again by its button', async () => {
  const app = await renderApp({ at: '/signin' });
  await login();
  expect(password()).toHaveAttribute('type', 'password');
  await app.user.click(screen.getByRole('button', { name: 'Afficher\u00a0: Mot de passe' }));
  expect(password()).toHaveAttribute('type', 'text');
  await app.user.click(screen.getByRole('button', { name: 'Masquer\u00a0: Mot de passe' }));
  expect(password()).toHaveAttribute('type', 'password');
});

test.each(['/signin', '/signup'])('[APP10] %s says that the server is away, until it answers', async (at) => {
  const app = await renderApp({ at, prepare: (api) => api.fail(getServerInfo, unreachable()) });
  await app.user.type(await login(), 'camille@example.org');
  expect(await screen.findByText('Serveur injoignable.')).toBeVisible();
  app.api.on(getServerInfo, () => serverInfo);
  await waitFor(() => expect(screen.queryByText('Serveur injoignable.')).toBeNull());
  expect(await login()).toHaveValue('camille@example.org');
});

test('[TLS6] where the browser warned of the certificate, the page says why, once', async () => {
  const prepare = (api: ApiDouble) => api.on(getServerInfo, () => ({ ...serverInfo, isSelfSigned: true }));
  const app = await renderApp({ at: '/signin', prepare });
  expect(await screen.findByRole('region', { name: 'Votre navigateur a affiché un avertissement' })).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'Compris' }));
  expect(screen.queryByRole('region')).toBeNull();
  app.unmount();
  await renderApp({ at: '/signup', prepare });
  expect(await screen.findByText(/Version 2\.0\.2/u)).toBeVisible();
  expect(screen.queryByRole('region')).toBeNull();
});

test('[TLS6] a certificate that browsers trust is not talked about', async () => {
  await renderApp({ at: '/signin', prepare: (api) => api.on(getServerInfo, () => serverInfo) });
  expect(await screen.findByText(/Version 2\.0\.2/u)).toBeVisible();
  expect(screen.queryByRole('region')).toBeNull();
});
