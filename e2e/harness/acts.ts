import { expect, type Locator, type Page } from '@playwright/test';
import type { Language, Say } from './words.ts';

/** Acts on the screens. Each finds its controls by the words of the interface. */

const LANGUAGE_NAMES: Record<Language, string> = { fr: 'Français', en: 'English', de: 'Deutsch' };

export interface Registration {
  firstName: string;
  lastName: string;
  email: string;
  password: string;
}

/** Types a text in place of another. In Firefox, React takes the value that Playwright's own `fill` sets for one that React set. */
async function type(field: Locator, text: string): Promise<void> {
  await field.selectText();
  await field.press('Delete');
  await field.pressSequentially(text);
}

export async function fillSignUp(page: Page, say: Say, who: Registration): Promise<void> {
  await type(page.getByLabel(say('auth.field.firstName'), { exact: true }), who.firstName);
  await type(page.getByLabel(say('auth.field.lastName'), { exact: true }), who.lastName);
  await type(page.getByLabel(say('auth.field.login')), who.email);
  await type(page.getByLabel(say('auth.field.password'), { exact: true }), who.password);
}

/** Signs up by the form, and waits for the console. */
export async function signUp(page: Page, say: Say, who: Registration): Promise<void> {
  await fillSignUp(page, say, who);
  await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(accountButton(page, say, `${who.firstName} ${who.lastName}`)).toBeVisible();
}

export async function fillSignIn(page: Page, say: Say, email: string, password: string): Promise<void> {
  await type(page.getByLabel(say('auth.field.login')), email);
  await type(page.getByLabel(say('auth.field.password'), { exact: true }), password);
}

export const pressSignIn = (page: Page, say: Say): Promise<void> =>
  page.getByRole('button', { name: say('auth.signIn.submit') }).click();

/** Fills in the sign-in page and presses the button. */
export async function signIn(page: Page, say: Say, email: string, password: string, remember = false): Promise<void> {
  await fillSignIn(page, say, email, password);
  if (remember) await page.getByLabel(say('auth.signIn.remember')).check();
  await pressSignIn(page, say);
}

/** The button that opens the menu of the signed-in user. */
export const accountButton = (page: Page, say: Say, name: string): Locator =>
  page.getByRole('button', { name: say('app.account.menu', { name }) });

/** Closes the card with what a user needs to sign in, and the dialog around it. */
export async function closeAccountCard(page: Page, say: Say, name: string): Promise<void> {
  await expect(page.getByRole('region', { name: say('userForm.card.for', { name }) })).toBeVisible();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('button', { name: say('shared.close'), exact: true })
    .last()
    .click();
  await expect(dialog).toHaveCount(0);
}

export async function logOut(page: Page, say: Say, name: string): Promise<void> {
  await accountButton(page, say, name).click();
  await page.getByRole('menuitem', { name: say('app.account.logout') }).click();
  const dialog = page.getByRole('dialog', { name: say('app.logout.title') });
  await expect(dialog.getByText(say('app.logout.text'))).toBeVisible();
  await dialog.getByRole('button', { name: say('app.logout.confirm') }).click();
  await expect(page).toHaveURL(/\/signin$/u);
}

/** Switches the language without a session, where the three languages stand side by side. */
export async function switchLanguage(page: Page, language: Language): Promise<void> {
  await page.getByRole('button', { name: LANGUAGE_NAMES[language] }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', language);
}

/** Closes a menu by its key, which the menu hears once it has the focus. */
export async function closeMenu(page: Page): Promise<void> {
  const menu = page.getByRole('menu');
  await expect.poll(() => menu.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
}

/**
 * Switches the language in the console, by the account's menu, and closes that again. It works in any language, so it
 * finds its controls by what they are.
 */
export async function switchLanguageInMenu(page: Page, language: Language): Promise<void> {
  // The menu of missed calls stands beside it.
  await page.locator('header button[aria-haspopup=menu]').last().click();
  await page.getByRole('menuitemradio', { name: LANGUAGE_NAMES[language] }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', language);
  await closeMenu(page);
}

/** The row of a channel in its list. */
export const channelRow = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name }) });

