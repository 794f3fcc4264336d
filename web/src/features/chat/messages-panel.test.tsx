import { getUsersInChannel } from '@pressel/contract/channels';
import {
  deleteMessage,
  getChannelMessages,
  getMessageReaders,
  searchMessages,
  sendMessage,
} from '@pressel/contract/chat';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { CHANNEL, ME, messageOf, OTHER } from '#test/chat-bench.ts';
import { member } from '#test/members-list.ts';
import { renderPanel } from '#test/render-panel.tsx';
import { stubLayout } from '#test/stub-layout.ts';

beforeEach(stubLayout);

const field = () => screen.getByRole('textbox', { name: 'Votre message' });
const rowOf = async (text: string) => {
  const row = (await screen.findByText(text)).closest<HTMLElement>('li');
  if (row === null) throw new Error(`No row says ${text}`);
  return row;
};
const ready = () => waitFor(() => expect(screen.getByRole('button', { name: 'Envoyer une image' })).toBeEnabled());

test('[CHATS13] own messages are called mine, others by their name, with the time alone under the day', async () => {
  const { realtime } = await renderPanel(1);
  realtime.tell('messageResponse', messageOf(2, { userId: ME, user: { display_name: 'Camille' }, textMsg: 'Reçu' }));
  expect(await rowOf('Message 1')).toHaveTextContent(/^Noé\d\d:\d\d20 nov\. , \d\d:\d\dMessage 1$/u);
  // Screen readers don't pass the day's heading, so they hear the full date.
  expect((await rowOf('Message 1')).querySelector('time [aria-hidden]')).toHaveTextContent(/^\d\d:\d\d$/u);
  expect(await rowOf('Reçu')).toHaveTextContent(/^Moi\d\d:\d\d20 nov\. , /u);
  // A name that is too long is shown in full on hover, and cut off where it ends in its own direction.
  expect(screen.getByTitle('Noé')).toHaveAttribute('dir', 'auto');
});

test('[LOGS15] to administrators a name leads to what that person did in this channel', async () => {
  await renderPanel(1, { user: { role: 'admin' } });
  await screen.findByText('Message 1');
  const link = screen.getByRole('link', { name: 'Noé' });
  expect(link).toHaveAttribute('href', `/activities?by=${OTHER}&channel=${CHANNEL}&scope=all`);
});

test('[CHATS33] Enter sends, Shift and Enter starts a line, blanks are nothing', async () => {
  const { user, api } = await renderPanel(1);
  await ready();
  await user.type(field(), '  {Enter}');
  await user.type(field(), 'one{Shift>}{Enter}{/Shift}two {Enter}');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual(['one\ntwo']));
  expect(field()).toHaveValue('');
  expect(field()).toHaveFocus();
  await rowOf('one two');
});

test('[CHATS33] Escape leaves the field, and what was written stays, also for the next visit', async () => {
  const { user, unmount } = await renderPanel(1);
  await user.type(field(), 'half a thought{Escape}');
  expect(field()).not.toHaveFocus();
  expect(field()).toHaveValue('half a thought');
  unmount();
  await renderPanel(1);
  expect(field()).toHaveValue('half a thought');
});

test('[CHATS34] a text that is longer than a message may be stays whole, says so, and is sent once it fits', async () => {
  const { user, api } = await renderPanel(1);
  await ready();
  const text = 'x'.repeat(4_001);
  await user.click(field());
  await user.paste(text);
  expect(field()).toHaveValue(text);
  expect(field()).toBeInvalid();
  expect(field()).toHaveAccessibleDescription(/4\s001 caractères/u);
  expect(screen.getByRole('button', { name: 'Envoyer' })).toBeDisabled();
  await user.keyboard('{Enter}');
  expect(field()).toHaveValue(text);
  await user.keyboard('{Backspace}{Enter}');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message.length)).toEqual([4_000]));
});

test('[CHATS33] the Enter that ends a composition sends nothing', async () => {
  const { api, user } = await renderPanel(1);
  await ready();
  await user.type(field(), 'にほん');
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true });
  fireEvent.keyDown(field(), { key: 'Enter', keyCode: 229 });
  fireEvent.keyDown(field(), { key: 'Escape', isComposing: true });
  expect(field()).toHaveFocus();
  expect(api.inputs(sendMessage)).toEqual([]);
});

test('[CHATS20] what is written without a link shows as waiting, with what can be done', async () => {
  const { user, realtime, api } = await renderPanel(1);
  await ready();
  realtime.setLink('down');
  await user.type(field(), 'later{Enter}');
  const row = await rowOf('later');
  expect(row).toHaveTextContent('En attente');
  await user.click(within(row).getByRole('button', { name: 'Abandonner' }));
  expect(screen.queryByText('later')).toBeNull();
  expect(api.inputs(sendMessage)).toEqual([]);
});

