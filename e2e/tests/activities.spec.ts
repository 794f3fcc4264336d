import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { updateChannel } from '@pressel/contract/channels';
import { expect, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const entries = (page: Page) => page.getByRole('article');

test('[LOGS9] filters stand in the address, survive a reload, and Back undoes them', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const { name } = await api.channel(admin, 'Quai');
  await api.channel(admin, 'Phare');
  const page = await open(admin, `/activities?scope=all&q=${encodeURIComponent(name)}`);
  await expect(entries(page).first()).toContainText(name);
  await page.getByRole('button', { name: say('activityLog.filter.types'), exact: true }).click();
  await page.getByRole('checkbox', { name: say('activities.short.channel_creation'), exact: true }).check();
  await page.keyboard.press('Escape');
  await expect(entries(page)).toHaveCount(1);
  await expect(page).toHaveURL(/types=/u);
  // Entries of the filter before are dim until the answer comes.
  await expect(page.getByRole('region', { name: say('activityLog.entries') })).not.toHaveAttribute('aria-busy', 'true');
  await expectAccessible(page, 'a filtered log');
  await page.reload();
  await expect(entries(page)).toHaveCount(1);
  await expect(page.getByRole('searchbox')).toHaveValue(name);
  await page.goBack();
  await expect(page).not.toHaveURL(/types=/u);
  await page.getByRole('button', { name: say('activityLog.filter.channel'), exact: true }).click();
  await page.getByRole('dialog').getByRole('searchbox').fill(name);
  await page.getByRole('dialog').getByRole('button', { name }).click();
  await expect(page).toHaveURL(/channel=/u);
  await expect(page.getByRole('button', { name: say('activityLog.filter.channelOn', { name }) })).toBeVisible();
});

test('[LOGS5][LOGS10] what others do is announced and moves nothing; a change opens into before and after', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const channel = await api.channel(admin, 'Avant');
  const page = await open(admin, '/activities?scope=all');
  await expect(entries(page).first()).toContainText(channel.name);
  const first = await entries(page).first().textContent();
  const name = world.own('Après');
  const news = page.getByRole('button', { name: /nouvelles? entrées?$/u });
  let tries = 0;
  // A page that has just come hears of new entries from the server's second count on.
  await expect(async () => {
    tries += 1;
    await api.call(updateChannel, { channelId: channel.id, channelName: `${name} ${tries}` }, admin.token);
    await expect(news).toBeVisible({ timeout: 4_000 });
  }).toPass();
  expect(await entries(page).first().textContent()).toBe(first);
  await news.click();
  await expect(entries(page).first()).toContainText(`${name} ${tries}`);
  await expect(news).toHaveCount(0);
  await entries(page)
    .first()
    .getByRole('button', { name: say('activityLog.change') })
    .click();
  await expect(page.getByRole('row').filter({ hasText: `${name} ${tries}` })).toContainText(
    tries === 1 ? channel.name : name,
  );
  await expectAccessible(page, 'an open entry');
});

test('[LOGS13] the filtered log as a workbook and as text', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const { name } = await api.channel(admin, 'Export');
  const page = await open(admin, `/activities?scope=all&q=${encodeURIComponent(name)}`);
  // A dialog of the system can't be answered here.
  await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  await expect(entries(page).first()).toContainText(name);
  const count = await entries(page).count();
  const saved = async (item: string) => {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: say('activityLog.export.act'), exact: true }).click();
    await page.getByRole('menuitem', { name: say(item) }).click();
    const download = await waiting;
    await page
      .getByRole('region', { name: say('activityLog.export.label') })
      .getByRole('button', { name: say('shared.close') })
      .click();
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const csv = await saved('activityLog.export.csv');
  expect(csv.name).toMatch(/^journal-\d{4}-\d\d-\d\d\.csv$/u);
  const lines = csv.bytes.toString('utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(count + 1);
  expect(lines[1]).toContain(name);
  const xlsx = await saved('activityLog.export.xlsx');
  expect(xlsx.name).toMatch(/\.xlsx$/u);
  expect(xlsx.bytes.subarray(0, 2).toString()).toBe('PK');
});

test('[LOGS8] another page is read from its beginning', async ({ world, open }) => {
  const { api, admin } = world;
  for (let n = 0; n < 25; n += 1) await api.channel(admin, `Nord ${n}`);
  const path = `/activities?scope=all&q=${encodeURIComponent(world.own('').trim())}`;
  const page = await open(admin, path, { context: { viewport: { width: 390, height: 500 } } });
  await page.getByRole('button', { name: sayIn('fr')('shared.pager.next') }).click();
  await expect(page.getByText('22–25 sur 25')).toBeAttached();
  await expect(entries(page).first()).toBeInViewport();
});
