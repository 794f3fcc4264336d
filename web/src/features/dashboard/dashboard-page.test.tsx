import { getAllActivities } from '@pressel/contract/activities';
import { getAllChannels } from '@pressel/contract/channels';
import { type Dashboard, getDashboard } from '@pressel/contract/dashboard';
import { channelId, userId } from '@pressel/contract/ids';
import { getAllUsers } from '@pressel/contract/users';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Language } from '#src/shared/languages.ts';
import { dashboardOf, memberDashboardOf, trendOf } from '#test/dashboard-sample.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId } from '#test/samples.ts';

const NORD = { id: channelId.parse(sampleId(1)), name: 'Équipe Nord', rtcSession: 'ÉquipeNord' };
const SUD = { id: channelId.parse(sampleId(2)), name: 'Sud', rtcSession: 'Sud' };
const NOE = { userId: userId.parse(sampleId(11)), name: 'Noé' };
const roomOf = (place: typeof NORD, talks = false) => ({
  ...place,
  connected: 1,
  users: [NOE],
  guests: { count: 0, names: [] },
  talkers: talks ? [{ ...NOE, talkingMs: 1_200 }] : [],
});
const liveOf = (...rooms: Dashboard['live']['rooms']) => ({
  connected: 3,
  inRooms: rooms.length,
  rooms,
  outside: { count: 0, users: [] },
});

/** Opens the signed-in user's dashboard, whose figures may change while it is shown. */
async function open(first: Dashboard, language: Language = 'fr') {
  let figures = first;
  const app = await renderApp({
    at: '/dashboard',
    signedIn: { role: first.role },
    language,
    prepare: (api) => api.on(getDashboard, () => ({ success: true, res: figures })),
  });
  await screen.findByRole('heading', { level: 1, name: /Camille/u });
  return {
    ...app,
    become(next: Dashboard) {
      figures = next;
      app.realtime.tell('activities_added', { spec: 1, audit: 0 });
    },
  };
}
const card = async (name: string) => screen.findByRole('region', { name });

test('[DASH1] the first paint is one question, with the zone of this device; the lists wait to be seen', async () => {
  const { api } = await open(dashboardOf({}));
  await card('En direct');
  expect(api.inputs(getDashboard)).toEqual([{ timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }]);
  expect(api.inputs(getAllUsers)).toEqual([]);
  expect(api.inputs(getAllChannels)).toEqual([]);
});

test('[DASH2] totals have their growth with its sign in words, and the ten days in a table', async () => {
  await open(dashboardOf({ users: trendOf(1_200, 12.5), channels: trendOf(4, null) }));
  const figures = await card('Chiffres de l’équipe');
  expect(figures).toHaveTextContent(/Coéquipiers1.200/u);
  expect(figures).toHaveTextContent(/\+12,5.% en dix jours/u);
  expect(figures).toHaveTextContent('Nouveau depuis dix jours');
  const days = within(figures).getByRole('table', { name: /^Coéquipiers.: créations des dix derniers jours$/u });
  expect(within(days).getAllByRole('row')).toHaveLength(10);
  expect(within(days).getByRole('row', { name: /21 nov\..1.200/u })).toBeInTheDocument();
});

test('[DASH4] live now says who is where and who talks; a click leads into the room', async () => {
  const { user, router } = await open(dashboardOf({ live: liveOf(roomOf(NORD, true), roomOf(SUD)) }));
  const live = await card('En direct');
  expect(live).toHaveTextContent('3 en ligne · 2 dans un canal');
  const rooms = within(live).getAllByRole('listitem');
  expect(rooms.map((room) => room.textContent)).toEqual(['Équipe Nord1 personneNoé parle', 'Sud1 personneNoé']);
  await user.click(within(live).getByRole('link', { name: /Sud/u }));
  expect(router.state.location.pathname).toBe('/groupCallView/Sud');
});

test('[DASH4] guests are named beside the users of a room, and who is online but in none', async () => {
  const guests = { count: 2, names: ['Julie (Pompiers)'] };
  const live = {
    ...liveOf({ ...roomOf(NORD), guests }, { ...roomOf(SUD), connected: 0, users: [], guests }),
    outside: { count: 22, users: [{ userId: userId.parse(sampleId(12)), name: 'Zoé' }] },
  };
  await open(dashboardOf({ live }));
  const liveCard = await card('En direct');
  expect(
    within(liveCard)
      .getAllByRole('listitem')
      .map((room) => room.textContent),
  ).toEqual([
    'Équipe Nord1 personne · 2 invitésNoé, Julie (Pompiers) et 1 autre',
    'Sud2 invitésJulie (Pompiers) et 1 autre',
  ]);
  expect(liveCard).toHaveTextContent(/Autres personnes en ligne22 personnesZoé et 21 autres$/u);
});

