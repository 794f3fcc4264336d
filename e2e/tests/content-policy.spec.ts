import type { BrowserContext, Page } from '@playwright/test';
import { expect, expectReady, roomPath, test, usersPath } from '../fixtures.ts';
import { accountButton } from '../harness/acts.ts';
import type { Person } from '../harness/api.ts';
import { type Look, tourAsMember, tourTheConsole, tourTheDoors, tourTheRoom } from '../harness/tour.ts';
import { teamFile, tourTheImport } from '../harness/tour-import.ts';
import { furnishRoom, tourCallsAndGuests, tourWhatOpensThere } from '../harness/tour-parts.ts';
import { tourTheUsers } from '../harness/tour-users.ts';
import { sayIn } from '../harness/words.ts';

test('no screen does what the content security policy forbids', async ({ world, browser }) => {
  const { api, admin, own } = world;
  const room = await furnishRoom(world);
  const { rtcSession, channel, known: lea } = room;
  const nobody = await api.person('Nour', admin.token);
  const look: Look = async (where, page) => {
    expect(await page.evaluate(() => Object(window).violations), where).toEqual([]);
  };
  // Not by `open`: its voices and ears need what the policy forbids. The microphone is Chromium's own fake.
  const contexts: BrowserContext[] = [];
  const openWatched = async (person: Person | null, path: string): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: world.server.origin,
      permissions: ['microphone', 'camera'],
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
  const mark = own('').trim();
  await tourTheConsole(page, guide, { channel, outsider: nobody.name, name: admin.name, mark });
  await tourTheUsers(page, guide, usersPath(mark), nobody.id);
  await tourTheImport(page, guide, teamFile(mark, channel, lea.email));
  await accountButton(page, guide.say, admin.name).click();
  await page.getByRole('menuitemradio', { name: guide.say('shared.scheme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await look('another appearance', page);
  await page.goto(roomPath(rtcSession));
  await expectReady(page, 1);
  await tourTheRoom(page, guide);
  await tourWhatOpensThere(page, guide, room);
  const radio = await openWatched(lea, '/channelsList');
  const [caller, called] = [
    { page, name: admin.name },
    { page: radio, name: lea.name },
  ];
  await tourCallsAndGuests(caller, called, guide, () => openWatched(null, '/nowhere'));
  await Promise.all(contexts.map((context) => context.close()));
});

test('the browser refuses to make code from text', async ({ world, open }) => {
  const page = await open(world.admin, '/dashboard', {
    context: { bypassCSP: false },
    expectedErrors: /Trusted/u,
  });
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  const outcomes = await page.evaluate(() => {
    const script = () => document.createElement('script');
    const attempts: Record<string, () => unknown> = {
      markup: () => Object.assign(document.createElement('div'), { innerHTML: '<img src=x onerror=alert(1)>' }),
      document: () => Object.assign(document.createElement('iframe'), { srcdoc: '<script>alert(1)</script>' }),
      'text of a script': () => Object.assign(script(), { text: 'alert(1)' }),
      'a file that is no script': () => Object.assign(script(), { src: '/files/photos/x' }),
      'a worker from text': () => new Worker(URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' }))),
      'another policy': () => Object(window).trustedTypes.createPolicy('other', { createHTML: String }),
      'the policy again': () => Object(window).trustedTypes.createPolicy('default', { createHTML: String }),
    };
    return Object.entries(attempts).map(([what, attempt]) => {
      try {
        attempt();
        return `${what}: done`;
      } catch {
        return `${what}: refused`;
      }
    });
  });
  expect(outcomes).toHaveLength(7);
  for (const outcome of outcomes) expect(outcome).toMatch(/: refused$/u);
});
