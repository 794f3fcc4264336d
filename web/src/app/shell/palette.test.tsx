import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { createFakeRoomSession, fakeEnteredRoom } from '#test/fake-room-session.ts';
import { renderApp } from '#test/render-app.tsx';
import { renderShell } from '#test/render-shell.tsx';
import { channelOf, pageOf, userOf } from '#test/samples.ts';

const USERS = [userOf(2, 'Léa', 'Martin'), userOf(3, 'Coralie', 'Bernard'), userOf(4, 'Marco', 'Rossi')];
const prepare = (api: ApiDouble) => {
  api.on(getAllUsers, (query) => pageOf(USERS, query, (user) => `${user.firstName} ${user.lastName}`));
  api.on(getAllChannels, (query) =>
    pageOf([channelOf(1, 'Équipe Nord'), channelOf(2, 'Appeler le PC')], query, ({ name }) => name),
  );
};
const open = async (role: 'admin' | 'member' = 'admin') => {
  const app = await renderApp({ at: '/channelsList', signedIn: { role }, prepare });
  await screen.findByRole('heading', { level: 1, name: 'Canaux' });
  return app;
};
const ask = async (user: UserEvent, text: string) => {
  await user.keyboard('{Control>}k{/Control}');
  const dialog = await screen.findByRole('dialog', { name: 'Aller à…' });
  await waitFor(() => expect(within(dialog).getByRole('combobox')).toHaveFocus());
  if (text !== '') await user.keyboard(text);
  return {
    dialog,
    options: () =>
      within(dialog)
        .queryAllByRole('option')
        .map((option) => option.querySelector('bdi')?.textContent),
    answered: () => waitFor(() => expect(dialog.querySelector('[data-combobox-disabled]')).toBeNull()),
  };
};

test('[LIST14] a person whose name begins as was typed comes before the screens; the letters elsewhere in a name don’t', async () => {
  const { user } = await open();
  const { options, answered } = await ask(user, 'co');
  await waitFor(() => expect(options()).toContain('Coralie Bernard · COR'));
  await answered();
  expect(options()[0]).toBe('Coralie Bernard · COR');
  expect(options()).toContain('Coéquipiers');
  expect(options()).toContain('Appeler Coralie Bernard · COR');
  await user.keyboard('{Backspace}{Backspace}arco');
  await waitFor(() => expect(options()).toEqual(['Marco Rossi · MAR']));
});

test('[LIST14] Enter waits for the people whom the name may mean, though a screen is known at once', async () => {
  const app = await open();
  await ask(app.user, 'co{Enter}');
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: `sheet:${USERS[1]?.id}` }));
});

test('[LIST14] without a link Enter waits for nobody: what is known is there at once', async () => {
  const app = await open();
  app.api.on(getAllUsers, () => new Promise<never>(() => undefined));
  act(() => app.realtime.setLink('down'));
  await ask(app.user, 'tableau{Enter}');
  await waitFor(() => expect(app.router.state.location.pathname).toBe('/dashboard'));
});

test('[LIST14] “appeler” and a name call that person, and the command leads there', async () => {
  const { user } = await open();
  const { dialog, options, answered } = await ask(user, 'appel');
  await waitFor(() => expect(options()).toEqual(['Appeler le PC', 'Appeler un coéquipier…']));
  await answered();
  await user.keyboard('{ArrowDown}');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(within(dialog).getByRole('combobox')).toHaveValue('appeler '));
  await user.keyboard('martin');
  await waitFor(() => expect(options()).toEqual(['Appeler Léa Martin · LÉA']));
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('dialog', { name: /Léa/u })).toBeVisible();
  expect(screen.queryByRole('dialog', { name: 'Aller à…' })).toBeNull();
});

test('[LIST14] a channel that is named like an order is found all the same', async () => {
  const { user } = await open();
  const { options } = await ask(user, 'appeler le PC');
  await waitFor(() => expect(options()).toEqual(['Appeler le PC']));
});

test('[LIST14] commands add, change the language and the appearance, and show the keys', async () => {
  const app = await open();
  await ask(app.user, 'créer{Enter}');
  const form = await screen.findByRole('dialog', { name: 'Nouveau canal' });
  await waitFor(() => expect(form).toContainElement(document.activeElement as HTMLElement));
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const found = await ask(app.user, 'sombre');
  await waitFor(() => expect(found.options()).toEqual(['Apparence\u00a0: Sombre']));
  await app.user.keyboard('{Enter}');
  await waitFor(() => expect(document.documentElement).toHaveAttribute('data-mantine-color-scheme', 'dark'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await ask(app.user, 'raccourcis{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Raccourcis clavier' })).toBeVisible();
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await ask(app.user, 'deutsch{Enter}');
  expect(await screen.findByRole('heading', { level: 1, name: 'Kanäle' })).toBeVisible();
});

test('[LIST14] members get the commands that are theirs', async () => {
  const { user } = await open('member');
  const { options } = await ask(user, '');
  await waitFor(() => expect(options()).toContain('Entrer dans un canal…'));
  for (const refused of ['Appeler un coéquipier…', 'Ajouter un coéquipier', 'Créer un canal'])
    expect(options()).not.toContain(refused);
});

test('[LIST14] where fingers are all there is, no keys are offered', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => Object.assign(new EventTarget(), { matches: query.includes('hover: none'), media: query }) as never,
  );
  const { user } = await open();
  const { options } = await ask(user, '');
  await waitFor(() => expect(options()).toContain('Créer un canal'));
  expect(options()).not.toContain('Raccourcis clavier');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: /^Compte/u }));
  expect(await screen.findByRole('menuitem', { name: 'Mon profil' })).toBeVisible();
  expect(screen.queryByRole('menuitem', { name: 'Raccourcis clavier' })).toBeNull();
});

test('[LIST14] in a room one leaves it by a command; on its own page nothing leads back there', async () => {
  const shell = await renderShell();
  await screen.findByRole('heading', { level: 1, name: 'Le salon' });
  const fake = createFakeRoomSession();
  act(() => void shell.enteredRooms().enter('Nord', () => fakeEnteredRoom(fake.room)));
  const { options } = await ask(shell.user, '');
  await waitFor(() => expect(options()).toContain('Quitter Maraude Nord'));
  expect(options()).not.toContain('Revenir dans Maraude Nord');
  await shell.user.keyboard('quitter{Enter}');
  await waitFor(() => expect(shell.router.state.location.pathname).toBe('/channelsList'));
  expect(fake.calls).toContain('close');
});

test('[LIST14] “?” in a room shows its talk key and keys first, and the account’s menu has the same', async () => {
  const shell = await renderShell();
  await screen.findByRole('heading', { level: 1, name: 'Le salon' });
  act(() => void shell.enteredRooms().enter('Nord', () => fakeEnteredRoom(createFakeRoomSession().room)));
  await shell.user.keyboard('?');
  const sheet = await screen.findByRole('dialog', { name: 'Raccourcis clavier' });
  const [first] = within(sheet).getAllByRole('term');
  expect(first).toHaveTextContent('Espace');
  expect(within(sheet).getByRole('heading', { name: 'Dans le canal' })).toBeVisible();
  await shell.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  act(() => shell.enteredRooms().leave());
  await shell.user.click(screen.getByRole('button', { name: /^Compte/u }));
  await shell.user.click(await screen.findByRole('menuitem', { name: 'Raccourcis clavier' }));
  const again = await screen.findByRole('dialog', { name: 'Raccourcis clavier' });
  expect(within(again).queryByRole('heading', { name: 'Dans le canal' })).toBeNull();
});
