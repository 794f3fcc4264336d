import { getAllChannels } from '@pressel/contract/channels';
import { changeUsers, getAllUsers, getUserById, getUserIds, type User } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, userOf } from '#test/samples.ts';

const nameOf = (user: User) => `${user.firstName} ${user.lastName}`;
const team = (count: number) => Array.from({ length: count }, (_, index) => userOf(index + 2, `P${index}`, 'Nom'));
const allDone = ({ userIds }: { userIds: readonly string[] }) => ({
  success: true,
  res: userIds.map((userId) => ({ userId, outcome: 'done' })),
});

const withTeam = (users: User[]) => (api: ApiDouble) => {
  api.on(getAllUsers, (query) => {
    const asked = query.ids === undefined ? users : users.filter(({ id }) => query.ids?.includes(id));
    return pageOf(asked, query, nameOf);
  });
  api.on(getUserIds, ({ filter = '' }) => ({
    success: true,
    res: users.filter((user) => nameOf(user).includes(filter)).map(({ id }) => id),
  }));
  api.on(changeUsers, allDone);
};
const start = (users: User[], at = '/usersList') =>
  renderApp({ at, signedIn: {}, language: 'en', prepare: withTeam(users) });
const box = (name: string) => screen.getByRole('checkbox', { name });
const press = async (app: AppUnderTest, name: string | RegExp) =>
  app.user.click(await screen.findByRole('button', { name }));
/** Waits with the answer until the question has named everybody. */
const confirm = async (app: AppUnderTest, name: string) => {
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button).toBeEnabled());
  await app.user.click(button);
};
const choose = async (app: AppUnderTest, menu: string, item: string) => {
  const bar = await screen.findByRole('region', { name: 'Actions on the selection' });
  await app.user.click(within(bar).getByRole('button', { name: menu }));
  await app.user.click(await screen.findByRole('menuitem', { name: item }));
};

test('ticks survive pages, orders and filters, and all that the filter finds can be selected at once', async () => {
  const app = await start(team(30));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P1 Nom' }));
  const bar = await screen.findByRole('region', { name: 'Actions on the selection' });
  expect(bar).toHaveTextContent('1 selected');
  await press(app, 'Next page');
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P5 Nom' }));
  await press(app, 'Previous page');
  expect(await screen.findByRole('checkbox', { name: 'Select P1 Nom' })).toBeChecked();
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.paste('P2');
  await press(app, 'Select all 11 that match the filter');
  await waitFor(() => expect(bar).toHaveTextContent('13 selected'));
  expect(app.api.inputs(getUserIds).at(-1)).toMatchObject({ filter: 'P2', language: 'en' });
  await press(app, 'Clear the selection');
  expect(screen.queryByRole('region', { name: 'Actions on the selection' })).toBeNull();
  expect(screen.getByRole('searchbox')).toHaveFocus();
});

test('[LIST8] the question names the first five, and the others on request', async () => {
  const app = await start(team(17));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P1 Nom' }));
  await press(app, 'Select all 17');
  await press(app, 'Delete');
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete 17 users?' }));
  const list = await dialog.findByRole('list', { name: 'Users' });
  expect(within(list).getAllByText(/^P\d+ Nom$/u)).toHaveLength(5);
  expect(list).toHaveTextContent('P0 Nomp0@example.org');
  await app.user.click(within(list).getByRole('button', { name: 'and 12 more' }));
  expect(within(list).getAllByText(/^P\d+ Nom$/u)).toHaveLength(17);
});

test('[LIST8] whom the filter hides is named first and marked', async () => {
  const app = await start(team(8));
  for (const name of ['P1', 'P2', 'P3']) {
    await app.user.click(await screen.findByRole('checkbox', { name: `Select ${name} Nom` }));
  }
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.paste('P2');
  await waitFor(() => expect(screen.queryByText('P1')).toBeNull());
  await press(app, 'Delete');
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete 3 users?' }));
  expect(await dialog.findByText('The filter “P2” hides 2 of them.')).toBeVisible();
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'P1 Nomp1@example.org · hidden by the filter',
    'P3 Nomp3@example.org · hidden by the filter',
    'P2 Nomp2@example.org',
  ]);
});

test('[LIST8] names that can’t be read are said to be missing, and nobody is deleted unnamed', async () => {
  const app = await start(team(2));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select the whole page' }));
  app.api.fail(getAllUsers, new ApiError('internal'));
  await press(app, 'Delete');
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete 2 users?' }));
  expect(await dialog.findByRole('alert')).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Yes, delete 2 accounts' })).toBeDisabled();
  withTeam(team(2))(app.api);
  await app.user.click(dialog.getByRole('button', { name: 'Try again' }));
  expect(await dialog.findByText('P1 Nom')).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Yes, delete 2 accounts' })).toBeEnabled();
});

test('map access is granted to all who are selected once the number is confirmed', async () => {
  const app = await start(team(3));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select the whole page' }));
  await choose(app, 'Map', 'Grant map access…');
  const dialog = await screen.findByRole('dialog', { name: 'Grant map access to 3 users?' });
  await confirm(app, 'Grant access');
  expect(await within(dialog).findByText('3 users changed.')).toBeVisible();
  expect(app.api.inputs(changeUsers)[0]).toMatchObject({ change: { type: 'setMapRight', mapRight: true } });
  await app.user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(box('Select P0 Nom'), 'the next act may be for the same').toBeChecked();
  await waitFor(() => expect(document.activeElement).toHaveAccessibleName('Map'));
});

