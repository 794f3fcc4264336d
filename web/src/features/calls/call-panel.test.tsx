import { type CallId, getCalls, getMissedCalls, markCallsSeen, type OwnCall } from '@pressel/contract/calls';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers, getUserById } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { pageOf, sampleId, userOf } from '#test/samples.ts';

const callId = sampleId(800) as CallId;
const lea = userOf(2, 'Léa', 'Martin');
const caller = { id: lea.id, display_name: 'Léa' };

afterEach(() => vi.unstubAllGlobals());

const open = async (at = '/channelsList', prepare: (api: ApiDouble) => void = () => undefined) => {
  const app = await renderApp({
    at,
    signedIn: {},
    prepare(api) {
      api.on(getAllChannels, (query) => pageOf([], query, () => ''));
      api.on(getCalls, () => ({ success: true, res: [], hasMore: false }));
      prepare(api);
    },
  });
  const sent: [string, unknown][] = [];
  app.realtime.send = async (event, payload) => {
    sent.push([event, payload]);
    return { ok: false, code: 'unavailable', params: {} };
  };
  await screen.findByRole('button', { name: 'Aucun appel manqué' });
  return { ...app, sent };
};
const ring = async (app: AppUnderTest) => {
  act(() => app.realtime.tell('call_ring', { callId, caller, ringMs: 30_000, canWrite: true }));
  return within(await screen.findByRole('dialog', { name: 'Appel\u00a0: Léa' }));
};

test('[RING14] a call that rings is said, takes no focus, and is rejected with a reason', async () => {
  const app = await open();
  const before = document.activeElement;
  const panel = await ring(app);
  expect(panel.getByRole('alert')).toHaveTextContent('Léa vous appelle');
  await waitFor(() => expect(document.title).toBe('Léa vous appelle · Pressel'));
  expect(document.activeElement).toBe(before);
  expect(screen.getByRole('dialog'), 'the talk key goes by this [TALK123]').toHaveAttribute('aria-modal', 'false');
  await app.user.click(panel.getByRole('button', { name: 'Pas maintenant' }));
  expect(app.sent).toContainEqual(['call_reject', { callId, rejection: 'not_now' }]);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.title).not.toContain('Léa');
});

test('[RING14] out of sight a call is told by a notification, where that was allowed, and is gone with it', async () => {
  const told: string[] = [];
  class FakeNotification {
    static permission = 'granted';
    onclick: (() => void) | null = null;
    constructor(title: string) {
      told.push(title);
    }
    close() {
      told.push('closed');
    }
  }
  vi.stubGlobal('Notification', FakeNotification);
  const app = await open();
  await ring(app);
  expect(told, 'in sight').toEqual([]);
  act(() => app.realtime.tell('call_over', { callId, reason: 'elsewhere', rejection: null }));
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  await ring(app);
  await waitFor(() => expect(told).toEqual(['Léa vous appelle']));
  act(() => app.realtime.tell('call_over', { callId, reason: 'elsewhere', rejection: null }));
  await waitFor(() => expect(told).toEqual(['Léa vous appelle', 'closed']));
});

test('[RING14] a page that goes out of sight while it rings tells the call by one notification', async () => {
  const told: string[] = [];
  vi.stubGlobal(
    'Notification',
    class {
      static permission = 'granted';
      constructor(title: string) {
        told.push(title);
      }
      close() {
        told.push('closed');
      }
    },
  );
  const app = await open();
  await ring(app);
  const isHidden = vi.spyOn(document, 'hidden', 'get');
  for (const hidden of [true, false, true]) {
    isHidden.mockReturnValue(hidden);
    document.dispatchEvent(new Event('visibilitychange'));
  }
  expect(told).toEqual(['Léa vous appelle']);
  act(() => app.realtime.tell('call_over', { callId, reason: 'elsewhere', rejection: null }));
  await waitFor(() => expect(told).toEqual(['Léa vous appelle', 'closed']));
  document.dispatchEvent(new Event('visibilitychange'));
  expect(told).toHaveLength(2);
});

