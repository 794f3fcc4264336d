import type { Locator, Page } from '@playwright/test';
import { channelsPath, expect, expectHeard, expectReady, roomPath, talkButton, test } from '../fixtures.ts';
import { accountButton, focusSettled } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

/** Walks on with the Tab key until something has the focus. Each element on the way must show that it has it. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible();
  await focusSettled(page);
  for (let step = 0; step < 40; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    const focused = await page.evaluateHandle(() => document.activeElement ?? document.body);
    const look = await focused.evaluate(lookOf);
    await page.keyboard.press(key);
    if (look === '') continue;
    // The element looks otherwise without the focus.
    const name = await focused.evaluate((element) => element.outerHTML.slice(0, 160));
    await expect.poll(() => focused.evaluate(lookOf), { message: `the focus is not seen at ${name}` }).not.toBe(look);
  }
  throw new Error(`The ${key} key does not lead to ${target}`);
}

/** Outlines, shadows and borders of an element and of what stands around it: fields and switches show theirs there. */
function lookOf(element: Element): string {
  // The focus begins at the top of a page, where there is nothing to do, so nothing shows it (KEYS7).
  if (element === document.body || element.id === 'content') return '';
  return [element, element.parentElement, element.nextElementSibling]
    .filter((one) => one !== null)
    .map((one) => getComputedStyle(one))
    .map((css) => [css.outlineStyle, css.outlineWidth, css.outlineColor, css.boxShadow, css.borderColor].join())
    .join();
}

/** Expects that many steps of the Tab key, both ways, never move the focus out of an element. */
async function expectTrapped(page: Page, place: Locator): Promise<void> {
  await expect(place).toBeVisible();
  const holdsFocus = () => place.evaluate((element) => element.contains(document.activeElement));
  await expect.poll(holdsFocus).toBe(true);
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press(key);
      expect(await holdsFocus(), `${key} ${step + 1}`).toBe(true);
    }
  }
}

test('all by the keyboard: sign in, open a channel, talk, change a setting, leave', async ({ world, open }) => {
  const { api, admin } = world;
  const [ida, max] = [await api.person('Ida', admin.token), await api.person('Maxim', admin.token)];
  const { rtcSession, name } = await api.channel(admin, 'Touches', [ida, max]);
  const listener = await open(max, roomPath(rtcSession));
  const page = await open(null, '/signin');
  await expect(page.getByLabel(say('auth.field.login')), 'it has the focus from the start').toBeFocused();
  await page.keyboard.type(ida.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/channelsList$/u);

  await tabTo(page, page.getByRole('link', { name: say('channels.enter', { name }) }));
  await page.keyboard.press('Enter');
  await expectReady(page, 2);
  await expectReady(listener, 2);
  await page.keyboard.down('Space');
  await expect(talkButton(page)).toHaveAttribute('data-state', 'talking');
  await expectHeard(listener, 'up', 400);
  await page.keyboard.up('Space');
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  await expect(talkButton(listener)).toHaveAttribute('data-state', 'idle');

  const settings = page.getByRole('button', { name: say('voice.room.settings') });
  await tabTo(page, settings);
  await page.keyboard.press('Enter');
  const popover = page.getByRole('dialog', { name: say('voice.settings.title') });
  await expectTrapped(page, popover);
  const tones = popover.getByRole('switch', { name: say('voice.settings.tones') });
  await tabTo(page, tones);
  await page.keyboard.press('Space');
  await expect(tones).not.toBeChecked();
  await expect(talkButton(page), 'the space bar acts in the dialog, it does not talk').toHaveAttribute(
    'data-state',
    'idle',
  );
  await page.keyboard.press('Escape');
  await expect(popover).toHaveCount(0);
  await expect(settings).toBeFocused();

  const members = page.getByRole('button', { name: say('voice.panels.members'), exact: true });
  await tabTo(page, members, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(members).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('tabpanel').getByRole('listitem').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tabpanel')).toHaveCount(0);
  await expect(members).toBeFocused();

  await tabTo(page, page.getByRole('button', { name: say('voice.room.leave'), exact: true }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/channelsList$/u);
  await expect(talkButton(listener)).toBeVisible();
  await expectReady(listener, 1);
});

test('the keyboard stays in what is open, and comes back to where it was', async ({ world, open }) => {
  const { api, admin } = world;
  const lou = await api.person('Loup', admin.token);
  const { name } = await api.channel(admin, 'Allers-retours', [lou]);
  const page = await open(admin, channelsPath(name));
  const create = page.getByRole('main').getByRole('button', { name: say('channels.create.act') });
  await tabTo(page, create);
  await page.keyboard.press('Enter');
  const creation = page.getByRole('dialog', { name: say('channels.create.title') });
  await expect(creation.getByLabel(say('channels.form.name'))).toBeFocused();
  await expectTrapped(page, creation);
  await page.keyboard.press('Escape');
  await expect(creation).toHaveCount(0);
  await expect(create).toBeFocused();

  const opener = page.getByRole('button', { name: say('channels.membersOf', { name }) });
  await tabTo(page, opener);
  await page.keyboard.press('Enter');
  const members = page.getByRole('dialog', { name: say('channels.membersOf', { name }) });
  const toggle = members.getByRole('button', { name: say('channels.member.removeName', { name: lou.name }) });
  await tabTo(page, toggle);
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: say('channels.member.sure') });
  await expect(question.getByRole('button', { name: say('channels.member.yesRemove') })).toBeFocused();
  await focusSettled(page);
  await page.keyboard.press('Shift+Tab');
  await expect(question.getByRole('button', { name: say('shared.cancel') })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(toggle, 'back to its own button').toBeFocused();
  await page.keyboard.press('Escape');
  await expect(members).toHaveCount(0);
  await expect(opener).toBeFocused();

  const account = accountButton(page, say, admin.name);
  await tabTo(page, account, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const way = page.getByRole('menuitem', { name: say('app.account.logout') });
  for (let step = 0; step < 10 && !(await way.evaluate((item) => item === document.activeElement)); step += 1) {
    await page.keyboard.press('ArrowDown');
  }
  await expect(way).toBeFocused();
  await page.keyboard.press('Enter');
  const farewell = page.getByRole('dialog', { name: say('app.logout.title') });
  await expect(farewell.getByRole('button', { name: say('app.logout.cancel') }), 'the way back first').toBeFocused();
  await expectTrapped(page, farewell);
  await page.keyboard.press('Escape');
  await expect(farewell).toHaveCount(0);
  await expect(account).toBeFocused();

  await page.goto(channelsPath(name));
  await expect(create).toBeVisible();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: say('app.skip') });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  // At this width the sidebar is not beside the page.
  await page.setViewportSize({ width: 800, height: 720 });
  const menu = page.getByRole('button', { name: say('app.nav.open') });
  await tabTo(page, menu);
  await page.keyboard.press('Enter');
  await expectTrapped(page, page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  await expect(menu).toBeFocused();
});
