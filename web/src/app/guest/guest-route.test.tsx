import { MantineProvider } from '@mantine/core';
import { enterAsGuest, getInvitation, type Invitation, leaveAsGuest } from '@pressel/contract/guests';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OpenRoomSession } from '#src/features/room/create-entered-room.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import type { RoomVideo, VideoSnapshot } from '#src/features/voice/engine/video.ts';
import { ApiError } from '#src/shared/api/api-error.ts';
import { storageOfCall } from '#src/shared/call-link.ts';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { createQueryClient } from '#src/shared/queries.tsx';
import { createRenewal } from '#src/shared/renewal.ts';
import { ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { type ApiDouble, createApiDouble } from '#test/api-double.ts';
import { createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { createRealtimeDouble, type RealtimeDouble } from '#test/realtime-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId } from '#test/samples.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { GuestRoute } from './guest-route.tsx';

const OPEN: Invitation = {
  state: 'open',
  name: 'Pompiers',
  channelName: 'Équipe Nord',
  rtcSession: 'ÉquipeNord',
  expiresAt: '2026-11-20T10:00:00.000Z',
};
const VISIT = {
  id: sampleId(7),
  displayName: 'Julie (Pompiers)',
  guestToken: 'guest-token',
  channelId: sampleId(8),
  // The key of the room that the double shows.
  rtcSession: 'MaraudeNord',
  expiresAt: OPEN.expiresAt,
};
const title = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });
const field = () => screen.getByLabelText('Votre nom');
const submit = () => screen.getByRole('button', { name: 'Entrer dans le canal' });

describe('[GUEST12] the page of a link', () => {
  const openPage = (res: () => unknown, prepare: (api: ApiDouble) => void = () => undefined, guestLink = 'abc') =>
    renderApp({
      at: '/join/Nord',
      guestLink,
      prepare(api) {
        api.on(getInvitation, () => ({ success: true, res: res() }));
        prepare(api);
      },
    });

  test('asks for a name, and says by which name one will be seen and what entering does', async () => {
    const app = await openPage(() => OPEN);
    await title('Entrer dans le canal Équipe Nord');
    expect(app.api.inputs(getInvitation)).toEqual([{ token: 'abc' }]);
    expect(screen.getByText(/Le micro s’ouvre seulement pendant que vous appuyez/u)).toBeVisible();
    await app.user.click(submit());
    expect(await screen.findByText('Saisissez un nom.')).toBeVisible();
    await app.user.type(field(), 'Julie');
    expect(screen.getByText(/« ?Julie \(Pompiers\) ?»/u)).toBeVisible();
    expect(app.api.inputs(enterAsGuest)).toEqual([]);
  });

  test.each([
    ['withdrawn', 'Ce lien a été retiré'],
    ['expired', 'Ce lien a expiré'],
    ['unknown', 'Ce lien n’ouvre aucun canal'],
  ] as const)('a link that is %s says so', async (state, words) => {
    await openPage(() => ({ state }));
    await title(words);
  });

  test('after a reload it has nothing of the link, and asks for nothing', async () => {
    const app = await openPage(() => OPEN, undefined, '');
    await title('Ouvrez de nouveau votre lien');
    expect(app.api.inputs(getInvitation)).toEqual([]);
  });

  test('a link that can’t be checked can be checked again', async () => {
    let isThere = false;
    const app = await openPage(() => {
      if (!isThere) throw new ApiError('unreachable');
      return OPEN;
    });
    await title('Le lien n’a pas pu être vérifié');
    isThere = true;
    await app.user.click(screen.getByRole('button', { name: 'Réessayer' }));
    await title('Entrer dans le canal Équipe Nord');
  });

  test('[APP10] a link is checked again by itself once there is a network', async () => {
    let isThere = false;
    await openPage(() => {
      if (!isThere) throw new ApiError('unreachable');
      return OPEN;
    });
    await title('Le lien n’a pas pu être vérifié');
    isThere = true;
    fireEvent(window, new Event('online'));
    await title('Entrer dans le canal Équipe Nord');
  });

  test('a link that is full, and one that ends meanwhile', async () => {
    let state: object = OPEN;
    let code: 'guest_link_full' | 'guest_link_over' = 'guest_link_full';
    const app = await openPage(
      () => state,
      (api) =>
        api.on(enterAsGuest, () => {
          throw new ApiError(code);
        }),
    );
    await title('Entrer dans le canal Équipe Nord');
    await app.user.type(field(), 'Julie');
    await app.user.click(submit());
    await title('Ce lien est complet pour l’instant');
    code = 'guest_link_over';
    state = { state: 'withdrawn' };
    await app.user.click(screen.getByRole('button', { name: 'Réessayer' }));
    await title('Ce lien a été retiré');
    expect(app.api.inputs(enterAsGuest)).toHaveLength(2);
  });
});

