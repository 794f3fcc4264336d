import { deleteOldActivities, exportActivities, getAllActivities } from '@pressel/contract/activities';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { unreachable } from '#test/api-double.ts';
import { activityOf, serveLog } from '#test/log-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId } from '#test/samples.ts';
import { sizeWindow } from '#test/window-size.ts';

const logOf = (count: number) => Array.from({ length: count }, (_, index) => activityOf(count - index));
const open = async (entries = logOf(50), at = '/activities', language?: 'en' | 'de') =>
  renderApp({ at, signedIn: {}, ...(language && { language }), prepare: (api) => serveLog(api, entries) });
const shown = () => screen.getAllByRole('article').map((entry) => /Canal (\d+)/u.exec(entry.textContent ?? '')?.[1]);
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => String(from - index));

test('[LOGS4] entries are sentences with names apart and dates, under the headings of their days', async () => {
  await open([
    activityOf(1, {
      type: 'user_delete',
      user: { id: sampleId(1), firstName: 'Camille', display_name: 'كميل' },
      target: { id: sampleId(2), display_name: 'Awa' },
      channel: null,
      createdAt: '2026-11-22T12:05:00.000Z',
    }),
  ]);
  const entry = await screen.findByRole('article');
  expect(within(entry).getByText('كميل').tagName).toBe('BDI');
  expect(within(entry).getByText('a supprimé le compte « Awa »')).toBeVisible();
  expect(entry.querySelector('time')).toHaveAttribute('dateTime', '2026-11-22T12:05:00.000Z');
  expect(entry.querySelector('time')).toHaveTextContent(/^22 nov\. 2026 \d\d:\d\d:00$/u);
  expect(screen.getByRole('heading', { level: 2, name: 'dimanche 22 novembre 2026' })).toBeVisible();
});

test('[LOGS8] 21 a page; the pages keep their entries while new ones come, and Back undoes them one by one', async () => {
  const entries = logOf(50);
  const { user, router } = await open(entries);
  await waitFor(() => expect(shown()).toEqual(range(50, 30)));
  entries.unshift(activityOf(51));
  await user.click(screen.getByRole('button', { name: 'Page suivante' }));
  await waitFor(() => expect(shown()).toEqual(range(29, 9)));
  await user.click(screen.getByRole('button', { name: 'Dernière page' }));
  await waitFor(() => expect(shown()).toEqual(range(8, 1)));
  expect(router.state.location.search).toMatchObject({ page: 3 });
  act(() => router.history.back());
  await waitFor(() => expect(shown()).toEqual(range(29, 9)));
  act(() => router.history.back());
  await waitFor(() => expect(shown()).toEqual(range(50, 30)));
});

test('[LOGS10] new entries are announced and move nothing; asked for, they come', async () => {
  const entries = logOf(30);
  const { user, realtime } = await open(entries);
  await waitFor(() => expect(shown()).toEqual(range(30, 10)));
  entries.unshift(activityOf(32), activityOf(31));
  act(() => realtime.tell('activities_added', { spec: 2, audit: 0 }));
  const news = await screen.findByRole('button', { name: '2 nouvelles entrées' });
  expect(shown()).toEqual(range(30, 10));
  await user.click(news);
  await waitFor(() => expect(shown()).toEqual(range(32, 12)));
  expect(screen.queryByRole('button', { name: /nouvelles? entrées?/u })).not.toBeInTheDocument();
});

test.each([
  [1350, [7, 7, 7]],
  [1349, [11, 10]],
  [850, [11, 10]],
  [849, [21]],
])('[LOGS6] at %i px the entries stand in columns of %j', async (width, heights) => {
  sizeWindow(width);
  await open();
  const log = await screen.findByRole('region', { name: 'Entrées du journal' });
  expect([...log.children].map((column) => within(column as HTMLElement).getAllByRole('article').length)).toEqual(
    heights,
  );
});

test('while the first page is read there is a sign of loading, which ends with it', async () => {
  let answer: (value: unknown) => void = () => {};
  const coming = new Promise((resolve) => {
    answer = resolve;
  });
  await renderApp({ at: '/activities', signedIn: {}, prepare: (api) => api.on(getAllActivities, () => coming) });
  await screen.findByRole('heading', { level: 1, name: 'Journal d’activité' });
  const main = within(screen.getByRole('main'));
  expect(main.getByRole('status', { name: 'Chargement…' })).toBeVisible();
  answer({ success: true, res: { activities: [], totalRecords: 0, newer: 0, top: null, older: null } });
  expect(await main.findByText('Aucune activité à afficher.')).toBeVisible();
  expect(main.queryByRole('status', { name: 'Chargement…' })).toBeNull();
});

