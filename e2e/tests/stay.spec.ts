import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  press,
  release,
  roomPath,
  talk,
  talkButton,
  test,
  tiles,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** A width at which the navigation is always shown. */
const WIDE = { context: { viewport: { width: 1600, height: 900 } } };

test('who looks something up stays in the room: hears, talks, comes back, and leaves when they say so', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession, name } = await api.channel(admin, 'Équipe', [ida]);
  const desk = await open(admin, roomPath(rtcSession), WIDE);
  const field = await open(ida, roomPath(rtcSession), { voice: 'down' });
  await expectReady(desk, 2);
  await expectReady(field, 2);

  await desk.getByRole('button', { name: say('voice.room.back') }).click();
  await expect(desk).toHaveURL(/\/channelsList/u);
  const bar = desk.locator('[data-stay-bar]');
  await expect(bar).toContainText(name);
  await talk(field, () => expectHeard(desk, 'down', 400));
  await expect(talkButton(desk)).toContainText('Ida');
  await release(field);
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
  await expectSilence(desk);

  await press(desk);
  await expectHeard(field, 'up', 400);
  await release(desk);
  await expect(talkButton(field)).toHaveAttribute('data-state', 'idle');

  await desk.reload();
  await expect(bar, 'a page that is loaded anew is in no room').toHaveCount(0);
  await expect(tiles(field)).toHaveCount(1);
});

test('[POS30] [ROOM10] who shares their position goes on beside other pages, sees it, and ends it with the stay', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Carte');
  const context = {
    ...WIDE.context,
    permissions: ['microphone', 'geolocation'],
    geolocation: { latitude: 48.85, longitude: 2.35 },
  };
  const desk = await open(admin, roomPath(rtcSession), { context });
  await expectReady(desk, 1);
  const toggle = desk.getByRole('switch', { name: say('positions.share.label') });
  const mark = desk.locator('[data-sharing=on]');
  await expect(toggle).not.toBeChecked();
  await toggle.click();
  await expect(mark).toContainText(say('positions.share.on'));

  await desk.getByRole('button', { name: say('voice.room.back') }).click();
  const bar = desk.locator('[data-stay-bar]');
  await expect(bar.locator('[data-sharing=on]')).toContainText(say('positions.share.on'));
  await expect(toggle).toBeChecked();
  await expectAccessible(desk, 'the bar of a stay that shares its position');
  await bar.getByRole('link').click();
  await expect(bar).toHaveCount(0);
  await expect(mark).toBeVisible();

  await desk.getByRole('button', { name: say('voice.room.leave') }).click();
  await expect(desk).toHaveURL(/\/channelsList/u);
  await expect(mark).toHaveCount(0);
  await desk.goto(roomPath(rtcSession));
  await expectReady(desk, 1);
  await expect(toggle).not.toBeChecked();
});

test('[TALK111] in a list the space bar ticks a box that has the focus, talks elsewhere, and a dialog ends the talk', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const uli = await api.person('Uli', admin.token);
  const { rtcSession } = await api.channel(admin, 'Tableau', [uli]);
  const desk = await open(admin, roomPath(rtcSession), WIDE);
  const field = await open(uli, roomPath(rtcSession));
  await expectReady(desk, 2);
  await expectReady(field, 2);
  await desk
    .getByRole('navigation')
    .getByRole('link', { name: say('app.nav.users'), exact: true })
    .click();
  const box = desk.getByRole('checkbox').nth(1);
  await box.focus();
  await desk.keyboard.press('Space');
  await expect(box).toBeChecked();
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
  await box.blur();
  await desk.keyboard.down('Space');
  await expect(talkButton(field)).toHaveAttribute('data-state', 'busy');
  await desk.getByRole('button', { name: say('users.add') }).click();
  await expect(talkButton(field)).toHaveAttribute('data-state', 'idle');
  await desk.keyboard.up('Space');
  await desk.keyboard.press('Escape');

  await desk.locator('[data-stay-bar]').getByRole('link').click();
  await expectReady(desk, 2);
  await desk.getByRole('button', { name: say('voice.room.back') }).click();
  await desk
    .locator('[data-stay-bar]')
    .getByRole('button', { name: say('voice.room.leave'), exact: true })
    .click();
  await expect(desk.locator('[data-stay-bar]')).toHaveCount(0);
  await expect(tiles(field)).toHaveCount(1);
});
