import { type Browser, chromium } from '@playwright/test';
import { test as base, expect, roomPath, talkButton } from '../fixtures.ts';
import { launchOptions } from '../harness/browser.ts';
import { messageField, messageRow, write } from '../harness/chat.ts';
import { teamFile, tourTheImport } from '../harness/tour-import.ts';
import { sayIn } from '../harness/words.ts';

/** An address of a private network, as most people have it who try the console. Over HTTP, browsers call only pages of localhost secure. */
const ADDRESS = '10.20.30.40';

const test = base.extend<{ elsewhere: Browser }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
  elsewhere: async ({}, use) => {
    const args = [...launchOptions.args, `--host-resolver-rules=MAP ${ADDRESS} 127.0.0.1`];
    const browser = await chromium.launch({ ...launchOptions, args });
    await use(browser);
    await browser.close();
  },
});

test('over plain http, at an address of a private network, a file is imported and messages are sent', async ({
  world,
  open,
  elsewhere,
}) => {
  const { api, admin, own } = world;
  const say = sayIn('fr');
  const lea = await api.person('Lea', admin.token);
  const { name: channel, rtcSession } = await api.channel(admin, 'Nord', [lea]);
  const context = {
    baseURL: world.server.origin.replace('127.0.0.1', ADDRESS),
    bypassCSP: false,
    viewport: { width: 1600, height: 900 },
    permissions: [],
  };
  const page = await open(admin, '/usersList', { browser: elsewhere, context });
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
  const file = teamFile(own('').trim(), channel, lea.email);
  await tourTheImport(page, { say, look: async () => undefined, isWide: true }, file);

  await page.goto(`${roomPath(rtcSession)}?panel=messages`);
  await expect(talkButton(page)).toBeVisible();
  await expect(messageField(page, say)).toBeVisible();
  await write(page, say, 'Bonjour');
  await expect(messageRow(page, 'Bonjour')).toBeVisible();
  await page.goto('/activities');
  await expect(page.getByRole('article').first()).toBeVisible();
});