test('[LOGS11] an address beyond the end leads to the last page', async () => {
  await open(logOf(30), '/activities?page=9');
  await waitFor(() => expect(shown()).toEqual(range(9, 1)));
});

test('[LOGS11] Back from an address beyond the end leads out of it', async () => {
  const { router } = await open(logOf(30));
  await waitFor(() => expect(shown()).toEqual(range(30, 10)));
  await act(() => router.navigate({ to: '/activities', search: { page: 9 } }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ page: 2 }));
  act(() => router.history.back());
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  await waitFor(() => expect(shown()).toEqual(range(30, 10)));
});

test.each([
  ['fr', 'Aucune activité à afficher.'],
  ['en', 'No activities to display.'],
  ['de', 'Keine Aktivitäten vorhanden.'],
] as const)('an empty log says so in %s', async (language, words) => {
  await renderApp({ at: '/activities', signedIn: {}, language, prepare: (api) => serveLog(api, []) });
  expect(await screen.findByText(words)).toBeVisible();
});

test('a failed reading says why and reads again', async () => {
  const { api, user } = await renderApp({
    at: '/activities',
    signedIn: {},
    prepare: (double) => double.fail(getAllActivities, new ApiError('internal')),
  });
  const again = await screen.findByRole('button', { name: 'Réessayer' });
  serveLog(api, logOf(1));
  await user.click(again);
  await waitFor(() => expect(shown()).toEqual(['1']));
});

test('members are told that the log is for administrators, and nothing is asked for', async () => {
  const { api } = await renderApp({ at: '/activities', signedIn: { role: 'member' } });
  await screen.findByRole('heading', { level: 1 });
  expect(api.inputs(getAllActivities)).toEqual([]);
});

