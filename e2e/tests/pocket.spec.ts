import { type Browser, chromium } from '@playwright/test';
import { test as base, channelsPath, expect, roomPath } from '../fixtures.ts';
import { launchOptions } from '../harness/browser.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

const test = base.extend<{ withWindow: Browser }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
  withWindow: async ({}, use) => {
    // The headless shell has no notifications of a service worker.
    const browser = await chromium.launch(launchOptions);
    await use(browser);
    await browser.close();
  },
});

test('[RING14] on a phone whose browser leaves notifications to the service worker, that one tells of a call', async ({
  world,
  open,
  withWindow,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Poche', [lea]);
  const radio = await open(lea, channelsPath(channel), {
    browser: withWindow,
    voice: 'down',
    context: {
      viewport: { width: 390, height: 844 },
      permissions: ['microphone', 'notifications'],
      serviceWorkers: 'allow',
    },
    // The page is like one of Chrome on Android, in a pocket.
    prepare: async (context) => {
      await context.addInitScript(() => {
        window.Notification = new Proxy(Notification, {
          construct: () => {
            throw new TypeError('Illegal constructor');
          },
        });
        Object.defineProperty(document, 'hidden', { get: () => true });
      });
    },
  });
  const notices = () =>
    radio.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready;
      return (await worker.getNotifications()).map(({ title }) => title);
    });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`);
  await desk.getByRole('button', { name: say('calls.start', { name: lea.name }) }).click();
  await expect.poll(notices).toEqual([say('calls.incoming', { name: admin.name })]);
  await desk
    .getByRole('dialog', { name: say('calls.title', { name: lea.name }) })
    .getByRole('button', { name: say('calls.giveUp'), exact: true })
    .click();
  await expect.poll(notices).toEqual([]);
});
