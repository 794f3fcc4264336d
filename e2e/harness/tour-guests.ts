import { expect, type Page } from '@playwright/test';
import type { TourGuide } from './tour.ts';

/** The name of the link, which says whom it is for, and the guest who comes by it. */
const TEAM = 'Samu';
const GUEST = 'Julie';
/** Data that the screens show unchanged. */
export const GUEST_DATA: readonly string[] = [TEAM, GUEST, `${GUEST} (${TEAM})`];

/** Opens the guest links of the room that the page is in, none yet, and makes one. @returns its address */
export async function tourTheLinks(page: Page, { say, look }: TourGuide): Promise<string> {
  await page.getByRole('button', { name: say('voice.room.guests') }).click();
  const dialog = page.getByRole('dialog', { name: say('guests.dialog.title') });
  await expect(dialog.getByText(say('guests.dialog.none'))).toBeVisible();
  await dialog.getByRole('button', { name: say('guests.make.submit') }).click();
  await expect(dialog.getByText(say('guests.fault.required'))).toBeVisible();
  await look('no guest links, a fault', page);
  await dialog.getByLabel(say('guests.make.name')).fill(TEAM);
  await dialog.getByRole('button', { name: say('guests.make.submit') }).click();
  const address = dialog.getByLabel(say('guests.made.address'));
  await expect(address).toHaveValue(/#guest=/u);
  await dialog.getByRole('button', { name: say('guests.made.copy') }).click();
  await expect(dialog.getByRole('status').filter({ hasText: /\S/u })).toBeVisible();
  await look('a new guest link', page);
  const link = await address.inputValue();
  await dialog.getByRole('button', { name: say('guests.made.done') }).click();
  await expect(address).toHaveCount(0);
  return link;
}

/** Comes by a link, into the room and out of it. The page is at the link with a letter more, which opens nothing. */
export async function tourAsGuest(page: Page, { say, look }: TourGuide, link: string): Promise<void> {
  const title = page.getByRole('heading', { level: 1 });
  const enter = page.getByRole('button', { name: say('guests.entry.submit') });
  await expect(title).toHaveText(say('guests.over.unknown'));
  await look('a link that opens nothing', page);
  // The addresses differ only in the fragment, which only the page reads. Another address between them makes the
  // browser load it anew.
  await page.goto('about:blank');
  await page.goto(link);
  await expect(enter).toBeVisible();
  await enter.click();
  await expect(page.getByText(say('guests.fault.required'))).toBeVisible();
  await look('the door for guests, a fault', page);
  await page.getByLabel(say('guests.entry.name')).fill(GUEST);
  await look('the door for guests', page);
  await enter.click();
  await expect(page.locator('[data-talk-button]')).toHaveAttribute('data-state', /idle|busy/u);
  await expect(page.locator('[data-tile][data-presence=connected]')).toHaveCount(1);
  await look('a guest’s room', page);
  // On a phone only the arrow leads out.
  await page
    .getByRole('button', { name: say('voice.room.leave'), exact: true })
    .or(page.getByRole('button', { name: say('voice.room.leaveLong') }))
    .filter({ visible: true })
    .first()
    .click();
  await expect(title).toHaveText(say('guests.over.left'));
  await look('a guest has left', page);
  await page.getByRole('button', { name: say('guests.over.again') }).click();
  await expect(page.locator('[data-talk-button]')).toHaveAttribute('data-state', /idle|busy/u);
}

/** The dialog is open, and a guest is in the room by its only link, which is withdrawn. */
export async function tourTheWithdrawal(page: Page, guest: Page, { say, look }: TourGuide): Promise<void> {
  const dialog = page.getByRole('dialog', { name: say('guests.dialog.title') });
  await expect(dialog.getByText(GUEST, { exact: true })).toBeVisible();
  await look('guest links', page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await look('a room with a guest', page);
  await page.getByRole('button', { name: say('voice.room.guests') }).click();
  await dialog.getByRole('button', { name: say('guests.withdraw.of', { name: TEAM }) }).click();
  const question = page.getByRole('dialog', { name: say('guests.withdraw.title') });
  await expect(question).toBeVisible();
  await look('withdraw a guest link?', page);
  await question.getByRole('button', { name: say('guests.withdraw.confirm') }).click();
  await expect(dialog.getByText(say('guests.link.withdrawn'))).toBeVisible();
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText(say('guests.over.withdrawn'));
  await look('a withdrawn guest link', page);
  await look('a guest whose link was withdrawn', guest);
  await guest.reload();
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText(say('guests.over.used'));
  await look('a guest’s link, used', guest);
}