test('[DASH4] who talks shows at once, without reading the figures again', async () => {
  const { realtime, api } = await open(dashboardOf({ live: liveOf(roomOf(SUD)) }));
  const live = await card('En direct');
  realtime.tell('talkers_changed', { channelId: SUD.id, talkers: [NOE] });
  await waitFor(() => expect(within(live).getByRole('listitem')).toHaveTextContent('Sud1 personneNoé parle'));
  realtime.tell('talkers_changed', { channelId: SUD.id, talkers: [] });
  await waitFor(() => expect(within(live).getByRole('listitem')).toHaveTextContent(/^Sud1 personneNoé$/u));
  expect(api.inputs(getDashboard)).toHaveLength(1);
});

test('[DASH5] rooms keep their places under the pointer: the new one waits, the empty one stays', async () => {
  const { become, user } = await open(dashboardOf({ live: liveOf(roomOf(SUD)) }));
  const live = await card('En direct');
  fireEvent.pointerEnter(within(live).getByRole('list'));
  become(dashboardOf({ live: liveOf(roomOf(NORD, true)) }));
  const show = await within(live).findByRole('button', { name: '1 nouveau, afficher' });
  expect(within(live).getByRole('listitem')).toHaveTextContent('Sud0 personne');
  await user.click(show);
  expect(within(live).getByRole('listitem')).toHaveTextContent('Équipe Nord1 personneNoé parle');
});

test('[DASH5] the most active channels and today’s talks keep their places under the pointer; what is gone leads nowhere', async () => {
  const active = (place: typeof NORD) => ({ ...place, userCount: 3, connected: 1, lastActivityAt: null });
  const said = (place: typeof NORD, talkMs: number) => ({
    id: place.id,
    name: place.name,
    talkMs,
    transmissions: 1,
    hours: Array.from({ length: 24 }, () => ({ talkMs: 0, transmissions: 0 })),
  });
  const talked = (...channels: ReturnType<typeof said>[]) => ({
    ...dashboardOf({}).talkToday,
    transmissions: 1,
    channels,
  });
  const { become } = await open(dashboardOf({ topChannels: [active(SUD)], talkToday: talked(said(SUD, 1_000)) }));
  const top = await card('Canaux les plus actifs');
  const talks = within(await card('Prises de parole aujourd’hui')).getByRole('table');
  fireEvent.pointerEnter(within(top).getByRole('list'));
  fireEvent.pointerEnter(talks);
  become(dashboardOf({ topChannels: [active(NORD)], talkToday: talked(said(NORD, 9_000), said(SUD, 2_000)) }));
  await within(top).findByRole('button', { name: '1 nouveau, afficher' });
  expect(within(top).getByRole('listitem')).toHaveTextContent('Sud0/3');
  expect(within(top).queryByRole('link', { name: /Sud/u })).not.toBeInTheDocument();
  expect(
    within(talks)
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent),
  ).toEqual([expect.stringMatching(/^Sud.*2.s/u)]);
});

test('[DASH5] with nobody there, the news show at once', async () => {
  const { become } = await open(dashboardOf({ live: liveOf(roomOf(SUD)) }));
  const live = await card('En direct');
  become(dashboardOf({ live: liveOf(roomOf(NORD)) }));
  await waitFor(() => expect(within(live).getByRole('listitem')).toHaveTextContent('Équipe Nord'));
});

test('[DASH6] what was said today is a table of hours, whose cells say it in words', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) =>
    hour === 8 ? { talkMs: 65_000, transmissions: 3 } : { talkMs: 0, transmissions: 0 },
  );
  const channels = [{ id: NORD.id, name: NORD.name, talkMs: 65_000, transmissions: 3, hours }];
  await open(
    dashboardOf({ talkToday: { day: '2026-11-21', talkMs: 65_000, transmissions: 3, brokenOff: 1, channels } }),
  );
  const talk = await card('Prises de parole aujourd’hui');
  expect(within(talk).getByText(/3 prises de parole · 1 coupée par la liaison$/u)).toBeVisible();
  const cells = within(within(talk).getByRole('row', { name: /Équipe Nord/u })).getAllByRole('cell');
  expect(cells).toHaveLength(25);
  expect(cells[8]).toHaveTextContent(/^3 prises de parole, 1.min 5.s$/u);
  expect(cells[9]).toHaveTextContent(/^Silence$/u);
});

