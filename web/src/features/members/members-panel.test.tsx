import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { person } from '#test/fake-room-session.ts';
import {
  CROWD as crowd,
  inOrder,
  MEMBERS,
  memberOf as member,
  NORD,
  showMembers,
  VIEW,
} from '#test/render-members.tsx';
import { stubLayout } from '#test/stub-layout.ts';
import { guestRows, memberRows, viewed } from './members.rules.ts';
import type { MembersView } from './members-part.ts';

beforeEach(stubLayout);

const room = (participants: readonly ReturnType<typeof person>[], isLive = true) => ({
  channelId: NORD,
  participants,
  isLive,
});
const seen = (view: Partial<MembersView>, members = MEMBERS) =>
  viewed({ view: VIEW, rows: members, total: members.length, parts: 0 }, { ...VIEW, ...view }, NORD).rows.map(
    ({ display_name: name }) => name,
  );

test('[MEM2] members are by first name, then by last name, then by pseudo', () => {
  const of = (number: number, firstName: string, lastName: string, pseudo = '') =>
    member(number, '', { firstName, lastName, pseudo });
  const members = [
    ...[of(1, 'Jean Paul', 'Abel'), of(2, 'Léa', 'Abel'), of(3, 'Jean', 'Zola', 'B 10'), of(4, 'Lea', 'Zed')],
    ...[of(5, 'Jean', 'Zola', 'B 2')],
  ];
  const names = memberRows(inOrder(members), room([])).map((row) => row.name);
  expect(names).toEqual(['Jean Zola · B 2', 'Jean Zola · B 10', 'Jean Paul Abel', 'Lea Zed', 'Léa Abel']);
});

test('[MEM2] who is in the room comes first, then who is online elsewhere, then who is offline', () => {
  const at = (number: number, name: string, ...rooms: (typeof NORD | null)[]) =>
    member(number, name, {
      user_sockets: rooms.map((channelId) => ({
        ...{ userId: person(number).userId, channelId, socket_id: person(number).id },
      })),
    });
  const members = [at(1, 'Ali'), at(2, 'Bea', null), at(3, 'Cleo', NORD), at(4, 'Dan', null), at(5, 'Eve')];
  const rows = memberRows(inOrder(members), room([person(3)]));
  expect(rows.map(({ name }) => name)).toEqual(['Cleo', 'Bea', 'Dan', 'Ali', 'Eve']);
});

test('members are sorted by name, both ways', () => {
  expect(seen({})).toEqual(['bob', 'Élodie Martin', 'Zoé']);
  expect(seen({ isDescending: true })).toEqual(['Zoé', 'Élodie Martin', 'bob']);
});

test('the filter looks at every word, case and accents aside', () => {
  expect(seen({ filter: ' MAR  elodie ' })).toEqual(['Élodie Martin']);
  expect(seen({ filter: 'elodie x' })).toEqual([]);
});

test('[MEM2] the filter takes letters for those that the server takes them for', () => {
  const names = ['Søren', 'Łukasz', 'Đorđe', 'Œuvrard', 'Læti', 'Weiß', 'Ｎｏëｌ'];
  const members = names.map((name, index) => member(index + 1, name));
  const plain = ['soren', 'lukasz', 'dorde', 'oeuvrard', 'laeti', 'weiss', 'noel'];
  expect(plain.flatMap((filter) => seen({ filter }, members))).toEqual(names);
});

test('who is here comes from the live room, who is elsewhere from the list', () => {
  const socket = { userId: person(2).userId, channelId: null, socket_id: person(2).id };
  const members = [member(1, 'Élodie Martin'), member(3, 'Zoé'), member(2, 'bob', { user_sockets: [socket] })];
  const rows = memberRows(members, room([person(1), person(3, { isTalking: true })]));
  expect(rows.map((row) => row.presence)).toEqual(['here', 'talking', 'online']);
});

test('[PRES27] who is in the room but can’t be reached is shown so, in their place among those who are here', () => {
  const off = { media: 'failed' } as const;
  const members = [member(1, 'Ali'), member(2, 'bob'), member(3, 'Cleo'), member(4, 'Dan'), member(5, 'Eve')];
  const here = [person(5), person(4, off), person(2, off), person(3, { ...off, isTalking: true })];
  const shown = (live = true) =>
    memberRows(members, room(here, live)).map(({ name, presence }) => `${name} ${presence}`);
  expect(shown()).toEqual(['bob cutOff', 'Cleo talking', 'Dan cutOff', 'Eve here', 'Ali away']);
  // A person with two tabs counts as reachable if one can be reached, whichever came first.
  here.push(person(4));
  here.unshift(person(2));
  expect(shown()).toEqual(['bob here', 'Cleo talking', 'Dan here', 'Eve here', 'Ali away']);
  expect(shown(false)[0]).toBe('Ali unknown');
  const guest = { name: 'Julie', link: 'Pompiers' };
  expect(guestRows(room([person(9, { guest, ...off })]), VIEW, 'fr')).toMatchObject([{ presence: 'cutOff' }]);
});

