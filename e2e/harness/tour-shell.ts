import { expect, type Page } from '@playwright/test';
import type { TourGuide } from './tour.ts';

/** Panels that open over any page: the palette, with `mark` as a part of names of channels and users, and the list of keys. */
export async function tourTheShell(page: Page, { say, look }: TourGuide, mark: string): Promise<void> {
  await page.getByRole('button', { name: say('shell.palette.title'), exact: true }).click();
  const palette = page.getByRole('dialog', { name: say('shell.palette.title') });
  // The screens alone are known at once, so this waits for the channels, which come from the server.
  await expect(palette.getByText(say('keyPanels.palette.channels'), { exact: true }).last()).toBeVisible();
  await look('where to go', page);
  await palette.getByRole('combobox').fill(mark);
  await expect(palette.getByText(say('keyPanels.palette.users'), { exact: true }).last()).toBeVisible();
  await expect(palette.locator('[data-combobox-disabled]')).toHaveCount(0);
  await look('where to go, found', page);
  await palette.getByRole('combobox').fill(`${say('keyPanels.command.callVerb')} ${mark}`);
  await expect(palette.getByRole('option').first()).toHaveText(new RegExp(mark, 'u'));
  await expect(palette.locator('[data-combobox-disabled]')).toHaveCount(0);
  await look('whom to call', page);
  await palette.getByRole('combobox').fill('zzzz');
  await expect(palette.getByText(say('keyPanels.palette.none'))).toBeVisible();
  await look('where to go, nothing found', page);
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);
  await tourTheKeys(page, { say, look }, 'keys');
}

/** The keys that work here. */
export async function tourTheKeys(
  page: Page,
  { say, look }: Pick<TourGuide, 'say' | 'look'>,
  where: string,
): Promise<void> {
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: say('keyPanels.shortcuts.title') });
  await expect(keys).toBeVisible();
  await look(where, page);
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
}