/** Opens one of the dialogs of a channel from its row. */
export async function openChannelDialog(
  page: Page,
  say: Say,
  name: string,
  which: 'members' | 'edit' | 'delete',
): Promise<Locator> {
  const [act, title] = {
    members: [say('channels.membersOf', { name }), say('channels.membersOf', { name })],
    edit: [say('channels.edit.of', { name }), say('channels.edit.title')],
    delete: [say('channels.delete.of', { name }), say('channels.delete.title')],
  }[which] as [string, string];
  const row = channelRow(page, name);
  // On a phone all acts are in the row's menu.
  const menu = row.getByRole('button', { name: say('channels.actsOf', { name }), exact: true });
  const button = row.getByRole('button', { name: act, exact: true });
  await menu.or(button).click();
  if (await menu.isVisible()) await page.getByRole('menuitem', { name: act, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Adds or removes somebody in the dialog of a channel's members, and answers the question. */
export async function toggleMember(page: Page, say: Say, name: string, act: 'add' | 'remove'): Promise<void> {
  const members = page.getByRole('dialog').filter({ has: page.getByRole('table') });
  await members.getByRole('button', { name: say(`channels.member.${act}Name`, { name }) }).click();
  const question = page
    .getByRole('dialog')
    .filter({ hasText: say('channels.member.sure') })
    .last();
  await expect(question).toContainText(
    say(act === 'add' ? 'channels.member.sureAdd' : 'channels.member.sureRemove', { name }),
  );
  await question
    .getByRole('button', { name: say(act === 'add' ? 'channels.member.yesAdd' : 'channels.member.yesRemove') })
    .click();
  const opposite = act === 'add' ? 'remove' : 'add';
  await expect(members.getByRole('button', { name: say(`channels.member.${opposite}Name`, { name }) })).toBeFocused();
}

/** Looks in a dialog's table for the only row of this name, which may be on another page, and ticks it. */
export async function pickRow(dialog: Locator, say: Say, name: string): Promise<void> {
  await dialog.getByRole('searchbox').fill(name);
  // Rows of the filter before stand there, dimmed, until the new ones come.
  await expect(dialog.locator('tbody tr')).toHaveCount(1);
  await dialog.getByRole('checkbox', { name: say('shared.picker.one', { name }) }).check();
  await expect(dialog.locator('table[aria-busy=true]')).toHaveCount(0);
}

/**
 * Waits until a dialog that opened leaves the focus where it is. Mantine's trap gives the focus twice: as soon as the dialog is made, and
 * again by a timer of an effect. The second time undoes what the Tab key did between the two, and Enter meets another button. The effect
 * was queued when the dialog was made, so a timer that a timer sets now comes after both.
 */
export const focusSettled = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => setTimeout(() => setTimeout(done))));

/**
 * [KEYS12] In a wide room: Space talks while the focus is where a click left it, and presses the button to which the Tab key led. Each
 * browser has its own view of what is focused.
 */
export async function expectSpaceByFocus(page: Page, say: Say): Promise<void> {
  const button = page.getByRole('button', { name: say('voice.panels.people'), exact: true });
  const talk = page.locator('[data-talk-button]');
  // Firefox moves the focus in a window behind another one without telling the page.
  await page.bringToFront();
  await button.click();
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  for (const round of ['first', 'second']) {
    await page.keyboard.down('Space');
    await expect(talk, `the ${round} time after a click`).toHaveAttribute('data-state', 'talking');
    await page.keyboard.up('Space');
    await expect(talk).toHaveAttribute('data-state', 'idle');
  }
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(button).toBeFocused();
  await page.keyboard.press('Space');
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await expect(talk).toHaveAttribute('data-state', 'idle');
}