test('[CHATS25] a refused message says why', async () => {
  const { user, api } = await renderPanel(1);
  await ready();
  api.fail(sendMessage, new ApiError('not_a_member'));
  await user.type(field(), 'kept{Enter}');
  const row = await rowOf('kept');
  await waitFor(() => expect(row).toHaveTextContent('Non envoyéVous n’êtes pas membre de ce canal.'));
  expect(within(row).getByRole('button', { name: 'Réessayer' })).toBeEnabled();
});

test('[CHATS14] one may delete what is one’s own, an administrator everything; the question comes first', async () => {
  const { realtime, api, user } = await renderPanel(1);
  const own = messageOf(2, { userId: ME, textMsg: 'mine' });
  realtime.tell('messageResponse', own);
  expect(within(await rowOf('Message 1')).queryByRole('button')).toBeNull();
  api.fail(deleteMessage, new ApiError('internal'));
  await user.click(within(await rowOf('mine')).getByRole('button', { name: 'Supprimer ce message' }));
  const dialog = await screen.findByRole('dialog', { name: 'Êtes-vous sûr\u202f?' });
  expect(api.inputs(deleteMessage)).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Oui, supprimer' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(
    'Oups… Une erreur est survenue ! Veuillez réessayer.',
  );
  api.on(deleteMessage, () => ({ success: true }));
  await user.click(within(dialog).getByRole('button', { name: 'Oui, supprimer' }));
  await waitFor(() => expect(document.querySelector('[data-message="2"]')).toBeNull());
  expect(api.inputs(deleteMessage)).toEqual([{ msgId: own.id }, { msgId: own.id }]);
});

test('[CHATS14] a message that somebody else deleted meanwhile is gone, without a fault', async () => {
  const { api, user } = await renderPanel(1, { user: { role: 'admin' } });
  api.fail(deleteMessage, new ApiError('not_found'));
  await user.click(within(await rowOf('Message 1')).getByRole('button', { name: 'Supprimer ce message' }));
  await user.click(await screen.findByRole('button', { name: 'Oui, supprimer' }));
  await screen.findByText('Pas encore de message');
});

test('[CHATS17] an administrator sees who read a message; nobody else is offered it', async () => {
  const { api, user } = await renderPanel(1, { user: { role: 'admin' } });
  api.on(getMessageReaders, () => ({
    success: true,
    res: [{ userId: OTHER, display_name: 'Inès', readAt: '2026-11-20T11:00:00.000Z' }],
    memberCount: 3,
  }));
  await user.click(within(await rowOf('Message 1')).getByRole('button', { name: 'Voir qui a lu ce message' }));
  const dialog = await screen.findByRole('dialog', { name: 'Qui a lu ce message' });
  expect(await within(dialog).findByText('Inès')).toBeInTheDocument();
  expect(within(dialog).getByText('Lu par 1 personne · membres, sans l’auteur : 3')).toBeInTheDocument();
});

test('[CHATS18] the icon opens the search, Escape closes it with what was searched, and the focus goes back', async () => {
  const { user, api } = await renderPanel(1);
  api.on(searchMessages, () => ({ success: true, res: [], hasOlder: false }));
  const opener = screen.getByRole('button', { name: 'Chercher dans les messages' });
  await user.click(opener);
  expect(screen.getByRole('searchbox')).toHaveFocus();
  await user.keyboard('abc{Escape}');
  expect(screen.getByRole('searchbox')).toHaveValue('');
  expect(opener).toHaveFocus();
  await user.click(opener);
  await user.click(screen.getByRole('button', { name: 'Revenir aux messages' }));
  expect(opener).toHaveFocus();
});

