import type { Page } from '@playwright/test';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  heard,
  press,
  release,
  roomPath,
  talk,
  talkButton,
  test,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** Errors that the browser and React report for a missing part, or for one that throws. */
const FAILED = /404|dynamically imported|ChunkGoneError|part of the app|preload|React error #520|broken|boundary/iu;
const WIDE = { viewport: { width: 1600, height: 900 } };
const MIDDLE = { viewport: { width: 1280, height: 800 } };

/** Counts the pages that are loaded from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  return () => loads;
}

for (const { what, file, button } of [
  { what: 'of the console', file: 'members-dialog', button: say('channels.here.manage') },
  { what: 'of the room', file: 'guest-links-dialog', button: say('voice.room.guests') },
])
  test(`[APP11] a dialog ${what} that is gone says so; voice and stay go on, and it opens when it is there again`, async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const ida = await api.person('Ida', admin.token);
    const { rtcSession } = await api.channel(admin, 'Manque', [ida]);
    const desk = await open(admin, roomPath(rtcSession), { context: WIDE, expectedErrors: FAILED });
    const field = await open(ida, roomPath(rtcSession), { voice: 'down' });
    await expectReady(desk, 2);
    await expectReady(field, 2);
    const files = `**/assets/${file}-*.js`;
    await desk.route(files, (route) => route.fulfill({ status: 404, body: '{}' }));
    const loads = countLoads(desk);
    await talk(field, () => expectHeard(desk, 'down', 400));
    await desk.getByRole('button', { name: button }).click();
    const said = desk.getByRole('alert').filter({ hasText: say('shell.part.gone') });
    await expect(said).toBeVisible();
    await expectHeard(desk, 'down', 400);
    await release(field);
    await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
    await expectAccessible(desk, `a dialog ${what} that is gone`);
    // The dialog covers no talk button.
    await press(desk);
    await expectHeard(field, 'up', 400);
    await release(desk);

    await desk.unroute(files);
    await said.getByRole('button', { name: say('shared.retry') }).click();
    await expect(desk.getByRole('dialog')).toBeVisible();
    await expect(said).toHaveCount(0);
    expect(loads()).toBe(0);
  });

test('[ROOM7] what the talker opens beside the room, also a panel that throws, ends no talk', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Panne', [ida]);
  const desk = await open(admin, roomPath(rtcSession), { context: MIDDLE, expectedErrors: FAILED });
  const field = await open(ida, roomPath(rtcSession));
  await expectReady(desk, 2);
  await expectReady(field, 2);
  await desk.route('**/assets/room-members-*.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'export function RoomMembers() { throw new Error("broken"); }',
    }),
  );
  const loads = countLoads(desk);
  const holds = async () => {
    await desk.keyboard.up('Space');
    await desk.keyboard.down('Space');
    await expect(talkButton(desk)).toHaveAttribute('data-state', 'talking', { timeout: 20_000 });
    await expectHeard(field, 'up', 400);
    await desk.getByRole('button', { name: say('voice.panels.messages'), exact: true }).click();
    await expect(desk.getByRole('textbox')).toBeVisible();
    await expectHeard(field, 'up', 400);
    await expect(talkButton(desk)).toHaveAttribute('data-state', 'talking');
  };
  await holds();
  await desk.getByRole('button', { name: say('voice.panels.members'), exact: true }).click();
  await expect(desk.getByText(say('voice.panels.failed'))).toBeVisible();
  await expectHeard(field, 'up', 400);
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'talking');
  await desk.keyboard.up('Space');
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
  await expectSilence(field);
  await expectReady(desk, 2);
  expect(loads()).toBe(0);
});

test('[TALK52] a second tab of who talks shows it, and plays nothing of it', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Double', [ida]);
  const first = await open(admin, roomPath(rtcSession));
  const second = await open(admin, roomPath(rtcSession));
  const field = await open(ida, roomPath(rtcSession), { voice: 'down' });
  for (const page of [first, second, field]) await expectReady(page, 3);
  // The page plays others.
  await talk(field, () => expectHeard(second, 'down', 400));
  await release(field);
  await expectSilence(second);

  await talk(first, () => expectHeard(field, 'up', 400));
  await expect(second.locator('[data-tile][data-presence=talking]')).toHaveCount(1);
  await heard(second);
  await expectHeard(field, 'up', 1_000);
  expect(await heard(second), 'of a talk that others hear meanwhile').toEqual({ up: 0, down: 0 });
  await expect(talkButton(first)).toHaveAttribute('data-state', 'talking');
  await release(first);
});

test('[TALK54] Space on the talk button talks also where another key is the talk key', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Touche', [ida]);
  const desk = await open(admin, roomPath(rtcSession), { context: WIDE });
  const field = await open(ida, roomPath(rtcSession));
  await expectReady(desk, 2);
  await expectReady(field, 2);
  await desk.getByRole('button', { name: say('voice.room.settings') }).click();
  const settings = desk.getByRole('dialog', { name: say('voice.settings.title') });
  await settings.getByRole('button', { name: say('voice.settings.change') }).click();
  await desk.keyboard.press('F8');
  await expect(settings).toContainText('F8');
  await desk.keyboard.press('Escape');
  await expect(settings).toHaveCount(0);

  const state = () => talkButton(desk).getAttribute('data-state');
  for (const key of ['F8', 'Space']) {
    await talkButton(desk).focus();
    await desk.keyboard.down(key);
    await expect.poll(state).toBe('talking');
    await expectHeard(field, 'up', 400);
    await desk.keyboard.up(key);
    await expect.poll(state).toBe('idle');
    await expectSilence(field);
  }
  // Elsewhere only the chosen key talks.
  await talkButton(desk).blur();
  await desk.keyboard.down('Space');
  await desk.keyboard.up('Space');
  expect(await state()).toBe('idle');
  await desk.keyboard.down('F8');
  await expect.poll(state).toBe('talking');
  await desk.keyboard.up('F8');
  await expect.poll(state).toBe('idle');
});