test('[DASH3] the most active channels say who is there of how many, and when something happened last', async () => {
  const topChannels = [
    { ...NORD, userCount: 12, connected: 2, lastActivityAt: '2026-11-20T10:00:00.000Z' },
    { ...SUD, userCount: 3, connected: 0, lastActivityAt: null },
  ];
  await open(dashboardOf({ topChannels }));
  const rows = within(await card('Canaux les plus actifs')).getAllByRole('listitem');
  expect(rows[0]).toHaveTextContent(/^Équipe Nord2\/1220 nov\. 2026 \d\d:\d\d$/u);
  expect(rows[1]).toHaveTextContent(/^Sud0\/3Pas d’activité encore\.$/u);
});

const LOGIN = {
  id: sampleId(90),
  createdAt: '2026-11-20T10:00:00.000Z',
  type: 'login' as const,
  user: { id: NOE.userId, firstName: 'Noé', display_name: 'Noé' },
  target: null,
  channel: null,
  address: null,
  details: null,
};

test('[DASH7] the newest entries lead to the log, and to a dialog that leafs through it by eights', async () => {
  const { user, api } = await open(dashboardOf({ lastActivities: [LOGIN] }));
  api.on(getAllActivities, ({ start }) => ({
    success: true,
    res: {
      activities: [{ ...LOGIN, id: sampleId(100 + start) }],
      totalRecords: 17,
      newer: 0,
      top: 'first',
      older: null,
    },
  }));
  const last = await card('Dernières activités');
  expect(within(last).getByRole('link', { name: 'Voir tout' })).toHaveAttribute('href', '/activities');
  await user.click(within(last).getByRole('button', { name: 'Parcourir les activités' }));
  const dialog = await screen.findByRole('dialog', { name: 'Toutes les activités' });
  await user.click(await within(dialog).findByRole('button', { name: 'Dernière page' }));
  await waitFor(() =>
    expect(api.inputs(getAllActivities).filter(({ types }) => types === undefined)).toEqual([
      { start: 0, limit: 8 },
      { start: 16, limit: 8, cursor: 'first' },
    ]),
  );
});

test('[DASH7] where entries were deleted meanwhile, the dialog leads to the last page that there is', async () => {
  const { user, api } = await open(dashboardOf({ lastActivities: [LOGIN] }));
  let totalRecords = 33;
  api.on(getAllActivities, ({ start }) => {
    const activities = start < totalRecords ? [{ ...LOGIN, id: sampleId(100 + start) }] : [];
    return { success: true, res: { activities, totalRecords, newer: 0, top: 'first', older: null } };
  });
  await user.click(await screen.findByRole('button', { name: 'Parcourir les activités' }));
  const dialog = await screen.findByRole('dialog', { name: 'Toutes les activités' });
  await user.click(await within(dialog).findByRole('button', { name: 'Dernière page' }));
  await within(dialog).findByText('33–33 sur 33');
  totalRecords = 10;
  await user.click(within(dialog).getByRole('button', { name: 'Page précédente' }));
  await within(dialog).findByText('9–10 sur 10');
  expect(within(dialog).getAllByRole('listitem')).toHaveLength(1);
});

test('[DASH16] administrators are told who is in no channel, and give them one from there', async () => {
  const { user, router, become } = await open(dashboardOf({}));
  await card('En direct');
  expect(screen.queryByRole('region', { name: 'Coéquipiers sans canal' })).toBeNull();
  become(dashboardOf({ withoutChannel: { count: 7, users: [NOE] } }));
  const without = await screen.findByRole('region', { name: 'Coéquipiers sans canal' }, { timeout: 5_000 });
  expect(without).toHaveTextContent('7 coéquipiers ne sont dans aucun canal');
  expect(within(without).getByRole('link', { name: 'et 6 autres' })).toHaveAttribute('href', '/usersList');
  await user.click(within(without).getByRole('button', { name: 'Modifier Noé' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ users: { panel: NOE.userId } }));
});

