import type { UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { person } from '#test/fake-voice-room.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { type MembersView, memberRows, namedMembers } from './room-members.rules.ts';
import { RoomMembers } from './room-members.tsx';

beforeEach(stubLayout);

function member(number: number, name: string, change: Partial<ChannelMember> = {}): ChannelMember {
  return {
    id: person(number).userId as UserId,
    firstName: '',
    lastName: '',
    pseudo: '',
    display_name: name,
    photo_url: null,
    role: 'member',
    user_sockets: [],
    ...change,
  };
}

const MEMBERS = [member(3, 'Zoé'), member(1, 'Élodie Martin'), member(2, 'bob')];
const NAMED = namedMembers(MEMBERS);
const OPTIONS = { filter: '', isDescending: false, language: 'fr', isLive: true };

test('members are in the order of the sidebar: by first name, then by last name', () => {
  const of = (number: number, firstName: string, lastName: string) => member(number, '', { firstName, lastName });
  const members = [of(1, 'Jean Paul', 'Abel'), of(2, 'Léa', 'Abel'), of(3, 'Jean', 'Zola'), of(4, 'Lea', 'Zed')];
  const names = memberRows(namedMembers(members), [], OPTIONS).map((row) => row.name);
  expect(names).toEqual(['Jean Zola', 'Jean Paul Abel', 'Lea Zed', 'Léa Abel']);
});

test('members are sorted by name, both ways', () => {
  expect(memberRows(NAMED, [], OPTIONS).map((row) => row.name)).toEqual(['bob', 'Élodie Martin', 'Zoé']);
  expect(memberRows(NAMED, [], { ...OPTIONS, isDescending: true })[0]?.name).toBe('Zoé');
});

test('thousands are sorted once for each list that is read, not again for each talk', () => {
  expect(memberRows(NAMED.toReversed(), [], OPTIONS).map((row) => row.name)).toEqual(['Zoé', 'Élodie Martin', 'bob']);
});

test('the filter looks at every word, case and accents aside', () => {
  expect(memberRows(NAMED, [], { ...OPTIONS, filter: ' elodie MAR' }).map((row) => row.name)).toEqual([
    'Élodie Martin',
  ]);
});

test('who is here comes from the live room, who is elsewhere from the list', () => {
  const socket = { userId: person(2).userId, channelId: null, socket_id: person(2).id };
  const members = [MEMBERS[0], MEMBERS[1], member(2, 'bob', { user_sockets: [socket] })].filter(
    (one) => one !== undefined,
  );
  const rows = memberRows(namedMembers(members), [person(1), person(3, { isTalking: true })], OPTIONS);
  expect(rows.map((row) => row.presence)).toEqual(['here', 'talking', 'online']);
});

test('[GUEST8] guests come after the members, each once, and say what they are', () => {
  const guest = { name: 'Julie', link: 'Pompiers' };
  const here = [
    person(8, { name: 'Abel (Samu)', guest: { name: 'Abel', link: 'Samu' } }),
    person(9, { name: 'Julie (Pompiers)', guest, isTalking: true }),
    person(9, { name: 'Julie (Pompiers)', guest }),
  ];
  for (const isDescending of [false, true]) {
    const rows = memberRows(NAMED, here, { ...OPTIONS, isDescending });
    expect(rows.map(({ isGuest }) => isGuest)).toEqual([false, false, false, true, true]);
  }
  expect(memberRows(NAMED, here, OPTIONS).slice(3)).toMatchObject([
    { name: 'Abel (Samu)', presence: 'here' },
    { name: 'Julie (Pompiers)', presence: 'talking' },
  ]);
  expect(memberRows(NAMED, here, { ...OPTIONS, filter: 'pompiers' })).toHaveLength(1);
});

test('without a link everybody’s presence is unknown', () => {
  const rows = memberRows(NAMED, [person(1)], { ...OPTIONS, isLive: false });
  expect(rows.map((row) => row.presence)).toEqual(['unknown', 'unknown', 'unknown']);
});

function show(props: Partial<Parameters<typeof RoomMembers>[0]>) {
  let retries = 0;
  const views: MembersView[] = [];
  render(
    <WithVoiceWords>
      <RoomMembers
        members={MEMBERS}
        hasFailed={false}
        participants={[]}
        isLive
        view={{ filter: '', isDescending: false }}
        onView={(view) => void views.push(view)}
        onLocate={undefined}
        onRetry={() => {
          retries += 1;
        }}
        {...props}
      />
    </WithVoiceWords>,
  );
  return { retries: () => retries, views };
}

test('each member has a word for where they are; filtering and sorting by hand work', async () => {
  show({ participants: [person(1)] });
  const user = userEvent.setup();
  // With the initials of each.
  const rows = () => screen.getAllByRole('listitem').map((row) => row.textContent);
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal', 'BbobHors ligne', 'ZZoéHors ligne']);
  await user.click(screen.getByRole('button', { name: 'Nom, de A à Z' }));
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal', 'ZZoéHors ligne', 'BbobHors ligne']);
  await user.type(screen.getByRole('textbox', { name: 'Filtrer les membres' }), 'élo');
  expect(rows()).toEqual(['ÉMÉlodie MartinDans le canal']);
  await user.type(screen.getByRole('textbox'), 'xyz');
  expect(screen.getByText('Aucun membre ne correspond à ce filtre.')).toBeInTheDocument();
});

test('[ROOM6] filter and order are told to the address, and begin as it has them', async () => {
  const { views } = show({ view: { filter: 'o', isDescending: true } });
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

test('a channel without members says so', () => {
  show({ members: [] });
  expect(screen.getByText('Pas de coéquipiers dans ce canal')).toBeInTheDocument();
});

test('a list that could not be read can be read again', async () => {
  const { retries } = show({ members: undefined, hasFailed: true });
  await userEvent.click(screen.getByRole('button', { name: 'Réessayer' }));
  expect(retries()).toBe(1);
});

test('of five thousand members those in view are rendered', () => {
  show({ members: Array.from({ length: 5_000 }, (_, index) => member(index + 1, `Membre ${index + 1}`)) });
  const rows = screen.getAllByRole('listitem');
  expect(rows.length).toBeLessThan(60);
  expect(rows[0]).toHaveAttribute('aria-setsize', '5000');
  expect(rows[0]).toHaveAttribute('aria-posinset', '1');
});

test('a row shows its person on the map, for who may see one', async () => {
  const asked: string[] = [];
  show({ onLocate: (id) => void asked.push(id) });
  await userEvent.click(screen.getByRole('button', { name: /Élodie Martin/ }));
  expect(asked).toEqual([person(1).userId]);
});

test('[ROOM9] a long name is cut off where it ends, also one from right to left', async () => {
  show({ members: [member(7, 'فاطمة الزهراء')] });
  expect(await screen.findByTitle('فاطمة الزهراء')).toHaveAttribute('dir', 'auto');
});
