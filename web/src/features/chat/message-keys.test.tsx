import { notifications } from '@mantine/notifications';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ME, messageOf } from '#test/chat-bench.ts';
import { renderPanel } from '#test/render-panel.tsx';
import { stubLayout } from '#test/stub-layout.ts';
import { HELD_MAX } from './message-window.ts';

beforeEach(stubLayout);

const row = async (text: string) => {
  const found = (await screen.findByText(text)).closest<HTMLElement>('li');
  if (found === null) throw new Error(`No row says ${text}`);
  return found;
};
const stops = () => document.querySelectorAll('[data-message-list] [tabindex="0"]');

test('[KEYS10] the list is one stop of the Tab key, at the last message; the arrows lead on, Home and End to the ends', async () => {
  const { user } = await renderPanel(5);
  await row('Message 5');
  await waitFor(() => expect([...stops()]).toEqual([document.querySelector('[data-message-stop]')]));
  await user.click(screen.getByRole('textbox', { name: 'Votre message' }));
  await user.tab({ shift: true });
  for (let step = 0; step < 3 && document.activeElement?.tagName !== 'LI'; step += 1) await user.tab({ shift: true });
  expect(await row('Message 5')).toHaveFocus();
  expect(await row('Message 5')).toHaveAccessibleName(/^Noé.*Message 5$/u);
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(await row('Message 3')).toHaveFocus();
  await user.keyboard('{Home}{ArrowUp}');
  expect(await row('Message 1')).toHaveFocus();
  await user.keyboard('{End}{ArrowDown}');
  expect(await row('Message 5')).toHaveFocus();
  await user.keyboard('{ArrowUp}');
  expect([...stops()]).toEqual([await row('Message 4')]);
});

test('[KEYS10] Enter and the arrows lead to what can be done with the current message, and back', async () => {
  const { user } = await renderPanel(3, { user: { role: 'admin' } });
  (await row('Message 2')).focus();
  await user.keyboard('{Enter}');
  expect(screen.getAllByRole('link', { name: 'Noé' })[1], 'the name leads into the log').toHaveFocus();
  await user.keyboard('{ArrowRight}');
  expect(screen.getAllByRole('button', { name: 'Voir qui a lu ce message' })[1]).toHaveFocus();
  await user.keyboard('{ArrowRight}');
  expect(screen.getAllByRole('button', { name: 'Supprimer ce message' })[1]).toHaveFocus();
  await user.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(await row('Message 2')).toHaveFocus();
  await user.tab();
  expect(screen.getAllByRole('link', { name: 'Noé' })[1]).toHaveFocus();
  await user.tab();
  await user.tab();
  await user.tab();
  expect(document.activeElement?.closest('[data-message-list]'), 'the other messages are no stops').toBeNull();
});

test('[KEYS10] the focus stays at its message when others come, and goes to the nearest when it is deleted', async () => {
  const { realtime } = await renderPanel(3);
  const second = await row('Message 2');
  second.focus();
  realtime.tell('messageResponse', messageOf(4, { textMsg: 'later' }));
  await row('later');
  expect(second).toHaveFocus();
  const { id, channelId, number } = messageOf(2);
  realtime.tell('room message changed', { id, channelId, number, deleted: true });
  await waitFor(() => expect(screen.queryByText('Message 2')).toBeNull());
  expect(await row('Message 3')).toHaveFocus();
});

test('[KEYS10] a message that is far away keeps the focus, and the last one seen is the stop of who was nowhere', async () => {
  const { user, realtime } = await renderPanel(60);
  await waitFor(async () => expect(await row('Message 60')).toHaveAttribute('tabindex', '0'));
  const last = await row('Message 60');
  last.focus();
  await user.keyboard('{Home}');
  await waitFor(() => expect(document.activeElement).toHaveTextContent(/Message \d+$/u));
  expect(last).not.toHaveFocus();
  const text = document.activeElement?.textContent;
  realtime.tell('messageResponse', messageOf(61, { userId: ME, textMsg: 'mine' }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe(text));
});

/** Looks at the image of the third message. */
async function viewImage() {
  const told = vi.spyOn(notifications, 'show');
  onTestFinished(() => told.mockRestore());
  const panel = await renderPanel(2);
  await row('Message 2');
  const file = { path: '/a', thumbnailPath: '/b', fileName: 'porte.webp', width: 40, height: 30, bytes: 900 };
  const photo = panel.channel.add(messageOf(3, { textMsg: 'photo', file }));
  panel.realtime.tell('messageResponse', photo);
  await row('photo');
  await panel.user.click(screen.getByRole('button', { name: 'Agrandir porte.webp' }));
  await screen.findByRole('dialog', { name: 'porte.webp' });
  return { ...panel, photo, told };
}

test('[CHATS44] an image that is looked at goes with its message, and the focus to the nearest one', async () => {
  const { realtime, photo, told } = await viewImage();
  const { id, channelId, number } = photo;
  realtime.tell('room message changed', { id, channelId, number, deleted: true });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(told, 'why it closed is said').toHaveBeenCalledExactlyOnceWith({ message: 'Message supprimé' });
  await waitFor(async () => expect(await row('Message 2')).toHaveFocus());
});

test('[CHATS3] [CHATS44] an image that is looked at stays when so many messages come that its own is held no more', async () => {
  const { realtime, channel, told, user } = await viewImage();
  act(() => {
    for (let number = 4; number <= 3 + HELD_MAX; number += 1) {
      realtime.tell('messageResponse', channel.add(messageOf(number)));
    }
  });
  expect(screen.getByRole('dialog', { name: 'porte.webp' })).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(told).not.toHaveBeenCalled();
});
