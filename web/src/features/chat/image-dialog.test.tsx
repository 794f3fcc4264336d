import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { createStorage } from '#src/shared/storage.ts';
import { CHANNEL, ME } from '#test/chat-bench.ts';
import { ImageDialog } from './image-dialog.tsx';
import { type ImageDraft, openImageDrafts } from './image-drafts.ts';

const IMAGE = { blob: new Blob(['x']), width: 2, height: 1 };
const prepare = async () => ({ ok: true, image: IMAGE }) as const;

const file = (name: string) => new File(['x'], name, { type: 'image/png' });

function Opener({ draft, onSend }: { draft: ImageDraft; onSend: (...sent: unknown[]) => void }) {
  const [isOpen, setOpen] = useState(false);
  const send = (...sent: unknown[]) => {
    setOpen(false);
    draft.clear();
    onSend(...sent);
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        open
      </button>
      <ImageDialog isOpen={isOpen} draft={draft} canSend onClose={() => setOpen(false)} onSend={send} />
    </>
  );
}

/**
 * The dialog with a button that opens it. The dialog closes slowly, as in the product: for a moment it can still be
 * pressed.
 */
async function show() {
  const onSend = vi.fn();
  const drafts = openImageDrafts({ userId: ME, prepare });
  onTestFinished(drafts.close);
  const i18n = await createI18n(createStorage({ local: window.localStorage, session: window.sessionStorage }));
  await i18n.loadNamespaces(['chat']);
  render(
    <MantineProvider theme={{ components: { Modal: { defaultProps: { transitionProps: { duration: 60_000 } } } } }}>
      <I18nProvider i18n={i18n}>
        <Opener draft={drafts.of(CHANNEL)} onSend={onSend} />
      </I18nProvider>
    </MantineProvider>,
  );
  const user = userEvent.setup();
  const open = async () => {
    screen.getByText('open').click();
    const dialog = await screen.findByRole('dialog', { name: 'Envoyer une image', hidden: true });
    await user.upload(dialog.querySelector('input[type=file]') as HTMLInputElement, file('a.png'));
    await user.type(await within(dialog).findByLabelText('Légende'), 'légende');
    return dialog;
  };
  return { onSend, user, open };
}

test('[CHATS45] an image is sent once, however often the button of a dialog that goes is pressed', async () => {
  const { onSend, user, open } = await show();
  const dialog = await open();
  await user.dblClick(within(dialog).getByRole('button', { name: 'Envoyer l’image', hidden: true }));
  expect(onSend.mock.calls).toEqual([[{ ...IMAGE, name: 'a.png' }, 'légende']]);
});

test('[CHATS34] words that are longer than a message may be stay whole, and go with the image once they fit', async () => {
  const { onSend, user, open } = await show();
  const dialog = await open();
  await user.paste('x'.repeat(4_000));
  expect(within(dialog).getByLabelText('Légende')).toHaveValue(`légende${'x'.repeat(4_000)}`);
  expect(within(dialog).getByText(/4\s007 caractères/u)).toBeInTheDocument();
  await user.keyboard('{Enter}');
  expect(within(dialog).getByRole('button', { name: 'Envoyer l’image', hidden: true })).toBeDisabled();
  expect(onSend).not.toHaveBeenCalled();
});

test('[CHATS45] a dialog that is opened again while it goes is empty once its image was sent', async () => {
  const { onSend, user, open } = await show();
  const dialog = await open();
  await user.keyboard('{Enter}');
  screen.getByText('open').click();
  expect(await within(dialog).findByText('Déposez une image ici')).toBeInTheDocument();
  await user.upload(dialog.querySelector('input[type=file]') as HTMLInputElement, file('b.png'));
  expect(await within(dialog).findByLabelText('Légende')).toHaveValue('');
  expect(onSend).toHaveBeenCalledOnce();
});

test('[CHATS33] the Enter that ends a composition sends no image with half of its words, in Safari neither', async () => {
  const { onSend, open } = await show();
  const caption = within(await open()).getByLabelText('Légende');
  fireEvent.keyDown(caption, { key: 'Enter', isComposing: true });
  fireEvent.keyDown(caption, { key: 'Enter', keyCode: 229 });
  expect(onSend).not.toHaveBeenCalled();
  fireEvent.keyDown(caption, { key: 'Enter' });
  expect(onSend).toHaveBeenCalledOnce();
});

test('[CHATS46] closed by Escape or its ×, the dialog has the image and its words again when it is opened; removed they are gone', async () => {
  const { user, open, onSend } = await show();
  const dialog = await open();
  const caption = () => within(dialog).findByLabelText('Légende');
  await user.keyboard('{Escape}');
  screen.getByText('open').click();
  expect(await caption()).toHaveValue('légende');
  expect(within(dialog).getByRole('img', { name: 'a.png', hidden: true })).toBeInTheDocument();
  await user.click(within(dialog).getByRole('button', { name: 'Fermer', hidden: true }));
  screen.getByText('open').click();
  expect(await caption()).toHaveValue('légende');
  await user.click(within(dialog).getByRole('button', { name: 'Retirer l’image', hidden: true }));
  screen.getByText('open').click();
  expect(await within(dialog).findByText('Déposez une image ici')).toBeInTheDocument();
  expect(onSend).not.toHaveBeenCalled();
});
