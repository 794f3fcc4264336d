import type { UserId } from '@pressel/contract/ids';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { person } from '#test/fake-room-session.ts';
import { CROWD, memberOf, NORD, showMembers } from '#test/render-members.tsx';
import { stubLayout } from '#test/stub-layout.ts';
import type { MembersPart } from './members-part.ts';

beforeEach(stubLayout);

const rows = () => screen.getAllByRole('listitem');
const nameIn = (row: HTMLElement) => row.querySelector('[dir=auto]')?.textContent;
const names = () => rows().map(nameIn);
const list = () => screen.getByRole('list').parentElement as HTMLElement;
const point = () => void fireEvent.pointerEnter(list());
const filterBox = (isSide: boolean) => screen.getByRole(isSide ? 'searchbox' : 'textbox');
const typeFilter = (isSide: boolean, value: string) => void fireEvent.change(filterBox(isSide), { target: { value } });
const socket = (channelId: typeof NORD | null) => ({ userId: person(1).userId, channelId, socket_id: person(1).id });

test.each([false, true])(
  '[ROOM9] of a long list what a filter finds takes the places at once, also under the pointer (sidebar: %s)',
  async (isSide) => {
    const { holdAnswers, inputs, tell, become, queries } = await showMembers({ isSide, members: CROWD });
    point();
    const answer = holdAnswers();
    typeFilter(isSide, 'membre 499');
    await waitFor(() => expect(inputs()).toHaveLength(2));
    // Until the answer comes, the rows before stay in their places.
    expect(names().slice(0, 3)).toEqual(['Membre 1', 'Membre 2', 'Membre 3']);
    await answer();
    const found = ['Membre 499', ...Array.from({ length: 10 }, (_, digit) => `Membre 499${digit}`)];
    await waitFor(() => expect(names()).toEqual(found));
    // And then the rows keep their places.
    become([memberOf(9_000, 'A membre 499'), ...CROWD]);
    tell({ what: 'memberships', channelId: NORD, userIds: [person(9_000).userId as UserId] });
    const isKnown = () =>
      queries
        .getQueryCache()
        .getAll()
        .some(({ state }) => (state.data as MembersPart).rows[0]?.firstName === 'A membre 499');
    await waitFor(() => expect(isKnown()).toBe(true));
    await act(async () => undefined);
    expect(names()).toEqual(found);
    fireEvent.pointerLeave(list());
    await waitFor(() => expect(names()[0]).toBe('A membre 499'));
  },
);

test('[ROOM9] of a long list the other order takes the places at once, also under the pointer', async () => {
  const { holdAnswers, inputs } = await showMembers({ members: CROWD });
  point();
  const answer = holdAnswers();
  fireEvent.click(screen.getByRole('button', { name: 'Nom, de A à Z' }));
  await waitFor(() => expect(inputs()).toHaveLength(2));
  expect(names()[0]).toBe('Membre 1');
  await answer();
  await waitFor(() => expect(names().slice(0, 2)).toEqual(['Membre 5000', 'Membre 4999']));
});

test('of a long list guests are filtered together with the members, once these are there', async () => {
  const guest = { name: 'Julie', link: 'Pompiers' };
  const participants = [person(6_000, { name: 'Julie (Pompiers)', guest })];
  const { holdAnswers, inputs } = await showMembers({ members: CROWD.slice(0, 101), participants });
  const setSize = () => rows()[0]?.getAttribute('aria-setsize');
  expect(setSize()).toBe('102');
  const answer = holdAnswers();
  typeFilter(false, 'membre 1');
  await waitFor(() => expect(inputs()).toHaveLength(2));
  expect(setSize()).toBe('102');
  await answer();
  // 1, 10 to 19, 100 and 101.
  await waitFor(() => expect(setSize()).toBe('13'));
});

