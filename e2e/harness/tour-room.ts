import { expect, type Page } from '@playwright/test';
import type { Person } from './api.ts';
import { chooseImage, messageField, messageRow, messagesPanel } from './chat.ts';
import { marker } from './map.ts';
import { encodePng, ROW_FILTER_BYTES } from './png.ts';
import { openPanel, type TourGuide } from './tour.ts';

const PHOTO = { name: 'porte.png', width: 320, height: 200 };
const CAPTION = 'La porte sud';
/** The file's name after it was made smaller. */
const STORED = 'porte.webp';
/** Data that the screens show unchanged. */
export const ROOM_DATA: readonly string[] = [PHOTO.name, STORED, CAPTION];

function photo(): { name: string; mimeType: string; buffer: Buffer } {
  const { name, width, height } = PHOTO;
  const rows = new Uint8Array((ROW_FILTER_BYTES + width * 3) * height).map((_, at) => (at % (width * 3 + 1) ? 90 : 0));
  return { name, mimeType: 'image/png', buffer: encodePng(width, height, rows) };
}

/** The messages of a room that the page is in already, in which another person wrote `words`. */
export async function tourTheMessages(page: Page, { say, look }: TourGuide, words: string): Promise<void> {
  await openPanel(page, say, 'messages');
  await expect(messageRow(page, words)).toBeVisible();
  await messageField(page, say).pressSequentially('@');
  await expect(page.getByRole('option').first()).toBeVisible();
  await look('members to mention', page);
  await messageField(page, say).fill('');
  await messagesPanel(page)
    .getByRole('button', { name: say('chat.composer.attach') })
    .click();
  const choice = page.getByRole('dialog', { name: say('chat.upload.title') });
  await expect(choice.getByText(say('chat.upload.drop'))).toBeVisible();
  await look('an image to choose', page);
  await page.keyboard.press('Escape');
  await expect(choice).toHaveCount(0);
  await chooseImage(page, say, photo());
  await expect(choice.getByRole('img', { name: PHOTO.name })).toBeVisible();
  await choice.getByLabel(say('chat.upload.caption')).fill(CAPTION);
  await look('an image to send', page);
  await choice.getByRole('button', { name: say('chat.upload.send') }).click();
  await expect(choice).toHaveCount(0);
  const sent = messageRow(page, CAPTION);
  const larger = sent.getByRole('button').filter({ has: page.getByRole('img') });
  await expect(larger).toBeVisible();
  await look('an image among messages', page);
  await larger.click();
  const viewer = page.getByRole('dialog');
  await expect(viewer.getByRole('img', { name: STORED })).toHaveJSProperty('complete', true);
  await look('an image in full', page);
  await page.keyboard.press('Escape');
  await expect(viewer).toHaveCount(0);
  for (const [row, which] of [
    [sent, 'one’s own image'],
    [messageRow(page, words), 'another’s message'],
  ] as const) {
    await row.getByRole('button', { name: say('chat.row.delete') }).click();
    const question = page.getByRole('dialog', { name: say('chat.delete.title') });
    await expect(question).toBeVisible();
    await look(`delete ${which}?`, page);
    await question.getByRole('button', { name: say('shared.cancel') }).click();
    await expect(question).toHaveCount(0);
  }
  const readers = page.getByRole('dialog', { name: say('chat.readers.title') });
  const names = readers.getByRole('listitem');
  // The page tells the server within two seconds what was looked at, and it reads the list when the dialog opens.
  await expect
    .poll(async () => {
      await messageRow(page, words)
        .getByRole('button', { name: say('chat.row.readers') })
        .click();
      await expect(names.first().or(readers.getByText(say('chat.readers.none')))).toBeVisible();
      if ((await names.count()) > 0) return true;
      await page.keyboard.press('Escape');
      await expect(readers).toHaveCount(0);
      return false;
    })
    .toBe(true);
  await look('who read a message', page);
  await page.keyboard.press('Escape');
  await expect(readers).toHaveCount(0);
  await tourTheSearch(page, { say, look }, words);
}

async function tourTheSearch(page: Page, { say, look }: Pick<TourGuide, 'say' | 'look'>, words: string): Promise<void> {
  const panel = messagesPanel(page);
  const box = panel.getByRole('searchbox');
  // In a low panel the search is folded into an icon.
  if (!(await box.isVisible())) await panel.getByRole('button', { name: say('chat.search.label') }).click();
  await box.fill(words.slice(0, 4));
  await expect(panel.getByRole('list', { name: say('chat.search.results') }).getByRole('listitem')).toHaveCount(1);
  await look('messages, found', page);
  await box.fill('zzz');
  await expect(panel.getByText(say('chat.search.none', { text: 'zzz' }))).toBeVisible();
  await look('messages, nothing found', page);
  await panel.getByRole('button', { name: say('chat.search.clear') }).click();
  await expect(messageField(page, say)).toBeVisible();
}

/** Two members of a room with a map: the position of one is known, that of the other isn't. */
export async function tourTheMap(
  page: Page,
  { say, look }: TourGuide,
  { known, unknown }: Record<'known' | 'unknown', Pick<Person, 'id' | 'name'>>,
): Promise<void> {
  const locate = async (name: string) => {
    await openPanel(page, say, 'members');
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: new RegExp(`^${name}`, 'u') })
      .click();
  };
  await locate(unknown.name);
  const dialog = page.getByRole('dialog', { name: say('positions.unknown.title') });
  await expect(dialog).toBeVisible();
  await look('unknown location', page);
  await dialog.getByRole('button', { name: say('positions.unknown.close') }).click();
  await expect(dialog).toHaveCount(0);
  await locate(known.name);
  const card = page.getByRole('region', { name: say('positions.card.label', { name: known.name }) });
  await expect(card.getByText(say('positions.card.noTrail'))).toBeVisible();
  await expect(marker(page, known.id)).toBeVisible();
  await look('map, a card', page);
  await card.getByRole('button', { name: say('positions.card.close') }).click();
  await expect(card).toHaveCount(0);
}

/** The list of other channels beside the name of this one. */
export async function tourTheSwitcher(page: Page, { say, look }: TourGuide): Promise<void> {
  await page.getByRole('button', { name: say('voice.switcher.label') }).click();
  const filter = page.getByLabel(say('voice.switcher.filter'));
  await expect(page.getByRole('option').first()).toBeVisible();
  await look('channels to switch to', page);
  await filter.fill('zzz');
  await expect(page.getByText(say('voice.switcher.none'))).toBeVisible();
  await look('no channel to switch to', page);
  await page.keyboard.press('Escape');
  await expect(filter).toBeHidden();
}
