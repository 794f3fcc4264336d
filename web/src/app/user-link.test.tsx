import { notifications } from '@mantine/notifications';
import { getAllChannels } from '@pressel/contract/channels';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { sessionUserOf } from '#test/samples.ts';

/** Counts sockets and what became of them. A joined room waits for its answer. */
function countSockets() {
  const seen = { opened: 0, closed: 0, sent: [] as string[] };
  const double = createRealtimeDouble();
  let isBroken = false;
  const open = () => {
    seen.opened += 1;
    return {
      ...double,
      getSnapshot() {
        if (isBroken) throw new Error('broken');
        return double.getSnapshot();
      },
      send: (async (event: string) => {
        seen.sent.push(event);
        if (event === 'join_room') await new Promise(() => undefined);
        return { ok: false, code: 'unavailable', params: {} };
      }) as never,
      close() {
        seen.closed += 1;
      },
    };
  };
  return {
    seen,
    open,
    /** Makes the shell's reader of the link's state throw. */
    broken(next: boolean) {
      isBroken = next;
      double.setLink('up');
    },
    rooms: () => seen.sent.filter((event) => /^(?:join|leave)_room$/u.test(event)),
  };
}

const ROUTE_PATIENCE = { timeout: 20_000 };

async function enter(options: Partial<Parameters<typeof renderApp>[0]> = {}) {
  const sockets = countSockets();
  const app = await renderApp({
    at: '/groupCallView/Nord',
    signedIn: { role: 'member' },
    ...options,
    services: { openRealtime: sockets.open, ...options.services },
  });
  await app.findByRole('main', { name: /Nord/u }, ROUTE_PATIENCE);
  await waitFor(() => expect(sockets.rooms()).toEqual(['join_room']));
  return { ...app, ...sockets };
}

test('[TALK114] mounted twice, as React does it in development, there is one socket and one room, joined and not left', async () => {
  const { seen, rooms } = await enter({ isStrict: true });
  expect(seen).toMatchObject({ opened: 1, closed: 0 });
  expect(rooms()).toEqual(['join_room']);
});

test('[TALK114] a page that goes takes neither socket nor room along', async () => {
  const { seen, rooms, router, unmount } = await enter();
  await act(() => router.navigate({ to: '/channelsList' }));
  expect(await screen.findByRole('region', { name: /Vous êtes dans le canal/u })).toBeVisible();
  unmount();
  expect(seen).toMatchObject({ opened: 1, closed: 0 });
  expect(rooms()).toEqual(['join_room']);
});

test('[TALK114] who signs out has left the room, and the socket is closed', async () => {
  const { seen, rooms, session } = await enter();
  act(() => session.end('chosen'));
  expect(seen).toMatchObject({ opened: 1, closed: 1 });
  expect(rooms()).toEqual(['join_room', 'leave_room']);
});

test('[TALK114] another account has a socket of its own, and is in no room of the one before', async () => {
  const { seen, session, router, api } = await enter();
  await act(() => router.navigate({ to: '/channelsList' }));
  await waitFor(() => expect(api.inputs(getAllChannels).length).toBeGreaterThan(0));
  const before = api.inputs(getAllChannels).length;
  act(() => session.open(sessionUserOf({ id: '00000000-0000-7000-8000-0000000000ff' as never }), 'another', false));
  await waitFor(() => expect(seen).toMatchObject({ opened: 2, closed: 1 }));
  await waitFor(() =>
    expect(api.inputs(getAllChannels).length, 'nothing kept of the one before').toBeGreaterThan(before),
  );
  expect(screen.queryByRole('region', { name: /Vous êtes dans le canal/u })).toBeNull();
});

test('[AUTH17] what the user before was told is not told to the next one', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {} });
  await screen.findByRole('heading', { name: 'Canaux' });
  act(() => void notifications.show({ message: 'Léa Martin supprimée', autoClose: false }));
  expect(await screen.findByText('Léa Martin supprimée')).toBeVisible();
  act(() => app.session.end('chosen'));
  await screen.findByRole('heading', { name: 'Connexion' });
  act(() => app.session.open(sessionUserOf({ id: '00000000-0000-7000-8000-0000000000ff' as never }), 'another', false));
  await act(() => app.router.navigate({ to: '/channelsList' }));
  await screen.findByRole('heading', { name: 'Canaux' });
  expect(screen.queryByText('Léa Martin supprimée')).toBeNull();
});

test('[APP11] a console that throws leaves nobody out of the room: its bar stands below what is said', async () => {
  // React logs what was thrown.
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const { seen, rooms, router, broken } = await enter();
  act(() => broken(true));
  expect(await screen.findByText('Cette page a rencontré une erreur')).toBeVisible();
  expect(await screen.findByRole('region', { name: /Vous êtes dans le canal/u })).toBeVisible();
  expect(document.querySelector('[data-talk-button]')).toBeVisible();
  expect(seen).toMatchObject({ opened: 1, closed: 0 });
  expect(rooms()).toEqual(['join_room']);

  broken(false);
  await act(() => router.navigate({ to: '/channelsList' }));
  expect(await screen.findByRole('link', { name: 'Aller au contenu' })).toBeInTheDocument();
  expect(screen.queryByText('Cette page a rencontré une erreur')).toBeNull();
  expect(rooms()).toEqual(['join_room']);
  said.mockClear();
});
