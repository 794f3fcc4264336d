import type { Page } from '@playwright/test';
import { isValidToken } from '@pressel/contract/auth';
import { getDashboard } from '@pressel/contract/dashboard';
import { getAllUsers } from '@pressel/contract/users';
import { expect, roomPath, talkButton, test } from '../fixtures.ts';

/** The path of a request, without the part of a name that changes with each build. */
const nameOf = (url: string): string => new URL(url).pathname.replace(/-[\w-]{8}(?=\.\w+$)/u, '');

/** Opens an address with nothing cached, and keeps back the app's own code and styles: none of it runs until it is released. */
async function openWithoutApp(page: Page, path: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const asked: string[] = [];
  // A route also makes the browser ask for everything, as on a first visit.
  await page.route(/\/assets\/app-[^/]+\.(?:js|css)$/u, async (route) => {
    await released;
    await route.continue();
  });
  page.on('request', (request) => asked.push(nameOf(request.url())));
  await page.goto(path, { waitUntil: 'commit' });
  return { asked, release };
}

const FIRST = ['/assets/words-de-door.js', '/assets/inter-latin-wght-normal.woff2'];
const firstRow = (page: Page) => page.getByRole('row').nth(1);

const SCREENS = [
  {
    name: 'sign-in',
    isSignedIn: false,
    path: () => '/signin',
    needed: ['/assets/app.js'],
    content: (page: Page) => page.locator('input[type=password]'),
  },
  {
    name: 'users',
    isSignedIn: true,
    path: () => '/usersList?size=25',
    needed: [isValidToken.path, getAllUsers.path, '/assets/users-route.js', '/assets/words-de-users.js'],
    content: firstRow,
  },
  {
    name: 'dashboard',
    isSignedIn: true,
    path: () => '/dashboard',
    needed: [isValidToken.path, getDashboard.path, '/assets/dashboard-route.js', '/assets/words-de-channels.js'],
    content: firstRow,
  },
  {
    name: 'room',
    isSignedIn: true,
    path: roomPath,
    needed: [isValidToken.path, '/assets/room.js', '/assets/words-de-voice.js'],
    content: talkButton,
  },
];

for (const { name, isSignedIn, path, needed, content } of SCREENS) {
  test(`code, words, font, session and rows of ${name} are all asked for before anything of the app runs`, async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const { rtcSession } = await api.channel(admin, 'Quart');
    const page = await open(isSignedIn ? admin : null, isSignedIn ? '/profile' : '/signup', { language: 'de' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const { asked, release } = await openWithoutApp(page, path(rtcSession));
    await expect.poll(() => [...FIRST, ...needed].filter((one) => !asked.includes(one))).toEqual([]);

    // From here on no other request is answered: the screen stands by what was requested together.
    await page.route(/\/(?:assets|user\/api)\//u, () => undefined);
    release();
    await expect(content(page).first()).toBeVisible();
  });
}
