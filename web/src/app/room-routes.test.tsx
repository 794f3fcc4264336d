import { act, screen } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { type RenderAppOptions, renderApp } from '#test/render-app.tsx';
import { stubLayout } from '#test/stub-layout.ts';

/** The room's code is loaded first. */
const ROUTE_PATIENCE = { timeout: 10_000 };

/** Stubs a browser that can keep its screen on. Records what it was asked for and how many locks are held. */
function stubWakeLock() {
  const screen = { asked: [] as unknown[], held: 0 };
  Object.defineProperty(navigator, 'wakeLock', {
    configurable: true,
    value: {
      request: async (kind: unknown) => {
        screen.asked.push(kind);
        screen.held += 1;
        return {
          release: async () => {
            screen.held -= 1;
          },
        };
      },
    },
  });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'wakeLock'));
  return screen;
}

test.each(['/mobileCallView/Nord', '/join/Nord'])('[ROOM11] %s keeps the screen on while it is shown', async (at) => {
  const screen = stubWakeLock();
  const app = await renderApp({ at, signedIn: { role: 'member' } });
  await expect.poll(() => screen, ROUTE_PATIENCE).toEqual({ asked: ['screen'], held: 1 });
  app.unmount();
  await expect.poll(() => screen.held).toBe(0);
});

test('[ROOM11] the room within the console leaves the screen to the device', async () => {
  const screen = stubWakeLock();
  const app = await renderApp({ at: '/groupCallView/Nord', signedIn: { role: 'member' } });
  expect(await app.findByRole('main', { name: /Nord/u }, ROUTE_PATIENCE)).toBeInTheDocument();
  expect(screen.asked).toEqual([]);
});

test.each(['/groupCallView/Nord', '/mobileCallView/Nord'])(
  '[ROOM6] %s has in its address which panel is shown, and how the members are filtered and sorted',
  async (at) => {
    stubLayout();
    const app = await renderApp({ at: `${at}?panel=members&q=zo%C3%A9&desc=true`, signedIn: { role: 'member' } });
    const filter = await app.findByRole('textbox', { name: 'Filtrer les membres' }, ROUTE_PATIENCE);
    expect(filter).toHaveValue('zoé');
    await app.user.type(filter, 'x');
    await app.user.click(app.getByRole('button', { name: 'Nom, de Z à A' }));
    await expect.poll(() => app.router.state.location.search).toEqual({ panel: 'members', q: 'zoéx' });
    await app.user.clear(filter);
    await expect.poll(() => app.router.state.location.search).toEqual({ panel: 'members' });
  },
);

/**
 * Renders an app whose rooms have no words yet, so that their pages can't be shown. Records which rooms were joined,
 * and refuses them if told so.
 */
async function renderUnshown({
  isRefused = false,
  ...options
}: Pick<RenderAppOptions, 'at'> & { isRefused?: boolean }) {
  const joined: string[] = [];
  const realtime = createRealtimeDouble();
  const loaded = Promise.withResolvers<void>();
  const app = await renderApp({
    ...options,
    signedIn: { role: 'member' },
    loadWords: async (namespaces) => {
      if (namespaces.includes('voice')) await loaded.promise;
    },
    services: {
      openRealtime: () => ({
        ...realtime,
        send: (async (event: string, payload: { room: string }) => {
          if (event === 'join_room') joined.push(payload.room);
          if (event === 'join_room' && !isRefused) return new Promise(() => undefined);
          return { ok: false, code: isRefused ? 'not_found' : 'unavailable', params: {} };
        }) as never,
      }),
    },
  });
  return { ...app, joined, show: () => act(async () => loaded.resolve()) };
}

const roomPage = () => screen.queryByRole('main', { name: /Nord/u });

test.each(['/groupCallView/Nord', '/mobileCallView/Nord'])(
  '[TALK156] %s is entered before its page is there, and not again by that',
  async (at) => {
    const { joined, show } = await renderUnshown({ at });
    await expect.poll(() => joined, ROUTE_PATIENCE).toEqual(['Nord']);
    expect(roomPage()).toBeNull();
    await show();
    await expect.poll(roomPage, ROUTE_PATIENCE).toBeVisible();
    expect(joined).toEqual(['Nord']);
  },
);

test('[TALK156] the way from a list enters at once, but preparing that way enters nothing', async () => {
  const { joined, router } = await renderUnshown({ at: '/channelsList' });
  await screen.findByRole('heading', { name: 'Canaux' }, ROUTE_PATIENCE);
  void router.preloadRoute({ to: '/groupCallView/$roomId', params: { roomId: 'Sud' } });
  act(() => void router.navigate({ to: '/groupCallView/$roomId', params: { roomId: 'Nord' } }));
  await expect.poll(() => joined, ROUTE_PATIENCE).toEqual(['Nord']);
  expect(roomPage()).toBeNull();
});

test('[TALK156] whoever is in a room leaves it with the next page: a way that is given up leaves nobody without one', async () => {
  const { joined, router, show } = await renderUnshown({ at: '/groupCallView/Nord' });
  await expect.poll(() => joined, ROUTE_PATIENCE).toEqual(['Nord']);
  await show();
  await expect.poll(roomPage, ROUTE_PATIENCE).toBeVisible();
  const { entrance } = router.options.context;
  expect(entrance?.enter('Sud', new AbortController().signal)).toBeUndefined();
  expect(joined).toEqual(['Nord']);
  expect(roomPage()).toBeVisible();
});

test('[TALK156] a room that refused is asked again by its button, not by its page that comes or a panel that opens', async () => {
  const { joined, show, router } = await renderUnshown({ at: '/groupCallView/Nord', isRefused: true });
  await expect.poll(() => joined, ROUTE_PATIENCE).toEqual(['Nord']);
  await show();
  await expect.poll(roomPage, ROUTE_PATIENCE).toBeVisible();
  await act(() => router.navigate({ to: '.', search: { panel: 'members' } }));
  expect(router.state.location.search).toEqual({ panel: 'members' });
  expect(joined).toEqual(['Nord']);
});

test('[TALK156] a way that was given up before the code was there enters nothing', async () => {
  const way = new AbortController();
  way.abort();
  const { joined, router } = await renderUnshown({ at: '/channelsList' });
  await screen.findByRole('heading', { name: 'Canaux' }, ROUTE_PATIENCE);
  const { entrance } = router.options.context;
  void entrance?.enter('Nord', way.signal);
  void entrance?.enter('Sud', new AbortController().signal);
  await expect.poll(() => joined, ROUTE_PATIENCE).toEqual(['Sud']);
});
