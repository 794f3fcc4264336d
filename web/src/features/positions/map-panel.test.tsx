import type { ChannelId, UserId } from '@pressel/contract/ids';
import {
  getChannelPositions,
  getMapSettings,
  getUserTrail,
  lookUpPosition,
  type MemberPosition,
} from '@pressel/contract/positions';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { RealtimeProvider, ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble, unreachable } from '#test/api-double.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { LoadMap, MapFocus } from './live-map.tsx';
import type { MapOptions, MapView } from './map/map-view.ts';
import { MapPanel } from './map-panel.tsx';

beforeEach(stubLayout);

const CHANNEL = sampleId(100) as ChannelId;
const SCALE = { metres: 2_000, px: 80 };
const NOBODY: readonly never[] = [];
const id = (n: number) => sampleId(n) as UserId;
const row = (n: number, name: string, ageMs = 0): MemberPosition => ({
  ...{ userId: id(n), display_name: name, pseudo: '', lat: 48.85, lng: 2.35, accuracy: 12 },
  ...{ recordedAt: '2026-11-22T10:00:00.000Z', ageMs },
  userActivities: [
    { id: sampleId(900 + n), type: 'channel_join', createdAt: '2026-11-22T09:00:00.000Z', channel: { name: 'Nord' } },
  ],
});

/** A map that draws nothing and records its calls. */
function fakeMap() {
  const told: string[] = [];
  const tell =
    (what: string) =>
    (...args: unknown[]) =>
      void told.push([what, ...args.map((one) => (one instanceof Set ? one.size : JSON.stringify(one)))].join(' '));
  let options: MapOptions | undefined;
  const load: LoadMap = async () => ({
    openMap(given) {
      options = given;
      given.onStyle({ source: 'bundled', isFallback: given.styleUrl !== null, attributions: ['Natural Earth'] });
      const view: MapView = {
        changed: tell('changed'),
        choose: tell('choose'),
        panTo(userId) {
          told.push(`panTo ${userId}`);
          return true;
        },
        showAll: tell('showAll'),
        zoomBy: tell('zoomBy'),
        showTrail: (trail) => void told.push(`trail ${trail === null ? 'none' : trail.length}`),
        setScheme: () => undefined,
        scale: { getSnapshot: () => SCALE, subscribe: () => () => undefined },
        close: tell('close'),
      };
      return view;
    },
  });
  return {
    told,
    load,
    options: () => {
      if (options === undefined) throw new Error('No map was opened');
      return options;
    },
  };
}

function show(prepare: (api: ReturnType<typeof createApiDouble>) => void = () => undefined) {
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const map = fakeMap();
  const unknown: UserId[] = [];
  api.on(getMapSettings, () => ({ success: true, styleUrl: null, center: [2.35, 48.85] }));
  api.on(getChannelPositions, () => ({ success: true, res: [row(1, 'Camille Roux'), row(2, 'Zoé Petit')] }));
  api.on(lookUpPosition, () => ({ success: true, res: null }));
  api.on(getUserTrail, () => ({ success: true, res: [] }));
  prepare(api);
  const panel = (focus?: MapFocus) => (
    <WithVoiceWords>
      <ServicesProvider services={{ api, storage, session: createSession({ api, storage }), renewal: NO_RENEWAL }}>
        <RealtimeProvider realtime={realtime}>
          <MapPanel
            channelId={CHANNEL}
            participants={NOBODY}
            focus={focus}
            onUnknown={(userId) => unknown.push(userId)}
            personActs={({ name }) => <button type="button">{`Appeler ${name}`}</button>}
            load={map.load}
          />
        </RealtimeProvider>
      </ServicesProvider>
    </WithVoiceWords>
  );
  const view = render(panel());
  return { ...map, api, realtime, unknown, view, focusOn: (focus: MapFocus) => view.rerender(panel(focus)) };
}

const ready = () => screen.findByRole('button', { name: 'Tout afficher' });

test('it reads positions and settings, and shows everybody on demand', async () => {
  const { told, api, options } = show();
  await userEvent.click(await ready());
  expect(told.some((line) => line.startsWith('showAll'))).toBe(true);
  expect(options()).toMatchObject({ styleUrl: null, center: [2.35, 48.85], language: 'fr' });
  expect([...options().people().values()].map(({ label }) => label)).toEqual(['CR', 'ZP']);
  expect(api.inputs(getChannelPositions)).toEqual([{ channelId: CHANNEL }]);
});

test('[POS23] who is chosen has a card: activity, coordinates, age, accuracy, trail', async () => {
  const { told, api, options } = show((double) =>
    double.on(getUserTrail, () => ({
      success: true,
      res: [
        [2.3, 48.8, 60_000],
        [2.35, 48.85, 0],
      ],
    })),
  );
  await ready();
  act(() => options().onChoose(id(1)));
  const card = await screen.findByRole('region', { name: 'Position de Camille Roux' });
  expect(card).toHaveTextContent('Canal « Nord » rejoint');
  expect(card).toHaveTextContent('2,35000°');
  expect(card).toHaveTextContent('48,85000°');
  expect(card).toHaveTextContent('à 12 m près');
  expect(card).toHaveTextContent('à l’instant');
  expect(within(card).getByRole('button', { name: 'Appeler Camille Roux' })).toBeInTheDocument();
  expect(await screen.findByText('Le trait montre la dernière heure.')).toBeInTheDocument();
  expect(told).toContain('trail 2');
  expect(api.inputs(getUserTrail)).toEqual([{ channelId: CHANNEL, userId: id(1) }]);
  await userEvent.click(screen.getByRole('button', { name: 'Fermer' }));
  expect(screen.queryByRole('region', { name: 'Position de Camille Roux' })).not.toBeInTheDocument();
  // The card's answer may come after the card was closed.
  expect(told.filter((one) => one.startsWith('choose')).at(-1)).toBe('choose null');
});