test('[GUEST8] guests come after the members, each once, and say what they are', () => {
  const guest = { name: 'Julie', link: 'Pompiers' };
  const here = [
    person(8, { name: 'Abel (Samu)', guest: { name: 'Abel', link: 'Samu' } }),
    person(9, { name: 'Julie (Pompiers)', guest, isTalking: true }),
    person(9, { name: 'Julie (Pompiers)', guest }),
  ];
  expect(guestRows(room(here), VIEW, 'fr')).toMatchObject([
    { name: 'Abel (Samu)', presence: 'here', isGuest: true },
    { name: 'Julie (Pompiers)', initialsOf: 'Julie', presence: 'talking', isGuest: true },
  ]);
  expect(guestRows(room(here), { ...VIEW, isDescending: true }, 'fr')[0]?.name).toBe('Julie (Pompiers)');
  expect(guestRows(room(here), { ...VIEW, filter: 'pompiers' }, 'fr')).toHaveLength(1);
  expect(guestRows(room(here, false), VIEW, 'fr')[0]?.presence).toBe('unknown');
});

test('without a link everybody’s presence is unknown, and they stay where they were', () => {
  const socket = { userId: person(3).userId, channelId: NORD, socket_id: person(3).id };
  const members = inOrder([member(3, 'Zoé', { user_sockets: [socket] }), member(2, 'bob')]);
  const rows = memberRows(members, room([], false));
  expect(rows.map(({ name, presence }) => [name, presence])).toEqual([
    ['Zoé', 'unknown'],
    ['bob', 'unknown'],
  ]);
});

test('each member has a word for where they are; filtering and sorting by hand work', async () => {
  await showMembers({ participants: [person(1)] });
  const user = userEvent.setup();
  // Each with the initials.
  const rows = () => screen.getAllByRole('listitem').map((row) => row.textContent);
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal', 'BbobHors ligne', 'ZZoéHors ligne']);
  await user.click(screen.getByRole('button', { name: 'Nom, de A à Z' }));
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal', 'ZZoéHors ligne', 'BbobHors ligne']);
  await user.type(screen.getByRole('textbox', { name: 'Filtrer les membres' }), 'élo');
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal']);
  await user.type(screen.getByRole('textbox'), 'xyz');
  expect(screen.getByText('Aucun membre ne correspond à ce filtre.')).toBeInTheDocument();
});

test('[ROOM21] a row has the initials of the name alone, and the pseudo beside the name', async () => {
  await showMembers({ members: [member(1, 'Camille', { lastName: 'Aubert', pseudo: 'PC 1' })] });
  expect(screen.getByRole('listitem')).toHaveTextContent(/^CACamille Aubert · PC 1/u);
});

test.each([
  ['fr', 'Injoignable', 'Dans le canal'],
  ['en', 'Unreachable', 'In the channel'],
  ['de', 'Nicht erreichbar', 'Im Kanal'],
] as const)(
  '[PRES27] a row says that its person can’t be reached, by a word and another icon (%s)',
  async (language, cutOff, here) => {
    await showMembers({ language, participants: [person(1, { media: 'failed' }), person(2)] });
    const row = (name: string) => screen.getByText(name).closest('li');
    expect(row('Élodie Martin')).toHaveTextContent(cutOff);
    expect(row('bob')).toHaveTextContent(here);
    const icon = (name: string) => row(name)?.querySelector('svg')?.innerHTML;
    expect(icon('Élodie Martin')).not.toBe(icon('bob'));
  },
);

test('[ROOM6] filter and order are told to the address, and begin as it has them', async () => {
  const { views } = await showMembers({ view: { filter: 'o', isDescending: true } });
  expect(screen.getAllByRole('listitem').map((row) => row.textContent)).toEqual([
    ...['ZZoéHors ligne', 'ÉMÉlodie MartinHors ligne', 'BbobHors ligne'],
  ]);
  await userEvent.type(screen.getByRole('textbox', { name: 'Filtrer les membres' }), 'b');
  await userEvent.click(screen.getByRole('button', { name: 'Nom, de Z à A' }));
  expect(views).toEqual([
    { filter: 'ob', isDescending: true },
    { filter: 'ob', isDescending: false },
  ]);
});