test('the sidebar’s filter stays, with the focus, when it is emptied in a long list', async () => {
  const { holdAnswers } = await showMembers({ isSide: true, members: CROWD });
  typeFilter(true, 'membre 4999');
  await waitFor(() => expect(names()).toEqual(['Membre 4999']));
  filterBox(true).focus();
  const answer = holdAnswers();
  typeFilter(true, '');
  expect(filterBox(true)).toHaveFocus();
  await answer();
  await waitFor(() => expect(rows().length).toBeGreaterThan(1));
  expect(filterBox(true)).toHaveFocus();
});

test('[KEYS6] how many a filter finds in a long list is said once it is answered', async () => {
  const { holdAnswers, shown } = await showMembers({ members: CROWD });
  const said = () => shown.container.querySelectorAll('[data-spoken] p').length;
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const answer = holdAnswers();
  typeFilter(false, 'membre 4999');
  await pass(3_000);
  expect(said()).toBe(0);
  await answer();
  await pass(1_000);
  expect(names()).toEqual(['Membre 4999']);
  expect(said()).toBe(1);
});

test.each([false, true])('[ROOM9] who is online elsewhere and signs out is offline (sidebar: %s)', async (isSide) => {
  const bob = memberOf(2, 'bob', { user_sockets: [{ ...socket(null), userId: person(2).userId }] });
  const { tellStatus, inputs } = await showMembers({ isSide, members: [memberOf(1, 'Ali'), bob] });
  const presence = () => rows().map((row) => row.getAttribute('data-presence'));
  expect(presence()).toEqual(['online', 'away']);
  point();
  tellStatus(bob);
  await waitFor(() => expect(presence()).toEqual(['away', 'away']));
  tellStatus(bob, null);
  await waitFor(() => expect(presence()).toEqual(['online', 'away']));
  expect(inputs()).toHaveLength(1);
});

test('[ROOM9] without a link the sidebar shows nobody as present, and knows again with it', async () => {
  const bob = memberOf(2, 'bob', { user_sockets: [{ ...socket(NORD), userId: person(2).userId }] });
  const { setLink } = await showMembers({ isSide: true, members: [memberOf(1, 'Ali'), bob] });
  const presence = () => rows().map((row) => row.getAttribute('data-presence'));
  expect(presence()).toContain('here');
  setLink('down');
  expect(presence()).toEqual(['unknown', 'unknown']);
  setLink('up');
  expect(presence()).toContain('here');
});

test('[ROOM9] of who is held under the pointer but stands far below by now it isn’t said that they are here', async () => {
  const last = memberOf(4_000, 'Membre 4000', { user_sockets: [{ ...socket(NORD), userId: person(4_000).userId }] });
  const { tellStatus } = await showMembers({
    isSide: true,
    members: CROWD.map((one) => (one.id === last.id ? last : one)),
  });
  const first = () => [nameIn(rows()[0] as HTMLElement), rows()[0]?.getAttribute('data-presence')];
  expect(first()).toEqual(['Membre 4000', 'here']);
  point();
  tellStatus(last);
  await waitFor(() => expect(first()).toEqual(['Membre 4000', 'unknown']));
  expect(rows()[0]).toHaveAttribute('aria-setsize', '5000');
  fireEvent.pointerLeave(list());
  expect(first()).toEqual(['Membre 1', 'away']);
});

test('[MEM3] beyond a thousand rows those in view are read again after a reconnect, also under the pointer', async () => {
  const { queries, inputs, become } = await showMembers({ members: CROWD });
  list().scrollTop = 36 * 1_500;
  fireEvent.scroll(list());
  expect(await screen.findByText('Membre 1502')).toBeInTheDocument();
  point();
  become(CROWD.map((one) => ({ ...one, lastName: 'bis' })));
  const before = inputs().length;
  await act(() => queries.invalidateQueries());
  expect(await screen.findByText('Membre 1502 bis')).toBeInTheDocument();
  expect(rows()[0]).toHaveAttribute('aria-setsize', '5000');
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(inputs().slice(before)).toMatchObject([{ start: 0, limit: 1_000 }, { start: 990 }]);
});