test('[POS23] the card says what somebody did last when it is opened, not when the map was read', async () => {
  const { options, api } = show();
  await ready();
  const news: MemberPosition = {
    ...row(1, 'Camille Roux'),
    userActivities: [
      { id: sampleId(950), type: 'message_send', createdAt: '2026-11-22T11:00:00.000Z', channel: { name: 'Sud' } },
    ],
  };
  api.on(getChannelPositions, ({ userIds }) => ({ success: true, res: userIds === undefined ? [] : [news] }));
  act(() => options().onChoose(id(1)));
  const card = await screen.findByRole('region', { name: 'Position de Camille Roux' });
  await expect.poll(() => card.textContent).toContain('Sud');
  expect(api.inputs(getChannelPositions).slice(1)).toEqual([{ channelId: CHANNEL, userIds: [id(1)] }]);
  expect(api.inputs(lookUpPosition)).toEqual([]);
});

test('[POS22] an old position says so', async () => {
  const { options } = show((api) =>
    api.on(getChannelPositions, () => ({ success: true, res: [row(1, 'Camille Roux', 3 * 3_600_000)] })),
  );
  await ready();
  act(() => options().onChoose(id(1)));
  expect(await screen.findByText('il y a 3 heures')).toBeInTheDocument();
  expect(screen.getByText(/^Position ancienne/u)).toBeInTheDocument();
});

test('[POS27] who is asked for is gone to; again with another nonce; whoever is unknown is told so', async () => {
  const { told, unknown, focusOn, api } = show();
  await ready();
  focusOn({ userId: id(2), nonce: 1 });
  expect(await screen.findByRole('region', { name: 'Position de Zoé Petit' })).toBeInTheDocument();
  focusOn({ userId: id(2), nonce: 1 });
  focusOn({ userId: id(2), nonce: 2 });
  await expect.poll(() => told.filter((line) => line === `panTo ${id(2)}`)).toHaveLength(2);
  focusOn({ userId: id(9), nonce: 3 });
  await expect.poll(() => unknown).toEqual([id(9)]);
  expect(api.inputs(lookUpPosition)).toEqual([{ channelId: CHANNEL, userId: id(9) }]);
});

test('a move is told to the map; somebody who is heard of first is asked for', async () => {
  const { told, realtime, api, options } = show();
  await ready();
  // Positions that come before the first picture are drawn with it.
  await expect.poll(() => told).toContain('changed null');
  const news = { lat: 49, lng: 2, accuracy: null, recordedAt: '2026-11-22T11:00:00.000Z', ageMs: 0 };
  act(() => realtime.tell('onLocationChanged', { userId: id(1), ...news }));
  await expect.poll(() => told.some((line) => line === 'changed 1')).toBe(true);
  expect(options().people().get(id(1))?.lat).toBe(49);
  api.on(getChannelPositions, ({ userIds }) => ({
    success: true,
    res: userIds?.includes(id(3)) ? [row(3, 'Ali')] : [],
  }));
  act(() => {
    realtime.tell('onLocationChanged', { userId: id(3), ...news });
    realtime.tell('onLocationChanged', { userId: id(3), ...news });
  });
  await expect.poll(() => options().people().has(id(3))).toBe(true);
  expect(api.inputs(getChannelPositions).slice(1)).toEqual([{ channelId: CHANNEL, userIds: [id(3)] }]);
});

test('[POS8] without the right everything disappears at once, and comes back with it', async () => {
  const { realtime, options, api } = show();
  await ready();
  act(() => realtime.tell('map_right', { mapRight: false }));
  expect(await screen.findByText('Vous n’avez pas accès à la carte')).toBeInTheDocument();
  expect(options().people().size).toBe(0);
  const asked = api.inputs(getChannelPositions).length;
  act(() => realtime.tell('changed', { what: 'users' }));
  expect(api.inputs(getChannelPositions)).toHaveLength(asked);
  act(() => realtime.tell('map_right', { mapRight: true }));
  await ready();
});

test('nobody with a position: it says so', async () => {
  show((api) => api.on(getChannelPositions, () => ({ success: true, res: [] })));
  expect(await screen.findByText('Aucune position connue dans ce canal pour l’instant.')).toBeInTheDocument();
  expect(await ready()).toBeDisabled();
});

test('[POS28] a style that is replaced is said to be', async () => {
  show((api) =>
    api.on(getMapSettings, () => ({ success: true, styleUrl: 'https://maps.example.org/s.json', center: [0, 0] })),
  );
  expect(await screen.findByText(/ne s’affiche pas/u)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Fermer' }));
  expect(screen.queryByText(/ne s’affiche pas/u)).not.toBeInTheDocument();
});

test('a failed read can be tried again; a refusal is no failure', async () => {
  const { api } = show((double) => double.fail(getChannelPositions, unreachable()));
  const retry = await screen.findByRole('button', { name: /Réessayer|retry/u });
  api.fail(getChannelPositions, new ApiError('forbidden'));
  await userEvent.click(retry);
  expect(await screen.findByText('Vous n’avez pas accès à la carte')).toBeInTheDocument();
});

test('people at one place are listed, and one can be chosen', async () => {
  const { options } = show();
  await ready();
  act(() => options().onCrowd([id(1), id(2)]));
  await userEvent.click(await screen.findByRole('button', { name: 'Zoé Petit' }));
  expect(screen.getByRole('region', { name: 'Position de Zoé Petit' })).toBeInTheDocument();
});

test('the map is closed with the panel', async () => {
  const { view, told } = show();
  await ready();
  view.unmount();
  expect(told.at(-1)).toMatch(/^close/u);
});
