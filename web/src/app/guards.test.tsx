import { isValidToken, logOut } from '@pressel/contract/auth';
import { getUnreadCounts } from '@pressel/contract/chat';
import { act, screen, waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { outlivesSessions } from '#src/shared/storage.ts';
import { nextTask } from '#src/shared/when-idle.ts';
import { unreachable } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { sessionUserOf } from '#test/samples.ts';
import { createEntrance } from './guards.ts';

const pathOf = ({ router }: AppUnderTest) => router.state.location.pathname;
const settled = (app: AppUnderTest, path: string) => waitFor(() => expect(pathOf(app)).toBe(path));

describe('without a session', () => {
  test.each(['/dashboard', '/usersList', '/channelsList', '/activities', '/groupCallView/Nord'])(
    '%s leads to sign-in, which knows the way back',
    async (at) => {
      const app = await renderApp({ at });
      await screen.findByRole('heading', { name: 'Connexion' });
      expect(pathOf(app)).toBe('/signin');
      expect(app.router.state.location.search).toEqual({ next: at });
    },
  );

  test('/ leads to sign-in', async () => {
    await settled(await renderApp({ at: '/' }), '/signin');
  });

  test('/signup is the registration', async () => {
    await renderApp({ at: '/signup' });
    expect(await screen.findByRole('heading', { level: 1, name: 'Inscription' })).toBeVisible();
  });

  test('/Signin is the sign-in page too', async () => {
    await renderApp({ at: '/Signin' });
    expect(await screen.findByRole('heading', { name: 'Connexion' })).toBeVisible();
  });

  test.each(['/join/Nord', '/mobileCallView/Nord'])('%s says how to get in', async (at) => {
    const app = await renderApp({ at });
    expect(await screen.findByRole('heading', { name: 'Pour entrer dans ce canal' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Se connecter' })).toBeVisible();
    expect(pathOf(app)).toBe(at);
  });

  test.each(['/notFound', '/nowhere', '/dashboard/x'])('%s is the 404 page', async (at) => {
    await renderApp({ at });
    expect(await screen.findByText('La page que vous cherchez n’existe pas.')).toBeVisible();
    expect(screen.queryByRole('navigation')).toBeNull();
  });

  test('both storages are emptied, the language stays', async () => {
    window.localStorage.setItem('roomId', 'Nord');
    window.sessionStorage.setItem('left', 'over');
    await renderApp({ at: '/signin', language: 'de' });
    expect(await screen.findByRole('heading', { name: 'Anmeldung' })).toBeVisible();
    expect(window.localStorage).toHaveLength(1);
    expect(window.sessionStorage).toHaveLength(0);
    expect(document.documentElement.lang).toBe('de');
  });
});

describe.each(['admin', 'member'] as const)('every address as %s', (role) => {
  const forAdmins = (title: string) => (role === 'admin' ? title : 'Cette page est réservée aux administrateurs');
  test.each([
    ['/', '/dashboard', 'Bonjour Camille'],
    ['/signin', '/dashboard', 'Bonjour Camille'],
    ['/Signin', '/dashboard', 'Bonjour Camille'],
    ['/signup', '/dashboard', 'Bonjour Camille'],
    ['/dashboard', '/dashboard', 'Bonjour Camille'],
    ['/usersList', '/usersList', forAdmins('Coéquipiers')],
    ['/usersList/import', '/usersList/import', forAdmins('Importer des coéquipiers')],
    ['/channelsList', '/channelsList', 'Canaux'],
    ['/channelsList/import', '/channelsList/import', forAdmins('Importer des canaux')],
    ['/activities', '/activities', forAdmins('Journal d’activité')],
    ['/profile', '/profile', 'Mon profil'],
    ['/userCallView/', '/userCallView/', 'Ce lien d’appel a déjà été ouvert'],
    ['/notFound', '/notFound', 'La page que vous cherchez n’existe pas.'],
    ['/nowhere', '/nowhere', 'La page que vous cherchez n’existe pas.'],
  ])('%s leads to %s', async (at, path, title) => {
    const app = await renderApp({ at, signedIn: { role } });
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
    expect(pathOf(app)).toBe(path);
  });

  test('what opens from the list of channels is for administrators', async () => {
    const app = await renderApp({ at: '/channelsList', signedIn: { role } });
    await screen.findByRole('heading', { name: 'Canaux' });
    expect(screen.queryAllByRole('button', { name: 'Créer un canal' }).length > 0).toBe(role === 'admin');
    await app.router.navigate({ to: '/channelsList', search: { panel: 'create' } });
    await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: 'create' }));
    if (role === 'admin') expect(await screen.findByRole('dialog')).toBeVisible();
    else expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('the page that is not there leads home', async () => {
    const app = await renderApp({ at: '/nowhere', signedIn: { role } });
    expect(await screen.findByRole('button', { name: 'Compte de Camille Durand' }), 'inside the frame').toBeVisible();
    await app.user.click(await screen.findByRole('link', { name: 'Ouvrir la console' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Bonjour Camille' })).toBeVisible();
  });
});

describe('with a session', () => {
  test('a member finds a clear page where the administration is', async () => {
    await renderApp({ at: '/usersList', signedIn: { role: 'member' } });
    expect(await screen.findByRole('heading', { name: /réservée aux administrateurs/ })).toBeVisible();
    expect(screen.queryByRole('link', { name: 'Coéquipiers' })).toBeNull();
  });

  test('a token that the server no longer knows is forgotten', async () => {
    const app = await renderApp({
      at: '/channelsList',
      signedIn: {},
      prepare: (api) => api.on(isValidToken, () => ({ success: false })),
    });
    expect(await screen.findByText(/Votre session a pris fin/)).toBeVisible();
    expect(app.storage.readToken()).toBeUndefined();
  });

  test('a server that can not be reached signs nobody out, and the page opens when it answers', async () => {
    const app = await renderApp({
      at: '/channelsList',
      signedIn: {},
      prepare: (api) => api.fail(isValidToken, unreachable()),
    });
    expect(await screen.findByRole('heading', { name: 'Serveur injoignable' })).toBeVisible();
    expect(app.storage.readToken()).toBeDefined();
    app.api.signIn(app.storage, sessionUserOf());
    await app.user.click(screen.getByRole('button', { name: 'Réessayer' }));
    expect(await screen.findByRole('heading', { name: 'Canaux' })).toBeVisible();
  });

  test('[APP10] the page opens by itself once there is a network', async () => {
    const app = await renderApp({
      at: '/channelsList',
      signedIn: {},
      prepare: (api) => api.fail(isValidToken, unreachable()),
    });
    await screen.findByRole('heading', { name: 'Serveur injoignable' });
    app.api.signIn(app.storage, sessionUserOf());
    act(() => void window.dispatchEvent(new Event('online')));
    expect(await screen.findByRole('heading', { name: 'Canaux' })).toBeVisible();
  });

  test('a slow check of the session shows that something is on its way', async () => {
    await renderApp({
      at: '/channelsList',
      signedIn: {},
      prepare: (api) => api.on(isValidToken, () => new Promise(() => {})),
    });
    expect(await screen.findByRole('status', { name: 'Chargement…' })).toBeVisible();
  });

  test('a session that ends while a page is open leads to sign-in once, with the way back', async () => {
    const app = await renderApp({ at: '/channelsList?q=nord', signedIn: {} });
    await screen.findByRole('heading', { name: 'Canaux' });
    act(() => app.session.end('expired'));
    expect(await screen.findByText(/Votre session a pris fin/)).toBeVisible();
    expect(app.router.state.location.search).toEqual({ next: '/channelsList?q=nord' });
  });

  test('logging out asks first, then forgets all of the session', async () => {
    const app = await renderApp({ at: '/channelsList', signedIn: {} });
    await app.user.click(await screen.findByRole('button', { name: 'Compte de Camille Durand' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'Se déconnecter' }));
    app.api.fail(logOut, unreachable());
    const sure = await screen.findByRole('button', { name: 'Oui, me déconnecter' });
    expect(app.api.inputs(logOut)).toEqual([]);
    for (const key of ['roomId', 'channelId', 'channelName', 'data']) window.localStorage.setItem(key, 'left');
    expect(window.localStorage.getItem('email')).not.toBeNull();
    await app.user.click(sure);
    await screen.findByRole('heading', { name: 'Connexion' });
    expect(app.router.state.location.search).toEqual({});
    expect(app.api.inputs(logOut)).toHaveLength(1);
    const kept = Object.keys(window.localStorage).filter((key) => !outlivesSessions(key));
    expect([...kept, ...Object.keys(window.sessionStorage)]).toEqual([]);
  });

  test('[AUTH23] logging out waits for no server, breaks off the reads under way, and begins none', async () => {
    const app = await renderApp({ at: '/channelsList', signedIn: {} });
    const reads: AbortSignal[] = [];
    const { call } = app.api;
    app.api.call = (made, input, options) => {
      if (made.path === getUnreadCounts.path && options?.signal) reads.push(options.signal);
      return call(made, input, options);
    };
    for (const slow of [getUnreadCounts, logOut]) app.api.on(slow, () => new Promise(() => {}));
    await app.user.click(await screen.findByRole('button', { name: 'Compte de Camille Durand' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'Se déconnecter' }));
    act(() => app.realtime.tell('ready', {}));
    await waitFor(() => expect(reads.map(({ aborted }) => aborted)).toEqual([false]));
    await app.user.click(await screen.findByRole('button', { name: 'Oui, me déconnecter' }));
    await screen.findByRole('heading', { name: 'Connexion' });
    expect(app.api.inputs(logOut)).toHaveLength(1);
    act(() => app.realtime.tell('ready', {}));
    expect(reads.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test.each([
    ['admin', 1],
    ['member', 0],
  ] as const)('the menu of an account leads %ss to the reference of the API: %i', async (role, count) => {
    const app = await renderApp({ at: '/channelsList', signedIn: { role } });
    await app.user.click(await screen.findByRole('button', { name: 'Compte de Camille Durand' }));
    await screen.findByRole('menuitem', { name: 'Se déconnecter' });
    const links = screen.queryAllByRole('menuitem', { name: 'Référence de l’API' });
    expect(links.map((link) => link.getAttribute('href'))).toEqual(Array(count).fill('/docs'));
  });

  test('a lost link is told, and nothing more once it is back', async () => {
    const app = await renderApp({ at: '/channelsList', signedIn: {} });
    await screen.findByRole('heading', { name: 'Canaux' });
    act(() => app.realtime.setLink('down'));
    expect(await screen.findByText('Liaison perdue.')).toBeVisible();
    act(() => app.realtime.setLink('up'));
    await waitFor(() => expect(screen.queryByText('Liaison perdue.')).toBeNull());
  });
});

test('[TALK156] the code that enters a room is loaded once, and enters in the very moment in which it is asked to', async () => {
  const enterAhead = vi.fn(() => Promise.resolve());
  const load = vi.fn(async () => ({ openLink: () => undefined, openVoice: () => () => undefined, enterAhead }));
  const services = {} as never;
  const { foresee, enter } = createEntrance(load, services);
  const { signal } = new AbortController();
  expect(enter('Nord', signal), 'a page doesn’t wait for code').toBeUndefined();
  await vi.waitFor(() => expect(enterAhead).toHaveBeenCalledWith('Nord', services, signal));
  foresee();
  expect(enter('Sud', signal)).toBeInstanceOf(Promise);
  expect(enterAhead).toHaveBeenCalledWith('Sud', services, signal);
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
});

test('[TALK156] code that could not be loaded is asked for again', async () => {
  const enterAhead = vi.fn();
  const load = vi.fn(async () => ({ openLink: () => undefined, openVoice: () => () => undefined, enterAhead }));
  load.mockRejectedValueOnce(new Error('offline'));
  const { foresee, enter } = createEntrance(load, {} as never);
  foresee();
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  void enter('Nord', new AbortController().signal);
  await vi.waitFor(() => expect(enterAhead).toHaveBeenCalledTimes(1));
});

test('[TALK156] link and voice of the first room are opened in tasks before the one that enters', async () => {
  const done: string[] = [];
  const say = (what: string) => {
    done.push(what);
    void nextTask().then(() => done.push('another task'));
  };
  const code = {
    openLink: () => say('link'),
    openVoice() {
      say('voice');
      return () => void done.push('voice is let go');
    },
    enterAhead() {
      done.push('room');
      return Promise.resolve();
    },
  };
  const { enter } = createEntrance(async () => code, {} as never);
  void enter('Nord', new AbortController().signal);
  await vi.waitFor(() => expect(done).toContain('room'));
  expect(done).toEqual(['link', 'another task', 'voice', 'another task', 'room', 'voice is let go']);
});