test('[CHATS16] a search shows what contains the words, and leads there', async () => {
  const { api, user, channel } = await renderPanel(200);
  api.on(searchMessages, ({ text }) => ({
    success: true,
    res: [...channel.messages.values()].filter(({ textMsg }) => textMsg.endsWith(text)).reverse(),
    hasOlder: false,
  }));
  await rowOf('Message 200');
  await user.type(screen.getByRole('searchbox', { name: 'Chercher dans les messages' }), 'age 12');
  const found = await screen.findByRole('list', { name: 'Messages trouvés' });
  await user.click(within(found).getByRole('button', { name: /Message 12/u }));
  expect(screen.queryByRole('list', { name: 'Messages trouvés' })).toBeNull();
  await waitFor(() => expect(api.inputs(getChannelMessages).at(-1)).toMatchObject({ around: 12 }));
  await user.type(screen.getByRole('searchbox'), 'xyz');
  expect(await screen.findByText('Aucun message ne contient « xyz ».')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(screen.getByRole('searchbox')).toHaveValue('');
});

test('[CHATS12] who types is named, one, two, or how many', async () => {
  const { realtime } = await renderPanel(1);
  const types = (n: number, name: string) =>
    realtime.tell('typingResponse', { channelId: CHANNEL, userId: messageOf(n).id as never, name });
  types(1, 'Noé');
  expect(await screen.findByText('Noé écrit…')).toBeInTheDocument();
  types(2, 'Inès');
  expect(await screen.findByText('Noé et Inès écrivent…')).toBeInTheDocument();
  types(3, 'Zoé');
  expect(await screen.findByText('3 personnes écrivent…')).toBeInTheDocument();
});

test('[CHATS40] an image that is pasted into the field opens the dialog; text stays text', async () => {
  const { user } = await renderPanel(1);
  await ready();
  await user.click(field());
  await user.paste('words');
  expect(field()).toHaveValue('words');
  const file = new File(['%PDF'], 'plan.pdf');
  fireEvent.paste(field(), { clipboardData: { files: [file], types: ['Files'] } });
  const dialog = await screen.findByRole('dialog', { name: 'Envoyer une image' });
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(
    'Fichier invalide Veuillez choisir une image valide.',
  );
  expect(within(dialog).getByRole('button', { name: 'Envoyer l’image' })).toBeDisabled();
});

test('[CHATS40] what is dropped on the dialog is for the dialog alone: of several images it takes none', async () => {
  const { user } = await renderPanel(1);
  await ready();
  await user.click(screen.getByRole('button', { name: 'Envoyer une image' }));
  const dialog = await screen.findByRole('dialog', { name: 'Envoyer une image' });
  const files = [new File(['1'], 'a.png'), new File(['2'], 'b.png')];
  fireEvent.drop(within(dialog).getByText('Déposez une image ici'), { dataTransfer: { files, types: ['Files'] } });
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('Une seule image à la fois.');
});

test.each([
  ['en', 'Me', 'No messages yet'],
  ['de', 'Ich', 'Noch keine Nachrichten'],
] as const)('in %s too', async (language, me, empty) => {
  const { realtime } = await renderPanel(0, { language });
  expect(await screen.findByText(empty)).toBeInTheDocument();
  realtime.tell('messageResponse', messageOf(1, { userId: ME }));
  expect(await screen.findByText(me)).toBeInTheDocument();
});

test('[CHATS30] what the device doesn’t keep says so, and what to do; a reload or crash loses no text, and it is sent once', async () => {
  const { user, realtime, unmount } = await renderPanel(1);
  await ready();
  realtime.setLink('down');
  await user.type(field(), 'written in the dark{Enter}');
  await waitFor(async () =>
    expect(await rowOf('written in the dark')).toHaveTextContent(/En attente.*Dans cet onglet seulement/u),
  );
  expect(
    screen.getAllByText(/^Cet appareil ne garde rien pour l’instant : laissez cet onglet ouvert/u)[0],
  ).toBeVisible();
  unmount();
  const { api } = await renderPanel(1);
  expect(field()).toHaveValue('');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual(['written in the dark']));
  await waitFor(() => expect(screen.queryByText('Dans cet onglet seulement')).toBeNull());
  unmount();
});

test('[CHATS33] a crash right after Enter loses nothing, and what is sent doesn’t come back into the field', async () => {
  const { user, realtime, unmount } = await renderPanel(1);
  await ready();
  realtime.setLink('down');
  await user.type(field(), 'and out');
  // Nothing else runs after the crash: neither the outbox nor its database.
  const asItWas = { ...window.sessionStorage };
  fireEvent.keyDown(field(), { key: 'Enter' });
  const atTheCrash = { ...window.sessionStorage };
  expect(Object.keys(atTheCrash)).toHaveLength(Object.keys(asItWas).length);
  unmount();
  window.sessionStorage.clear();
  for (const [key, value] of Object.entries(atTheCrash)) window.sessionStorage.setItem(key, String(value));
  const { api } = await renderPanel(1);
  expect(field()).toHaveValue('');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual(['and out']));
});

test('[CHATS46] an image that was chosen and not sent is shown above the field, outlasts the page, and can be removed', async () => {
  const prepare = async () => ({ ok: true, image: { blob: new Blob(['x']), width: 2, height: 1 } }) as const;
  const { user, unmount, again } = await renderPanel(1, { prepare });
  await ready();
  fireEvent.paste(field(), { clipboardData: { files: [new File(['x'], 'door.jpg')], types: ['Files'] } });
  const dialog = await screen.findByRole('dialog', { name: 'Envoyer une image' });
  await user.type(await within(dialog).findByLabelText('Légende'), 'The south door');
  // Back leads to another page, and Forward comes here again.
  unmount();
  again();
  await ready();
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(await screen.findByRole('button', { name: /^Image pas encore envoyée\s*The south door$/u }));
  expect(await screen.findByLabelText('Légende')).toHaveValue('The south door');
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Retirer l’image' }));
  expect(screen.queryByText('The south door')).toBeNull();
});