test('[DASH15] more people in a room than it has members are no fraction of them', async () => {
  const channels = [
    { ...NORD, userCount: 1, connected: 2, lastActivityAt: null },
    { ...SUD, userCount: 3, connected: 2, lastActivityAt: null },
  ];
  await open(dashboardOf({ topChannels: channels }));
  const rows = within(await card('Canaux les plus actifs')).getAllByRole('listitem');
  expect(rows[0]).not.toHaveTextContent('2/1');
  expect(within(rows[0] as HTMLElement).getByTitle('Connectés : 2, membres : 1')).toHaveTextContent(/^2$/u);
  expect(within(rows[1] as HTMLElement).getByTitle('Connectés : 2 sur 3')).toHaveTextContent(/^2\/3$/u);
});

test('[DASH8] a member sees their own channels and what they missed, and nothing to administer', async () => {
  const channels = [
    { ...NORD, userCount: 12, connected: 2, lastActivityAt: null, unread: 4, missedTalks: 1 },
    { ...SUD, userCount: 3, connected: 0, lastActivityAt: null, unread: 0, missedTalks: 0 },
  ];
  await open(memberDashboardOf({ channels }));
  const rows = within(await card('Vos canaux')).getAllByRole('listitem');
  expect(rows[0]).toHaveTextContent('1 prise de parole manquée · 4 messages non lus');
  expect(rows[1]).not.toHaveTextContent('manquée');
  expect(screen.queryByRole('button', { name: 'Ajouter un coéquipier' })).not.toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Dernières activités' })).not.toBeInTheDocument();
});

test('the tab is called by the screen, which greets in its heading alone', async () => {
  await open(dashboardOf({}));
  expect(await screen.findByRole('heading', { level: 1, name: 'Bonjour Camille' })).toBeVisible();
  expect(document.title).toBe('Tableau de bord · Pressel');
});

/** The headings as a screen reader lists them. */
const outline = () =>
  screen.getAllByRole('heading').map((heading) => `${heading.tagName.toLowerCase()} ${heading.textContent ?? ''}`);

test('[DASH11] the headings of an administrator’s dashboard say what is part of what', async () => {
  await open(dashboardOf({}));
  await screen.findByRole('heading', { name: 'Canaux', level: 2 });
  expect(outline()).toEqual([
    'h1 Bonjour Camille',
    'h2 En direct',
    'h2 Canaux les plus actifs',
    'h2 Chiffres de l’équipe',
    'h3 Coéquipiers',
    'h3 Canaux',
    'h2 Prises de parole aujourd’hui',
    'h2 Dernières activités',
    'h2 Coéquipiers',
    'h2 Canaux',
  ]);
});

test('[DASH11] the headings of a member’s dashboard say what is part of what', async () => {
  await open(memberDashboardOf({ channels: [] }));
  await card('Vos canaux');
  expect(outline()).toEqual([
    'h1 Bonjour Camille',
    'h2 En direct',
    'h2 Vos canaux',
    'h3 Vous n’êtes encore dans aucun canal',
    'h2 Prises de parole aujourd’hui',
  ]);
});

test('[DASH9] users and channels are added from here', async () => {
  const { user, router } = await open(dashboardOf({}));
  await user.click(screen.getByRole('button', { name: 'Créer un canal' }));
  expect(await screen.findByRole('dialog', { name: 'Nouveau canal' })).toBeInTheDocument();
  expect(router.state.location.search).toEqual({ channels: { panel: 'create' } });
});

test('[DASH9] the button that adds a user opens its dialog', async () => {
  const { user, router } = await open(dashboardOf({}));
  await user.click(screen.getByRole('button', { name: 'Ajouter un coéquipier' }));
  expect(await screen.findByRole('dialog', { name: 'Ajouter un coéquipier' })).toBeInTheDocument();
  expect(router.state.location.search).toEqual({ users: { panel: 'create' } });
});

test.each([
  ['en', 'Live now', 'Nobody is in a channel.', 'Nobody has talked yet today.'],
  ['de', 'Live', 'Niemand ist in einem Kanal.', 'Heute hat noch niemand gesprochen.'],
] as const)('in %s too', async (language, live, nobody, silence) => {
  await open(dashboardOf({}), language);
  expect(await card(live)).toHaveTextContent(nobody);
  expect(screen.getByText(silence)).toBeInTheDocument();
});
