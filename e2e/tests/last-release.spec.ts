import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { hasLastRelease, type LastRelease, openLastRelease } from '../../server/test/last-release.ts';
import {
  test as base,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  release,
  roomPath,
  talk,
  talkButton,
} from '../fixtures.ts';
import { createApi } from '../harness/api.ts';
import { messageRow, write } from '../harness/chat.ts';
import { type PresselProcesses, startSeveral } from '../harness/server-process.ts';
import { type Say, sayIn, sentencesOf } from '../harness/words.ts';

/** For `npm run test:processes`: two processes of the last release, whose sources and web app come out of git. */
const test = base.extend<object, { last: LastRelease }>({
  last: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
    async ({}, use) => {
      const last = await openLastRelease({ hasPages: true });
      await use(last);
      await last.remove();
    },
    { scope: 'worker', timeout: 900_000 },
  ],

  host: [
    async ({ last }, use) => {
      const server = await startSeveral(2, {}, last.root);
      await use({ server, admin: await createApi(server.origin).person('Camille'), tests: 0 });
      await server.dispose();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
});
test.skip(!(await hasLastRelease()), 'This clone lacks the last release');

const say = sayIn('fr');

const buildOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name=build]')?.content);

/** The build that a version's web app states. */
const builtAt = (root: string): string | undefined =>
  /<meta name="build" content="([^"]+)">/u.exec(readFileSync(join(root, 'web/dist/index.html'), 'utf8'))?.[1];

/** Counts the pages that are loaded from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  return () => loads;
}

test('[PROC108] pages of the last release stay open while its processes are replaced, go on with the new ones, and reload once nobody talks', async ({
  world,
  open,
  last,
}) => {
  const here = join(import.meta.dirname, '../..');
  test.skip(builtAt(here) === builtAt(last.root), 'The web app is that of the last release: no page would reload');
  const { api, admin } = world;
  const processes = world.server as PresselProcesses;
  const words = sentencesOf('fr', last.root);
  const sayThere: Say = (key) => words.get(key) ?? key;
  const [hugo, mia, lea] = [
    await api.person('Hugo', admin.token),
    await api.person('Mia', admin.token),
    await api.person('Lea', admin.token),
  ] as const;
  const { rtcSession } = await api.channel(admin, 'Relève', [hugo, mia, lea]);
  const context = { viewport: { width: 1600, height: 900 } };
  let isUpgraded = false;
  const options = {
    context,
    expectedErrors: /healthz/u,
    async prepare(browser: BrowserContext) {
      // A page asks for this before it reloads. So both pages stay those of the last release until the whole upgrade is over.
      await browser.route('**/healthz', (route) => (isUpgraded ? route.continue() : route.fulfill({ status: 503 })));
      // Otherwise each page waits for a different time.
      await browser.addInitScript(() => {
        Math.random = () => 0.01;
      });
    },
  };
  const desk = await open(hugo, roomPath(rtcSession), options);
  const field = await open(mia, roomPath(rtcSession), { ...options, voice: 'down' });
  const older = [desk, field];
  const loads = older.map(countLoads);
  for (const page of older) await expectReady(page, 2);
  const oldBuild = await buildOf(desk);

  for (const index of processes.pids.keys()) {
    await talk(desk, () => expectHeard(field, 'up', 500));
    await processes.stopOne(index);
    await expectHeard(field, 'up', 1_000);
    await expect(talkButton(desk)).toHaveAttribute('data-state', 'talking');
    await release(desk);
    await processes.startOne(index);
  }

  // Pages of both versions are in one room now, at processes of this version.
  const newer = await open(lea, roomPath(rtcSession), { context });
  expect(await buildOf(newer)).not.toBe(oldBuild);
  const all = [...older, newer];
  for (const page of all) await expectReady(page, 3);
  await talk(newer, () => expectHeard(desk, 'up', 500));
  await release(newer);
  await talk(field, () => expectHeard(newer, 'down', 500));
  await release(field);
  await write(field, sayThere, 'Le pont est ouvert');
  for (const page of all) await expect(messageRow(page, 'Le pont est ouvert')).toBeVisible();
  await write(newer, say, 'Bien reçu');
  for (const page of all) await expect(messageRow(page, 'Bien reçu')).toBeVisible();
  expect(loads.map((count) => count())).toEqual([0, 0]);

  // [APP14] [APP15] [APP17]
  const banners = older.map((page) => page.getByRole('alert').filter({ hasText: sayThere('shared.apart.title') }));
  for (const banner of banners) await expect(banner).toBeVisible();
  await talk(newer, () => expectHeard(desk, 'up', 500));
  isUpgraded = true;
  await expectHeard(desk, 'up', 1_000);
  expect(
    loads.map((count) => count()),
    'while somebody talks',
  ).toEqual([0, 0]);
  await release(newer);
  for (const count of loads) await expect.poll(count).toBe(1);
  for (const page of all) await expectReady(page, 3);
  for (const page of older) expect(await buildOf(page)).toBe(await buildOf(newer));
  for (const banner of banners) await expect(banner).toBeHidden();
  await talk(desk, () => expectHeard(field, 'up', 500));
  await release(desk);
  await expectSilence(field);
  expect(loads.map((count) => count())).toEqual([1, 1]);
});