describe('[LOGS9] filters', () => {
  test('of the address are asked of the server, days as this browser has them', async () => {
    const search = `q=nord&scope=all&types=["login","logout"]&by=${sampleId(1)}&channel=${sampleId(101)}&from=2026-03-28&to=2026-03-29`;
    const { api } = await open(logOf(1), `/activities?${search}`);
    await screen.findByText('Aucune activité ne correspond à ces filtres.');
    expect(api.inputs(getAllActivities)[0]).toEqual({
      scope: 'all',
      types: ['login', 'logout'],
      userId: sampleId(1),
      channelId: sampleId(101),
      from: new Date(2026, 2, 28).toISOString(),
      to: new Date(2026, 2, 30).toISOString(),
      text: 'nord',
      start: 0,
      limit: 21,
    });
  });

  test.each(['%00', 'nord%00'])('a text that no name can have (%s) is left out', async (q) => {
    const { api } = await open(logOf(1), `/activities?q=${q}`);
    await waitFor(() => expect(shown()).toEqual(['1']));
    expect(api.inputs(getAllActivities)[0]).toEqual({ start: 0, limit: 21 });
  });

  test('a cursor that the server never named is left out', async () => {
    const { router } = await renderApp({
      at: '/activities?page=2&top=nonsense',
      signedIn: {},
      prepare: (api) =>
        api.on(getAllActivities, ({ cursor, start }) => {
          if (cursor === 'nonsense') throw new ApiError('malformed', { issues: [{ path: 'cursor', code: 'cursor' }] });
          const activities = logOf(30).slice(start ?? 0, (start ?? 0) + 21);
          return { success: true, res: { activities, totalRecords: 30, newer: 0, top: 'first', older: null } };
        }),
    });
    await waitFor(() => expect(shown()).toEqual(range(9, 1)));
    expect(router.state.location.search).toEqual({ page: 2 });
  });

  test('that are malformed are left out', async () => {
    const { api } = await open(logOf(1), '/activities?types=["nonsense"]&by=1&from=2026-02-30&page=0&scope=spec');
    await waitFor(() => expect(shown()).toEqual(['1']));
    expect(api.inputs(getAllActivities)[0]).toEqual({ start: 0, limit: 21 });
  });

  test('by type: one, and a whole group; another filter begins with the first page', async () => {
    const { user, router, api } = await open(logOf(50));
    await waitFor(() => expect(shown()).toHaveLength(21));
    await user.click(screen.getByRole('button', { name: 'Page suivante' }));
    await user.click(screen.getByRole('button', { name: 'Types' }));
    await user.click(await screen.findByRole('checkbox', { name: 'Message envoyé' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ types: ['message_send'] }));
    await user.click(screen.getByRole('checkbox', { name: 'Messages' }));
    await waitFor(() =>
      expect(api.inputs(getAllActivities).at(-1)).toEqual({
        types: ['message_send', 'image_send', 'message_read', 'message_delete'],
        start: 0,
        limit: 21,
      }),
    );
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Retirer le filtre «\u00a0Types\u00a0»' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe('[LOGS5] an entry of a change', () => {
  test('opens into before and after', async () => {
    const changes = [
      { field: 'channelName', from: 'Nord', to: 'Sud' },
      { field: 'talkMode', from: 'single', to: 'open' },
    ];
    const { user } = await open([
      activityOf(1, { type: 'channel_update', details: { changes }, address: '192.0.2.7' }),
    ]);
    const opener = await screen.findByRole('button', { name: /^Avant et après\s: \u2068?\p{L}/u });
    expect(opener).toHaveAttribute('aria-expanded', 'false');
    await user.click(opener);
    expect(opener).toHaveAttribute('aria-expanded', 'true');
    expect(screen.getByRole('row', { name: 'Nom du canal Nord Sud' })).toBeVisible();
    expect(screen.getByRole('row', { name: 'Prise de parole Un à la fois Libre' })).toBeVisible();
    expect(screen.getByText('192.0.2.7')).toBeVisible();
  });

  test.each([
    ['fr', 'Détails', 'Durée', '1 min 5 s', 'Bouton relâché'],
    ['en', 'Details', 'Duration', '1 min 5 s', 'Button released'],
    ['de', 'Einzelheiten', 'Dauer', '1 min 5 s', 'Taste losgelassen'],
  ] as const)('any other opens what is kept with it, in %s', async (language, button, label, duration, end) => {
    const details = { durationMs: 65_000, end: 'released' };
    const { user } = await renderApp({
      at: '/activities',
      signedIn: {},
      language,
      prepare: (api) => serveLog(api, [activityOf(1, { type: 'channel_talk', details })]),
    });
    await user.click(await screen.findByRole('button', { name: new RegExp(`^${button}`, 'u') }));
    for (const text of [label, duration, end]) expect(screen.getByText(text)).toBeVisible();
  });

  test('one without anything more has no button', async () => {
    await open([activityOf(1)]);
    await waitFor(() => expect(shown()).toEqual(['1']));
    expect(screen.queryByRole('button', { name: /^Détails/u })).not.toBeInTheDocument();
  });
});

describe('[LOGS12] deleting', () => {
  const ask = async (entries = logOf(50), language?: 'en' | 'de') => {
    const opened = await open(entries, '/activities', language);
    await waitFor(() => expect(shown()).toHaveLength(21));
    const [menu, item] = language === 'en' ? ['Delete', 'Last month'] : ['Supprimer', 'Plus d’une semaine'];
    await opened.user.click(screen.getByRole('button', { name: menu }));
    await opened.user.click(await screen.findByRole('menuitem', { name: item }));
    return { ...opened, dialog: await screen.findByRole('dialog') };
  };

  test('asks with the period and how many of all types, says that it is done and reads again', async () => {
    const entries = logOf(50);
    const { user, api, dialog } = await ask(entries);
    expect(
      await within(dialog).findByText(/^50 entrées d’avant le .+, de tous types, seront supprimées\.$/u),
    ).toBeVisible();
    expect(within(dialog).getByText(/toutes les activités de plus d’une semaine/u)).toBeVisible();
    expect(within(dialog).getByText(/restera inscrite dans le journal/u)).toBeVisible();
    const counted = api.inputs(getAllActivities).at(-1);
    expect(counted).toMatchObject({ scope: 'all', limit: 1 });
    expect(within(dialog).getByRole('button', { name: 'Annuler' })).toHaveFocus();
    api.on(deleteOldActivities, () => {
      entries.length = 2;
      return { success: true, deleted: 48 };
    });
    await user.click(within(dialog).getByRole('button', { name: 'Supprimer' }));
    expect(await screen.findByText('Activités supprimées')).toBeVisible();
    expect(screen.getByText('Les activités ont bien été supprimées.')).toBeVisible();
    expect(api.inputs(deleteOldActivities), 'no more than was counted').toEqual([
      { timeFrame: '1w', before: counted?.to },
    ]);
    await waitFor(() => expect(shown()).toEqual(['50', '49']));
    await waitFor(() => expect(screen.getByRole('button', { name: 'Supprimer' })).toHaveFocus());
  });

  test('in English it has the words of the specification', async () => {
    const { dialog } = await ask(logOf(50), 'en');
    expect(
      within(dialog).getByText('Are you sure you want to delete all activities before last month ?'),
    ).toBeVisible();
    expect(within(dialog).getByRole('button', { name: 'Cancel' })).toBeVisible();
  });

  test.each([
    ['refused', () => new ApiError('internal'), 'Échec de la suppression des activités'],
    ['unanswered', unreachable, 'Erreur'],
  ] as const)('%s, it says so and can be tried again', async (_, error, title) => {
    const { user, api, dialog } = await ask();
    api.fail(deleteOldActivities, error());
    await user.click(within(dialog).getByRole('button', { name: 'Supprimer' }));
    expect(await within(dialog).findByText(title)).toBeVisible();
    expect(within(dialog).getByRole('button', { name: 'Supprimer' })).toBeEnabled();
  });

  test('cancelled, nothing is deleted', async () => {
    const { user, api, dialog } = await ask();
    await user.click(within(dialog).getByRole('button', { name: 'Annuler' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(api.inputs(deleteOldActivities)).toEqual([]);
  });
});

describe('[LOGS13] exporting', () => {
  afterEach(() => vi.unstubAllGlobals());
  const begin = async (user: Awaited<ReturnType<typeof open>>['user']) => {
    await user.click(screen.getByRole('button', { name: 'Exporter' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Texte (.csv)' }));
  };

  test('what the filter finds, with progress; cancelled, nothing is left', async () => {
    const { user, api } = await open(logOf(50), '/activities?types=["message_send"]');
    await waitFor(() => expect(shown()).toHaveLength(21));
    const { promise, reject } = Promise.withResolvers<never>();
    api.on(exportActivities, () => ({
      total: 50,
      parts: (async function* () {
        yield new TextEncoder().encode('type\r\nmessage_send\r\n');
        await promise;
      })(),
    }));
    await begin(user);
    const bar = await screen.findByRole('region', { name: 'Export du journal' });
    expect(await within(bar).findByText('1 sur 50')).toBeVisible();
    expect(within(bar).getByRole('progressbar')).toHaveAttribute('max', '50');
    expect(api.inputs(exportActivities)[0]).toMatchObject({ types: ['message_send'], format: 'csv' });
    await user.click(within(bar).getByRole('button', { name: 'Annuler' }));
    reject(new Error('aborted'));
    await waitFor(() => expect(bar).not.toBeInTheDocument());
  });

  test('whose page is left, or that is begun anew, before there is a file is none', async () => {
    const { user, api, router } = await open();
    await waitFor(() => expect(shown()).toHaveLength(21));
    const dropped: number[] = [];
    const opened: (() => void)[] = [];
    vi.stubGlobal('showSaveFilePicker', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const nth = opened.push(resolve);
      await promise;
      return { createWritable: async () => ({ abort: async () => void dropped.push(nth) }) };
    });
    await begin(user);
    await begin(user);
    await act(() => router.navigate({ to: '/dashboard' }));
    for (const open of opened) open();
    await waitFor(() => expect(dropped).toEqual([1, 2]));
    expect(api.inputs(exportActivities)).toEqual([]);
  });

  test('that fails says why, and the next one begins beside that', async () => {
    const { user, api } = await open();
    await waitFor(() => expect(shown()).toHaveLength(21));
    api.fail(exportActivities, new ApiError('unavailable'));
    await begin(user);
    expect(await screen.findByRole('alert')).toHaveTextContent(/L’export a échoué Le serveur n’est pas prêt/u);
    const { promise } = Promise.withResolvers<never>();
    api.on(exportActivities, () => ({
      total: 50,
      parts: (async function* () {
        yield new TextEncoder().encode('type\r\nlogin\r\n');
        await promise;
      })(),
    }));
    await begin(user);
    expect(await screen.findByText('1 sur 50')).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('button', { name: 'Annuler' })).toHaveFocus();
    expect(screen.getByRole('button', { name: 'Exporter' }), 'one at a time').toBeDisabled();
  });
});