test('a channel without members says so', async () => {
  await showMembers({ members: [] });
  expect(screen.getByText('Pas de coéquipiers dans ce canal')).toBeInTheDocument();
});

test('a list that could not be read can be read again', async () => {
  const { inputs, become } = await showMembers({
    members: [member(1, '')].map((one) => ({ ...one, role: 'boss' }) as never),
  });
  become(MEMBERS);
  await userEvent.click(await screen.findByRole('button', { name: 'Réessayer' }));
  expect(await screen.findByText('bob')).toBeInTheDocument();
  expect(inputs()).toHaveLength(2);
});

test.each([false, true])(
  '[MEM3] of five thousand members those in view are read and rendered (sidebar: %s)',
  async (isSide) => {
    const { inputs } = await showMembers({ isSide, members: crowd });
    const rows = screen.getAllByRole('listitem');
    expect(rows.length).toBeLessThan(60);
    expect(rows[0]).toHaveAttribute('aria-setsize', '5000');
    expect(rows[0]).toHaveAttribute('aria-posinset', '1');
    expect(inputs()).toMatchObject([{ start: 0, limit: 100 }]);
  },
);

test('[MEM3] what comes into view is read, in one call however far it is', async () => {
  const { inputs } = await showMembers({ members: crowd });
  const scroller = screen.getByRole('list').parentElement as HTMLElement;
  scroller.scrollTop = 36 * 600;
  fireEvent.scroll(scroller);
  expect(await screen.findByText('Membre 602')).toBeInTheDocument();
  expect(inputs()).toHaveLength(2);
});

test('[MEM3] in a long list the server filters and turns round', async () => {
  const { inputs } = await showMembers({ members: crowd });
  await userEvent.type(screen.getByRole('textbox'), 'membre 4999');
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(inputs().at(-1)).toMatchObject({ filter: 'membre 4999' });
  await userEvent.clear(screen.getByRole('textbox'));
  await userEvent.click(screen.getByRole('button', { name: 'Nom, de A à Z' }));
  expect(await screen.findByText('Membre 5000')).toBeInTheDocument();
});

test.each([false, true])(
  '[MEM4] who is removed vanishes, who is added appears, who is renamed moves (sidebar: %s)',
  async (isSide) => {
    const { inputs, become, tell } = await showMembers({ isSide });
    const names = () => screen.getAllByRole('listitem').map((row) => row.querySelector('[dir=auto]')?.textContent);
    expect(names()).toEqual(['bob', 'Élodie Martin', 'Zoé']);
    become([member(1, 'Ali'), member(2, 'bob'), member(4, 'Yann')]);
    const userIds = [1, 3, 4].map((number) => person(number).userId);
    tell({ what: 'memberships', channelId: NORD, userIds });
    await waitFor(() => expect(names()).toEqual(['Ali', 'bob', 'Yann']));
    expect(inputs().slice(1)).toMatchObject([{ userIds }]);
  },
);

test('the sidebar says where each of them is, and is filtered where it is long', async () => {
  const socket = { userId: person(3).userId, channelId: NORD, socket_id: person(3).id };
  const many = [1, 2, 4, 5, 6, 7, 8].map((number) => member(number, `M${number}`));
  await showMembers({ isSide: true, members: [member(3, 'Zoé', { user_sockets: [socket] }), ...many] });
  const [first] = screen.getAllByRole('listitem');
  expect(first).toHaveTextContent('Zoé');
  expect(screen.getByRole('img', { name: 'Dans le canal' })).toBeInTheDocument();
  await userEvent.type(screen.getByRole('searchbox', { name: 'Filtrer les membres' }), 'm7');
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  await userEvent.type(screen.getByRole('searchbox'), 'x');
  expect(await screen.findByText('Aucun membre ne correspond à ce filtre.')).toBeInTheDocument();
});

test('a row shows its person on the map, for who may see one', async () => {
  const asked: string[] = [];
  await showMembers({ onLocate: (id) => void asked.push(id) });
  await userEvent.click(screen.getByRole('button', { name: /Élodie Martin/ }));
  expect(asked).toEqual([person(1).userId]);
});

test('[ROOM9] a long name is cut off where it ends, also one from right to left', async () => {
  await showMembers({ members: [member(7, 'فاطمة الزهراء')] });
  expect(await screen.findByTitle('فاطمة الزهراء')).toHaveAttribute('dir', 'auto');
});
