import { expect, type Page } from '@playwright/test';
import { PASSWORD } from './api.ts';
import type { TourGuide } from './tour.ts';

/** Who is in the list, with everything that opens from it, and the pages that the other tour passes by. */
export async function tourTheUsers(page: Page, { say, look }: TourGuide, users: string, userId: string): Promise<void> {
  await page.goto(users);
  await page.getByRole('checkbox', { name: say('users.select.all') }).check();
  await expect(page.getByRole('region', { name: say('bulk.bar') })).toBeVisible();
  await look('users, selected', page);
  await page.goto('/usersList?panel=create');
  const form = page.getByRole('dialog', { name: say('userForm.add.title') });
  await expect(form.getByRole('checkbox').first()).toBeVisible();
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  await expect(form.getByRole('alert')).toBeVisible();
  await look('add a user', page);
  await page.goto(`/usersList?panel=sheet:${userId}`);
  await expect(page.getByRole('dialog', { name: say('users.sheet.title') })).toBeVisible();
  await look('a user’s sheet', page);
  await page.goto(`/usersList?panel=${userId}`);
  const question = page.getByRole('dialog', { name: say('userForm.verify.title') });
  await question.getByLabel(say('userForm.verify.field'), { exact: true }).fill(PASSWORD);
  await look('one’s own password', page);
  await question.getByRole('button', { name: say('userForm.verify.submit') }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
  await look('edit a user', page);
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await look('profile', page);
  await page.goto('/usersList/import');
  await expect(page.getByText(say('transfer.choose.drop'))).toBeVisible();
  await look('import', page);
}
