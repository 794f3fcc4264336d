import type { Locator, Page } from '@playwright/test';
import type { Say } from './words.ts';

/** Acts in the messages of a room, on a wide screen. */

export const messagesPanel = (page: Page): Locator => page.locator('[data-messages-panel]');

export const messageField = (page: Page, say: Say): Locator =>
  messagesPanel(page).getByRole('textbox', { name: say('chat.composer.label') });

/** Rows that say exactly this, stored or waiting. */
export const messageRow = (page: Page, text: string): Locator =>
  messagesPanel(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(text, { exact: true }) });

export async function write(page: Page, say: Say, text: string): Promise<void> {
  await messageField(page, say).fill(text);
  await messageField(page, say).press('Enter');
}

/** The texts in their order, as far as they are in view: all of a short conversation. */
export const shownTexts = (page: Page): Promise<string[]> =>
  messagesPanel(page).locator('[data-message] p[dir=auto], [data-pending] p[dir=auto]').allTextContents();

/** Chooses a file in the dialog, and waits until it can be sent. */
export async function chooseImage(
  page: Page,
  say: Say,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<Locator> {
  await messagesPanel(page)
    .getByRole('button', { name: say('chat.composer.attach') })
    .click();
  const dialog = page.getByRole('dialog', { name: say('chat.upload.title') });
  await dialog.locator('input[type=file]').setInputFiles(file);
  return dialog;
}
