import type { BrowserContext, Page } from '@playwright/test';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import type { Person } from '../harness/api.ts';
import { type Look, tourAsMember, tourTheConsole, tourTheDoors, tourTheRoom } from '../harness/tour.ts';
import { sayIn } from '../harness/words.ts';

test('no screen does what the content security policy forbids', async ({ world, browser }) => {
  const { api, admin, own } = world;
  const lea = await api.person('Lea', admin.token);
  const nobody = await api.person('Nour', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Nord', [lea]);
  const look: Look = async (where, page) => {
    expect(await page.evaluate(() => Object(window).violations), where).toEqual([]);
  };
  // Not by `open`: its voices and ears need what the policy forbids. The microphone is Chromium's own fake.
  const contexts: BrowserContext[] = [];
  const openWatched = async (person: Person | null, path: string): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: world.server.origin,
      permissions: ['microphone'],
      viewport: { width: 1600, height: 900 },
    });
    contexts.push(context);
    await context.addInitScript((token) => {
      if (token !== null) sessionStorage.setItem('TOKEN_KEY', token);
      const violations: string[] = [];
      Object.assign(window, { violations });
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
        violations.push(`${effectiveDirective} ${blockedURI} ${sourceFile}`),
      );
    }, person?.token ?? null);
    const page = await context.newPage();
    await page.goto(path);
    return page;
  };
  const guide = { say: sayIn('fr'), look, isWide: true };

  await tourTheDoors(await openWatched(null, '/signin'), guide);
  await tourAsMember(await openWatched(nobody, '/channelsList'), guide, roomPath(rtcSession));
  const page = await openWatched(admin, '/dashboard');
  await tourTheConsole(page, guide, { channel, outsider: nobody.name, name: admin.name, mark: own('').trim() });
  await page.goto(roomPath(rtcSession));
  await expectReady(page, 1);
  await tourTheRoom(page, guide);
  await Promise.all(contexts.map((context) => context.close()));
});