test('channels are chosen before anybody is added to them', async () => {
  const nord = channelOf(1, 'Nord');
  const app = await start(team(2));
  app.api.on(getAllChannels, (query) => pageOf([nord], query, ({ name }) => name));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select the whole page' }));
  await choose(app, 'Channels', 'Add to channels…');
  const dialog = await screen.findByRole('dialog', { name: 'Add 2 users to channels' });
  const add = within(dialog).getByRole('button', { name: 'Add' });
  expect(add).toBeDisabled();
  await app.user.click(await within(dialog).findByRole('checkbox', { name: 'Select Nord' }));
  await app.user.click(add);
  expect(await within(dialog).findByText('2 users changed.')).toBeVisible();
  expect(app.api.inputs(changeUsers)[0]?.change).toEqual({ type: 'addToChannels', channelIds: [nord.id] });
});

test('oneself is left out of a deletion, and those who are gone leave the selection', async () => {
  const self = userOf(1, 'Camille', 'Durand');
  const app = await start([self, ...team(2)]);
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select the whole page' }));
  await press(app, 'Delete');
  const dialog = await screen.findByRole('dialog', { name: 'Delete 2 users?' });
  expect(dialog).toHaveTextContent('Your own account is in the selection: it is left out.');
  await confirm(app, 'Yes, delete 2 accounts');
  expect(await within(dialog).findByText('2 users deleted.')).toBeVisible();
  expect(app.api.inputs(changeUsers)[0]?.userIds).not.toContain(self.id);
  await app.user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.getByRole('region', { name: /selection/u })).toHaveTextContent('1 selected'));
});

test('who could not be changed is named with the reason, also when no page showed them', async () => {
  const users = team(8);
  const [gone, , , , , , unseen] = users;
  const app = await start(users);
  app.api.on(getUserById, () => ({ success: true, res: unseen }));
  app.api.on(changeUsers, ({ userIds }) => ({
    success: true,
    res: userIds.map((userId) => ({
      userId,
      outcome: userId === gone?.id ? 'not_found' : userId === unseen?.id ? 'last_admin' : 'done',
    })),
  }));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P1 Nom' }));
  await press(app, 'Select all 8');
  await press(app, 'Delete');
  await confirm(app, 'Yes, delete 8 accounts');
  const list = await screen.findByRole('region', { name: '2 were not changed:' });
  expect(list).toHaveTextContent('P0 Nomdeleted in the meantime');
  await waitFor(() => expect(list).toHaveTextContent('P6 Nomlast administrator: one must remain'));
  expect(screen.getByRole('dialog')).toHaveTextContent('6 users deleted.');
});

test('many go in parts, which can be stopped between; what is done stays done, and it can go on', async () => {
  const parts: PromiseWithResolvers<void>[] = [];
  const app = await start(team(250));
  app.api.on(changeUsers, async (input) => {
    const part = Promise.withResolvers<void>();
    parts.push(part);
    await part.promise;
    return allDone(input);
  });
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P1 Nom' }));
  await press(app, 'Select all 250');
  await choose(app, 'Map', 'Withdraw map access…');
  await confirm(app, 'Withdraw access');
  const progress = await screen.findByRole('progressbar');
  parts[0]?.resolve();
  expect(await screen.findByText('100 of 250')).toBeVisible();
  expect(progress).toHaveAttribute('value', '100');
  await app.user.keyboard('{Escape}');
  expect(screen.getByRole('dialog'), 'nobody closes what is under way').toBeVisible();
  await press(app, 'Stop');
  parts[1]?.resolve();
  expect(await screen.findByText('Stopped before the end')).toBeVisible();
  expect(screen.getByText('200 users changed.')).toBeVisible();
  expect(screen.getByText('50 were not reached; what is done stays done.')).toBeVisible();
  expect(parts).toHaveLength(2);
  await press(app, 'Continue');
  await waitFor(() => expect(parts).toHaveLength(3));
  parts[2]?.resolve();
  expect(await screen.findByText('250 users changed.')).toBeVisible();
});

test('a lost link says how far it came and goes on from there', async () => {
  const app = await start(team(2));
  app.api.fail(changeUsers, new ApiError('unreachable'));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select the whole page' }));
  await choose(app, 'Map', 'Grant map access…');
  await confirm(app, 'Grant access');
  expect(await screen.findByText('Interrupted')).toBeVisible();
  expect(within(screen.getByRole('dialog')).getByRole('alert')).toHaveTextContent(
    'For 2 of them it is not known whether the server did it',
  );
  app.api.on(changeUsers, allDone);
  await press(app, 'Continue');
  expect(await screen.findByText('2 users changed.')).toBeVisible();
});

test('selecting all that could not be read says so', async () => {
  const app = await start(team(8));
  app.api.fail(getUserIds, new ApiError('unreachable'));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Select P1 Nom' }));
  await press(app, 'Select all 8');
  expect(await screen.findByText('The selection failed')).toBeVisible();
});
