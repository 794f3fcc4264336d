import type { Page } from '@playwright/test';
import { logIn } from '@pressel/contract/auth';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  release,
  roomPath,
  talk,
  talkButton,
  test,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { accountButton } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const linkOf = (data: object) => `/userCallView/${encodeURIComponent(JSON.stringify(data))}`;
const tell = (page: Page, event: 'micOn' | 'micOff') =>
  page.evaluate((name) => void window.dispatchEvent(new Event(name)), event);

test('[CALL1] [CALL4] a call link enters by its own session, talks by the events of its window, and hears', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { id: channelId, rtcSession } = await api.channel(admin, 'Terrain', [ida]);
  const desk = await open(admin, roomPath(rtcSession));
  const { user } = await api.call(logIn, { user_email: ida.email, user_password: PASSWORD });

  // Somebody else is signed in in the same browser, and stays so.
  const field = await open(admin, '/profile', { voice: 'down' });
  const reports: unknown[] = [];
  field.on('request', (request) => {
    if (request.url().includes('updateUserMicState')) reports.push(request.postDataJSON());
  });
  await field.goto(linkOf({ channelId, userId: ida.id, token: user.authToken }));
  await expectReady(field, 2);
  await expect(field).toHaveURL(/\/userCallView\/$/u);
  await expect(field.getByRole('heading', { level: 1 })).toContainText('Terrain');
  await expect(field).toHaveTitle(/^Terrain .+ · Pressel$/u);
  await expect(field.locator('video')).toHaveCount(0);
  await expectAccessible(field, 'call link');

  await tell(field, 'micOn');
  await expect(talkButton(field)).toHaveAttribute('data-state', 'talking');
  await expectHeard(desk, 'down', 400);
  await tell(field, 'micOff');
  await expect(talkButton(field)).toHaveAttribute('data-state', 'idle');
  await expectSilence(desk);
  const channelName = await field.getByRole('heading', { level: 1 }).textContent();
  await expect
    .poll(() => reports)
    .toEqual([
      { micState: true, channelName },
      { micState: false, channelName },
    ]);
  await talk(desk, () => expectHeard(field, 'up', 400));
  await release(desk);

  await field.goto('/profile');
  await expect(accountButton(field, say, admin.name)).toBeVisible();
});

test('[CALL3] a link of somebody else’s session, of an ended one or a broken one says so, and enters nothing', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const uli = await api.person('Uli', admin.token);
  const { id: channelId, rtcSession } = await api.channel(admin, 'Clos', [uli]);
  const desk = await open(admin, roomPath(rtcSession));
  await expectReady(desk, 1);
  const page = await open(null, '/notFound');
  const title = page.getByRole('heading', { level: 1 });
  await page.goto(linkOf({ channelId, userId: admin.id, token: uli.token }));
  await expect(title).toHaveText(say('app.callLink.broken'));
  await page.goto(linkOf({ channelId, userId: uli.id, token: 'gone' }));
  await expect(title).toHaveText(say('app.callLink.expired'));
  await page.goto(linkOf({ channelId, userId: uli.id }));
  await expect(title).toHaveText(say('app.callLink.broken'));
  await page.goto('/userCallView/%7Bnot-json');
  await expect(title).toHaveText(say('app.callLink.broken'));
  // The link is cut within an escape, as by a mail program that breaks lines.
  await page.goto(`${linkOf({ channelId, userId: uli.id, token: uli.token }).slice(0, -6)}%2`);
  await expect(title).toHaveText(say('app.callLink.broken'));
  await expect(page).toHaveURL(/\/userCallView\/$/u);
  await page.reload();
  await expect(title).toHaveText(say('app.callLink.used'));
  await expect(desk.locator('[data-tile]')).toHaveCount(1);
});