test('[CHATS50] a list that opens at its end says what is unread above, also where it holds all of that', async () => {
  const { user } = await renderPanel(60, { readUpTo: 12 });
  expect(await screen.findByRole('button', { name: /^48 non lus depuis /u })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Masquer ce rappel' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: /non lus/u })).toBeNull());
});

/** A channel with these members; each answer waits for `answer` if it is given. */
function offerMembers(api: Awaited<ReturnType<typeof renderPanel>>['api'], answer?: Promise<void>) {
  const people = [['PC 1', 'Camille', 'Aubert'] as const, ['', 'Noé', 'Le Gall'] as const];
  const all = people.map(([pseudo, firstName, lastName], n) =>
    Object.assign(member(n + 10), { pseudo, firstName, lastName, display_name: pseudo || `${firstName} ${lastName}` }),
  );
  api.on(getUsersInChannel, async ({ filter }) => {
    if (filter !== undefined) await answer;
    const res = all.filter((one) => one.display_name.toLowerCase().includes(filter?.toLowerCase() ?? ''));
    return { success: true, res, totalRecords: res.length };
  });
}
const offered = () => screen.queryAllByRole('option').map((one) => one.textContent);

test('[CHATS59] whoever writes an @ chooses among the members by keyboard or pointer, and sends the name', async () => {
  const { user, api } = await renderPanel(1);
  offerMembers(api);
  await ready();
  await user.type(field(), 'Lu a@');
  expect(screen.queryByRole('listbox')).toBeNull();
  await user.type(field(), '{Backspace} @');
  await waitFor(() => expect(offered()).toEqual(['PC 1Camille Aubert', 'Noé Le Gall']));
  expect(field()).toHaveAttribute('aria-controls', screen.getByRole('listbox').id);
  expect(field()).toHaveAttribute('aria-activedescendant', screen.getByRole('option', { selected: true }).id);
  // With Shift the arrow selects text, and Tab leaves.
  fireEvent.keyDown(field(), { key: 'ArrowDown', shiftKey: true });
  fireEvent.keyDown(field(), { key: 'Tab', shiftKey: true });
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true });
  expect(screen.getByRole('option', { selected: true })).toHaveTextContent('PC 1');
  await user.keyboard('{ArrowDown}{Enter}');
  expect(field()).toHaveValue('Lu a @Noé\u00a0Le\u00a0Gall ');
  expect(api.inputs(sendMessage)).toEqual([]);
  await user.keyboard('et @p');
  await user.click(await screen.findByRole('option', { name: /PC 1/u }));
  expect(field()).toHaveFocus();
  await user.keyboard('{Enter}');
  await waitFor(() =>
    expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual([
      'Lu a @Noé\u00a0Le\u00a0Gall et @PC\u00a01',
    ]),
  );
});

test('[CHATS59] Escape closes the list until another @ is written', async () => {
  const { user, api } = await renderPanel(1);
  offerMembers(api);
  await ready();
  await user.type(field(), '@');
  await screen.findByRole('listbox');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('listbox')).toBeNull();
  expect(field()).toHaveFocus();
  await user.keyboard('no');
  expect(screen.queryByRole('listbox')).toBeNull();
  await user.keyboard('{Enter}@');
  expect(await screen.findByRole('listbox')).toBeInTheDocument();
  await user.keyboard('{Escape}{Escape}');
  expect(field()).not.toHaveFocus();
});

test('[CHATS59] whoever types faster than the answers come never chooses somebody whose name doesn’t fit', async () => {
  const { user, api } = await renderPanel(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  offerMembers(api, promise);
  await ready();
  await user.type(field(), '@');
  await waitFor(() => expect(offered()).toHaveLength(2));
  await user.keyboard('noe');
  expect(offered()).toEqual(['Noé Le Gall']);
  await user.keyboard('l');
  expect(offered()).toEqual([]);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual(['@noel']));
  resolve();
});

test('[CHATS59] where the members can’t be read there is no list, and Enter sends', async () => {
  const { user, api } = await renderPanel(1);
  api.fail(getUsersInChannel, new ApiError('not_a_member'));
  await ready();
  await user.type(field(), '@');
  await waitFor(() => expect(api.inputs(getUsersInChannel)).toHaveLength(1));
  await user.keyboard('noé{Enter}');
  await waitFor(() => expect(api.inputs(sendMessage).map(({ message }) => message)).toEqual(['@noé']));
  expect(screen.queryByRole('listbox')).toBeNull();
});