describe('a guest in the room', () => {
  beforeEach(() => {
    stubLayout();
    vi.stubGlobal('MediaStream', class {});
  });

  const NO_PICTURES: VideoSnapshot = {
    camera: { state: 'off' },
    cameras: [],
    screen: 'unsupported',
    own: null,
    pictures: new Map(),
  };
  const video: RoomVideo = {
    getSnapshot: () => NO_PICTURES,
    subscribe: () => () => undefined,
    setCamera: () => undefined,
    selectCamera: () => undefined,
    shareScreen: async () => undefined,
    stopSharing: () => undefined,
  };

  async function come(renewal = NO_RENEWAL) {
    const storage = createStorage(storageOfCall(window.localStorage));
    const api = createApiDouble();
    let invitation: Invitation = OPEN;
    api.on(getInvitation, () => ({ success: true, res: invitation }));
    api.on(enterAsGuest, () => ({ success: true, res: VISIT }));
    api.on(leaveAsGuest, () => ({ success: true }));
    const rooms: ReturnType<typeof createFakeRoomSession>[] = [];
    const openRoom: OpenRoomSession = () => {
      const fake = createFakeRoomSession();
      rooms.push(fake);
      return { ...fake.room, video };
    };
    const tokens: (string | undefined)[] = [];
    const sockets: RealtimeDouble[] = [];
    const renamed: string[] = [];
    const root = createRootRoute();
    const page = createRoute({
      getParentRoute: () => root,
      path: '/',
      component: () => <GuestRoute token="abc" onRenamed={(key) => void renamed.push(key)} openRoom={openRoom} />,
    });
    const router = createRouter({
      routeTree: root.addChildren([page]),
      history: createMemoryHistory({ initialEntries: ['/'] }),
    });
    const i18n = await createI18n(storage);
    await i18n.loadNamespaces(['guests', 'voice', 'video']);
    const session = createSession({ api, storage });
    const openRealtime = ({ token }: { token: () => string | undefined }) => {
      tokens.push(token());
      const socket = createRealtimeDouble();
      sockets.push(socket);
      return socket;
    };
    render(
      <I18nProvider i18n={i18n}>
        <MantineProvider env="test">
          <QueryClientProvider client={createQueryClient()}>
            <ServicesProvider services={{ api, session, storage, renewal, openRealtime }}>
              <RouterProvider router={router as never} />
            </ServicesProvider>
          </QueryClientProvider>
        </MantineProvider>
      </I18nProvider>,
    );
    const user = userEvent.setup();
    await title('Entrer dans le canal Équipe Nord');
    await user.type(field(), 'Julie');
    await user.click(submit());
    await screen.findByRole('button', { name: 'Quitter' });
    return {
      ...{ api, user, tokens, sockets, rooms, renamed, storage },
      show: (next: Partial<RoomSnapshot>) => act(() => rooms.at(-1)?.show(roomSnapshot(next))),
      setInvitation(next: Invitation) {
        invitation = next;
      },
    };
  }

  test('[GUEST12] talks over a socket of the guest’s own token, which only memory keeps', async () => {
    const { tokens, api } = await come();
    expect(new Set(tokens)).toEqual(new Set(['guest-token']));
    expect(api.inputs(enterAsGuest)).toEqual([{ token: 'abc', name: 'Julie' }]);
    expect(JSON.stringify([{ ...window.localStorage }, { ...window.sessionStorage }])).not.toContain('guest-token');
  });

  test('[APP18] a page of another contract than the server says that the link has to be opened again', async () => {
    for (const name of ['contract', 'build']) {
      const stated = Object.assign(document.createElement('meta'), { name, content: 'own' });
      document.head.append(stated);
      onTestFinished(() => stated.remove());
    }
    const never = () => {
      throw new Error('a guest’s page reloads');
    };
    const renewal = createRenewal({
      ...{ reload: never, look: never, forgetPage: async () => undefined, isServerThere: async () => true },
      ...{ last: { read: () => 0, write: never }, now: () => 0 },
    });
    const { sockets } = await come(renewal);
    act(() => sockets.at(-1)?.tell('server_version', { contract: 'other', build: 'other' }));
    expect(await screen.findByText(/Ouvrez de nouveau le lien/u)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Recharger maintenant' })).toBeNull();
  });

  test('[GUEST12] who leaves is told so, makes room, and can come back', async () => {
    const { user, api } = await come();
    await user.click(screen.getByRole('button', { name: 'Quitter' }));
    await title('Vous avez quitté le canal');
    await waitFor(() => expect(api.inputs(leaveAsGuest)).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'Revenir dans le canal' }));
    await screen.findByRole('button', { name: 'Quitter' });
    expect(api.inputs(enterAsGuest)).toHaveLength(2);
  });

  test.each([
    ['withdrawn', 'Ce lien a été retiré'],
    ['expired', 'Ce lien a expiré'],
  ] as const)('[GUEST10] whose link is %s is told that, and the room is closed', async (state, words) => {
    const { show, setInvitation, rooms } = await come();
    setInvitation({ state });
    show({ status: { state: 'closed', reason: 'link_ended' } });
    await title(words);
    expect(rooms.at(-1)?.calls).toContain('close');
  });

  test('[GUEST12] who was away too long can come back while the link is open', async () => {
    const { show, user, api } = await come();
    show({ status: { state: 'refused', code: 'unauthenticated' } });
    await title('Vous n’êtes plus dans le canal');
    await user.click(screen.getByRole('button', { name: 'Revenir dans le canal' }));
    await screen.findByRole('button', { name: 'Quitter' });
    expect(api.inputs(enterAsGuest)).toHaveLength(2);
    expect(api.inputs(leaveAsGuest)).toHaveLength(0);
  });

  test('[GUEST10] the channel is deleted', async () => {
    const { show } = await come();
    show({ status: { state: 'closed', reason: 'deleted' } });
    await title('Ce canal a été supprimé');
  });

  test('the address follows a channel that is renamed', async () => {
    const { show, renamed, rooms } = await come();
    const { channel } = roomSnapshot();
    show({ channel: channel && { ...channel, rtcSession: 'EquipeSud' } });
    await waitFor(() => expect(renamed).toContain('EquipeSud'));
    expect(rooms).toHaveLength(1);
  });
});