test('[RING14] where only a service worker may show notifications, it shows that of a call, and takes it away', async () => {
  class ForbiddenNotification {
    static permission = 'granted';
    constructor() {
      throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
    }
  }
  const shown = new Set<string>();
  const worker = {
    showNotification: async (title: string) => void shown.add(title),
    getNotifications: async () => [...shown].map((title) => ({ close: () => shown.delete(title) })),
  };
  vi.stubGlobal('Notification', ForbiddenNotification);
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: { ready: Promise.resolve(worker) } });
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const app = await open();
  await ring(app);
  await waitFor(() => expect([...shown]).toEqual(['Léa vous appelle']));
  act(() => app.realtime.tell('call_over', { callId, reason: 'elsewhere', rejection: null }));
  await waitFor(() => expect([...shown]).toEqual([]));
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

test('[RING14] a call that is over where nobody took it is gone', async () => {
  const app = await open();
  await ring(app);
  act(() => app.realtime.tell('call_over', { callId, reason: 'cancelled', rejection: null }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('[RING9] missed calls are on the badge, named in its menu, and seen when that closes', async () => {
  const missed = { id: callId, caller, createdAt: '2026-11-22T10:00:00.000Z' };
  const app = await open('/channelsList', (api) => {
    api.on(getMissedCalls, () => ({ success: true, count: 1, res: [missed] }));
    api.on(markCallsSeen, () => ({ success: true }));
  });
  act(() => app.realtime.tell('missed_calls', { count: 1 }));
  await app.user.click(await screen.findByRole('button', { name: '1 appel manqué' }));
  const back = await screen.findByRole('menuitem', { name: /^Léa/u });
  expect(back).toBeEnabled();
  await ring(app);
  expect(back).toBeDisabled();
  expect(back).toHaveAttribute('title', 'Vous êtes déjà en communication');
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(app.api.inputs(markCallsSeen)).toEqual([{ callId }]));
  act(() => app.realtime.tell('missed_calls', { count: 0 }));
  expect(await screen.findByRole('button', { name: 'Aucun appel manqué' })).toBeVisible();
});

test('[RING18] the menu lists all calls, made, taken and missed, with how long they were, and older ones', async () => {
  const at = '2026-11-22T10:00:00.000Z';
  const row = (n: number, call: Partial<OwnCall>): OwnCall => ({
    ...{ id: sampleId(810 + n) as CallId, other: caller, isOwn: false, createdAt: at, durationMs: null },
    ...{ end: 'cancelled', rejection: null, ...call },
  });
  const pages = [
    [row(1, { isOwn: true, durationMs: 65_000, end: 'hung_up' }), row(2, {}), row(3, { end: 'rejected' })],
    [row(4, { durationMs: 7_000, end: 'hung_up' }), row(5, { isOwn: true, end: 'no_answer' })],
  ];
  const app = await open('/channelsList', (api) => {
    api.on(getCalls, ({ before }) => ({
      success: true,
      res: pages[before === undefined ? 0 : 1] ?? [],
      hasMore: before === undefined,
    }));
  });
  await app.user.click(screen.getByRole('button', { name: 'Aucun appel manqué' }));
  expect(await screen.findByRole('menuitem', { name: /^Léa.*Appel émis · 1\smin 5\ss ·/u })).toBeEnabled();
  expect(screen.getByRole('menuitem', { name: /Appel manqué ·/u })).toBeEnabled();
  expect(screen.getByRole('menuitem', { name: /Appel refusé ·/u })).toBeEnabled();
  await app.user.click(screen.getByRole('menuitem', { name: 'Appels plus anciens' }));
  expect(await screen.findByRole('menuitem', { name: /Appel reçu · 7\ss ·/u })).toBeEnabled();
  await app.user.click(screen.getByRole('menuitem', { name: /sans réponse/u }));
  expect(app.sent).toContainEqual(['call_start', { userId: lea.id }]);
});

test('[RING19] "write to me" is offered where both share a channel, and leads its caller there', async () => {
  const call: OwnCall = {
    id: callId,
    other: caller,
    isOwn: true,
    createdAt: '2026-11-22T10:00:00.000Z',
    durationMs: 1_000,
    end: 'hung_up',
    rejection: null,
  };
  const app = await open('/channelsList', (api) => {
    api.on(getCalls, () => ({ success: true, res: [call], hasMore: false }));
  });
  act(() => app.realtime.tell('call_ring', { callId, caller, ringMs: 30_000, canWrite: false }));
  const panel = within(await screen.findByRole('dialog', { name: 'Appel\u00a0: Léa' }));
  expect(panel.getByRole('button', { name: 'Je rappelle' })).toBeVisible();
  expect(panel.queryByRole('button', { name: 'Écrivez-moi' })).toBeNull();
  act(() => app.realtime.tell('call_over', { callId, reason: 'cancelled', rejection: null }));

  app.realtime.send = async () => ({ ok: true, data: { callId, name: 'Léa', over: null } }) as never;
  await app.user.click(screen.getByRole('button', { name: 'Aucun appel manqué' }));
  await app.user.click(await screen.findByRole('menuitem', { name: /^Léa/u }));
  const writeIn = { channelId: sampleId(820) as never, name: 'Équipe Nord', rtcSession: 'ÉquipeNord' };
  await screen.findByText('Ça sonne…');
  act(() => app.realtime.tell('call_over', { callId, reason: 'rejected', rejection: 'write_me', writeIn }));
  const link = await screen.findByRole('link', { name: 'Écrire dans «\u00a0Équipe Nord\u00a0»' });
  expect(decodeURI(link.getAttribute('href') ?? '')).toBe('/groupCallView/ÉquipeNord?panel=messages');
});

test('[RING20] declining is at the left of answering', async () => {
  const app = await open();
  const panel = await ring(app);
  const names = panel.getAllByRole('button').map(({ textContent }) => textContent);
  expect(names.slice(0, 2)).toEqual(['Refuser', 'Répondre']);
  expect(panel.getByRole('button', { name: 'Écrivez-moi' })).toBeVisible();
});

const openSheet = () => {
  const online = { ...lea, user_sockets: [{ userId: lea.id, channelId: null, socket_id: 's' as never }] };
  return open(`/usersList?panel=sheet:${lea.id}`, (api) => {
    api.on(getAllUsers, (query) => pageOf([online], query, ({ id }) => id));
    api.on(getUserById, () => ({ success: true, res: online }));
  });
};

test('[RING1] somebody who is connected is called from their sheet', async () => {
  const app = await openSheet();
  await app.user.click(await screen.findByRole('button', { name: 'Appeler' }));
  expect(app.sent).toContainEqual(['call_start', { userId: lea.id }]);
  expect(await screen.findByText('L’appel n’a pas pu être établi')).toBeVisible();
});

test('[RING17] during a call of one’s own the sheet’s button says why it does nothing', async () => {
  const app = await openSheet();
  const button = await screen.findByRole('button', { name: 'Appeler' });
  expect(button).toHaveAttribute('aria-disabled', 'false');
  await ring(app);
  expect(button).toHaveAttribute('aria-disabled', 'true');
  expect(button).toHaveAccessibleDescription('Vous êtes déjà en communication.');
  await app.user.click(button);
  expect(app.sent.filter(([event]) => event === 'call_start')).toEqual([]);
  act(() => app.realtime.tell('call_over', { callId, reason: 'cancelled', rejection: null }));
  await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'false'));
  expect(button).not.toHaveAccessibleDescription('Vous êtes déjà en communication.');
});

test('[RING17] nobody is called from their sheet while the link is lost', async () => {
  const app = await openSheet();
  await screen.findByRole('button', { name: 'Appeler' });
  act(() => app.realtime.setLink('down'));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Appeler' })).toBeNull());
});

test('[RING14] when the button that had the focus goes, the panel has it', async () => {
  const app = await open();
  app.realtime.send = () => new Promise(() => undefined);
  const panel = await ring(app);
  act(() => panel.getByRole('button', { name: 'Répondre' }).focus());
  await app.user.keyboard('{Enter}');
  expect(await panel.findByRole('button', { name: 'Raccrocher' })).toBeVisible();
  expect(screen.getByRole('dialog')).toHaveFocus();
});

test('[RING14] Escape puts away a call that is over, never one that rings', async () => {
  const app = await open();
  const panel = await ring(app);
  act(() => panel.getByRole('button', { name: 'Répondre' }).focus());
  await app.user.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeVisible();
  app.realtime.send = () => new Promise(() => undefined);
  await app.user.keyboard('{Enter}');
  act(() => app.realtime.tell('call_over', { callId, reason: 'hung_up', rejection: null }));
  expect(await panel.findByText('Appel terminé')).toBeVisible();
  await app.user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
});
