import { expect, type Page } from '@playwright/test';
import { accountButton, channelRow, fillSignIn, fillSignUp, openChannelDialog, pressSignIn } from './acts.ts';
import { type Say, sayIn } from './words.ts';

/** Looks at what a page shows now. */
export type Look = (where: string, page: Page) => Promise<void>;

export interface TourGuide {
  say: Say;
  look: Look;
  /** Below 1480 px sidebar and members stand in drawers. */
  isWide: boolean;
}

/**
 * Shows another screen as a link on the page would, in a fraction of the time that loading the page takes. The caller then waits for
 * something that only that screen has.
 */
export async function turnTo(page: Page, path: string): Promise<void> {
  // A page that hasn't started yet hears of no other address.
  await page.locator('#frame').waitFor({ state: 'detached' });
  await page.evaluate((to) => window.history.pushState(null, '', to), path);
}

/** Loads a page at the address where a tour begins, unless it has been opened there. */
export const beginAt = async (page: Page, path: string): Promise<void> => {
  const { pathname, search } = new URL(page.url());
  if (`${pathname}${search}` !== path) await page.goto(path);
};

/** The language and the colour scheme that a page shows. */
export const chosenOn = (page: Page): Promise<{ language: string; scheme: string | undefined }> =>
  page.evaluate(() => {
    const { lang, dataset } = document.documentElement;
    return { language: lang, scheme: dataset.mantineColorScheme };
  });

/** Waits until a screen shows its content instead of placeholders. Content below the window is read once it is seen. */
export const untilContent = (page: Page): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(() => {
        const placeholders = document.querySelectorAll(
          '[data-placeholder], .mantine-Skeleton-root, .mantine-Loader-root',
        );
        return [...placeholders].filter((one) => {
          const { top, bottom, width } = one.getBoundingClientRect();
          return width > 0 && bottom > 0 && top < window.innerHeight;
        }).length;
      }),
    )
    .toBe(0);

/** The screens that can be seen without a session. */
export async function tourTheDoors(page: Page, { say, look }: TourGuide): Promise<void> {
  await beginAt(page, '/signin');
  // The server sends versions a moment later.
  await expect(page.getByText('2.0.2')).toBeVisible();
  await look('sign in', page);
  await fillSignIn(page, say, 'x', 'much longer than eight');
  await pressSignIn(page, say);
  await expect(page.getByText(say('forms.fault.loginTooShort', { min: 2 }))).toBeVisible();
  await look('sign in, faults', page);
  await turnTo(page, '/signup');
  await fillSignUp(page, say, { firstName: '', lastName: '', email: 'x@', password: 'a' });
  await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(page.getByText(say('forms.fault.invalidEmail'))).toBeVisible();
  await look('sign up, faults', page);
  for (const [path, title] of [
    ['/nowhere', say('app.notFound.title')],
    ['/join/x', say('app.enter.title')],
    ['/userCallView/%7B%7D', say('app.callLink.broken')],
  ] as const) {
    // A link to a call comes from outside, and loads a page.
    await (path.startsWith('/userCallView') ? page.goto(path) : turnTo(page, path));
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await look(path, page);
  }
}

export interface TourSubjects {
  /** A channel of the administrator's list, with members. */
  channel: string;
  /** A user who is not in it. */
  outsider: string;
  /** The name of the signed-in user. */
  name: string;
  /** The filter of the lists: other tests left theirs on the server. */
  mark: string;
}

/** The lists of an administrator, with everything that opens from them. */
export async function tourTheConsole(page: Page, guide: TourGuide, places: TourSubjects): Promise<void> {
  const { say, look } = guide;
  await beginAt(page, '/dashboard');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await look('dashboard', page);
  await tourTheFirstSteps(page, guide);
  await turnTo(page, '/board');
  await expect(page.getByRole('heading', { name: say('voice.board.empty') })).toBeVisible();
  await look('board, no channel', page);
  await turnTo(page, '/dashboard');
  await page.getByRole('button', { name: say('dashboard.last.browse') }).click();
  const log = page.getByRole('dialog', { name: say('dashboard.last.dialog') });
  await expect(log.getByRole('listitem').first()).toBeVisible();
  await look('all activities', page);
  await page.keyboard.press('Escape');
  await expect(log).toHaveCount(0);
  await tourTheShell(page, guide, places.mark);
  await turnTo(page, `/usersList?q=${places.mark}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('users.title'));
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  await look('users', page);
  await turnTo(page, `/activities?scope=all&q=${places.mark}`);
  await page.getByRole('article').first().getByRole('button').click();
  await look('activities', page);
  await page.getByRole('button', { name: say('activityLog.filter.types'), exact: true }).click();
  await expect(page.getByRole('checkbox').first()).toBeVisible();
  await look('types of activities', page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: say('activityLog.delete.act'), exact: true }).click();
  await page.getByRole('menuitem').first().click();
  await expect(page.getByText(say('activityLog.delete.none'))).toBeVisible();
  await look('deleting activities', page);
  await page.keyboard.press('Escape');
  await tourTheLogByTime(page, guide, places.mark);
  await turnTo(page, '/channelsList?q=zzz');
  await expect(page.getByText(say('channels.empty.filtered', { filter: 'zzz' }))).toBeVisible();
  await look('no channel found', page);
  await turnTo(page, `/channelsList?q=${places.mark}`);
  await expect(channelRow(page, places.channel)).toBeVisible();
  await look('channels', page);
  if (!guide.isWide) {
    const unfold = page.getByRole('button', { name: say('app.nav.unfold') });
    const isBeside = (await unfold.count()) > 0;
    await (isBeside ? unfold : page.getByRole('button', { name: say('app.nav.open') })).click();
    await expect(page.getByRole('navigation', { name: say('app.nav.label') }).first()).toBeVisible();
    await look('sidebar', page);
    if (isBeside) await unfold.click();
    else await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await accountButton(page, say, places.name).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await look('account menu', page);
  await page.getByRole('menuitem', { name: say('app.account.logout') }).click();
  await expect(page.getByRole('dialog', { name: say('app.logout.title') })).toBeVisible();
  await look('log out?', page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await tourTheDialogs(page, guide, places);
}

/** The log with one entry a line, a period of minutes, and a period that has nothing. */
async function tourTheLogByTime(page: Page, { say, look }: TourGuide, mark: string): Promise<void> {
  await page.goto(`/activities?scope=all&q=${mark}&layout=lines&from=2026-01-01T00:00`);
  await page.getByRole('article').first().getByRole('button').click();
  await look('activities, one a line', page);
  await page.getByRole('button', { name: / 2026 00:00/u }).click();
  await expect(page.getByLabel(say('activityLog.filter.fromTime'), { exact: true })).toHaveValue('00:00');
  await look('period of activities', page);
  await turnTo(page, '/activities?scope=all&from=2001-01-01T06:30&to=2001-12-31T18:45');
  await expect(page.getByText(say('activityLog.noMatch'))).toBeVisible();
  await look('no activity found', page);
}

/** The first steps, as on a new server: entries of this server's log would end them. */
async function tourTheFirstSteps(page: Page, { say, look }: TourGuide): Promise<void> {
  const log = '**/user/api/getAllActivities/';
  await page.route(log, (route) =>
    route.fulfill({
      json: { success: true, res: { activities: [], totalRecords: 0, newer: 0, top: null, older: null } },
    }),
  );
  const forget = () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('firstSteps.')) localStorage.removeItem(key);
  };
  await page.evaluate(forget);
  await page.reload();
  const steps = page.getByRole('region', { name: say('dashboard.first.title') });
  await expect(steps).toBeVisible();
  await look('first steps', page);
  await steps.getByRole('button', { name: say('dashboard.first.dismiss') }).click();
  await expect(steps).toHaveCount(0);
  await page.unroute(log);
}

async function tourTheDialogs(page: Page, { say, look }: TourGuide, places: TourSubjects): Promise<void> {
  await turnTo(page, `/channelsList?q=${places.mark}&panel=create`);
  const creation = page.getByRole('dialog', { name: say('channels.create.title') });
  await expect(creation.getByRole('checkbox').first()).toBeVisible();
  await creation.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(creation.getByText(say('channels.form.nameRequired'))).toBeVisible();
  await look('create a channel', page);
  await creation.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(creation).toHaveCount(0);
  const editing = await openChannelDialog(page, say, places.channel, 'edit');
  await expect(editing.getByRole('checkbox').nth(1)).toBeVisible();
  await look('edit a channel', page);
  await editing.getByLabel(say('channels.form.name')).fill(places.outsider);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: say('shared.unsaved.title') });
  await expect(question).toBeVisible();
  await look('unsaved changes', page);
  await question.getByRole('button', { name: say('shared.unsaved.discard') }).click();
  await expect(editing).toHaveCount(0);
  const members = await openChannelDialog(page, say, places.channel, 'members');
  await members.getByRole('searchbox').fill(places.outsider);
  // Rows of the filter before are pale.
  await expect(members.locator('tbody tr')).toHaveCount(1);
  await expect(members.locator('table[data-stale]')).toHaveCount(0);
  await members.getByRole('button', { name: say('channels.member.addName', { name: places.outsider }) }).click();
  await expect(page.getByRole('dialog', { name: say('channels.member.sure') })).toBeVisible();
  await look('members of a channel', page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await members.getByRole('button', { name: say('shared.close') }).click();
  await expect(members).toHaveCount(0);
  const deletion = await openChannelDialog(page, say, places.channel, 'delete');
  await look('delete a channel?', page);
  await deletion.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(deletion).toHaveCount(0);
}

/** A room that the page is in already, with somebody else in it. */
export async function tourTheRoom(page: Page, { say, look }: TourGuide): Promise<void> {
  const button = page.locator('[data-talk-button]');
  await look('room', page);
  expect(await cutTabs(page), 'tabs of the room that are cut').toEqual([]);
  await button.hover();
  await page.mouse.down();
  await expect(button).toHaveAttribute('data-state', 'talking');
  await look('room, talking', page);
  await page.mouse.up();
  await expect(button).toHaveAttribute('data-state', 'idle');
  await page.getByRole('button', { name: say('voice.room.settings') }).click();
  await expect(page.getByRole('dialog', { name: say('voice.settings.title') })).toBeVisible();
  await look('room, settings', page);
  await page.getByRole('button', { name: say('voice.settings.test.start') }).click();
  await expect(page.getByText(say('voice.settings.test.recording'))).toBeVisible();
  await look('room, a test of the microphone', page);
  await page.getByRole('switch', { name: say('voice.settings.soundOff') }).press('Space');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText(say('voice.notice.soundOff'))).toBeVisible();
  await look('room, its sound off', page);
  await page.getByRole('button', { name: say('voice.notice.soundOn') }).click();
  await tourTheKeys(page, { say, look }, 'room, keys');
  await openPanel(page, say, 'members');
  await expect(page.getByRole('tabpanel').getByRole('listitem').first()).toBeVisible();
  await look('room, members', page);
  await openPanel(page, say, 'messages');
  await expect(page.getByRole('tabpanel', { name: say('voice.panels.messages') }).getByRole('textbox')).toBeVisible();
  await look('room, messages', page);
}

/** If the room has tabs under the thumb: the words that they would cut off, in any language. */
async function cutTabs(page: Page): Promise<string[]> {
  const cut: string[] = [];
  for (const language of ['fr', 'en', 'de'] as const) {
    const words = (['people', 'messages', 'talks', 'map', 'members'] as const).map((tab) =>
      sayIn(language)(`voice.panels.${tab}`),
    );
    cut.push(
      ...(await page.evaluate((wanted) => {
        const tabs = [...document.querySelectorAll<HTMLElement>('[data-bar] [role=tab] [title]')];
        const before = tabs.map(({ title }) => title);
        const say = (all: readonly (string | undefined)[]) =>
          tabs.forEach((tab, at) => {
            const text = all[at] ?? '';
            tab.title = text;
            if (tab.firstChild !== null) tab.firstChild.nodeValue = text;
          });
        // A user without the map has one tab less, and more room.
        if (tabs.length !== wanted.length) return [];
        say(wanted);
        const found = tabs.filter((tab) => tab.scrollWidth > tab.clientWidth).map(({ title }) => title);
        say(before);
        return found;
      }, words)),
    );
  }
  return cut;
}

/** Opens a panel unless it stands already: by a toggle in the header of the room, or by a tab above the talk button. */
export async function openPanel(page: Page, say: Say, panel: 'messages' | 'members'): Promise<void> {
  const name = say(`voice.panels.${panel}`);
  if (await page.getByRole('tabpanel', { name }).isVisible()) return;
  await page.getByRole('button', { name, exact: true }).or(page.getByRole('tab', { name })).first().click();
}

/** The screens that a member sees and an administrator doesn't. `elsewhere`: the address of a room that is not theirs. */
export async function tourAsMember(page: Page, { say, look }: TourGuide, elsewhere: string): Promise<void> {
  await beginAt(page, '/channelsList');
  await expect(page.getByText(say('channels.empty.memberText'))).toBeVisible();
  await look('no channels yet', page);
  await turnTo(page, '/usersList');
  await expect(page.getByRole('heading', { name: say('app.notYours.title') })).toBeVisible();
  await look('for administrators', page);
  await turnTo(page, elsewhere);
  await expect(page.getByRole('heading', { name: say('voice.closed.not_a_member') })).toBeVisible();
  await look('not a member', page);
}

/** Panels that open over any page: the palette, with `mark` as a part of names of channels and users, and the list of keys. */
async function tourTheShell(page: Page, { say, look }: TourGuide, mark: string): Promise<void> {
  await page.getByRole('button', { name: say('shell.palette.title'), exact: true }).click();
  const palette = page.getByRole('dialog', { name: say('shell.palette.title') });
  // The screens alone are known at once, so this waits for the channels, which come from the server.
  await expect(palette.getByText(say('keyPanels.palette.channels'), { exact: true }).last()).toBeVisible();
  await look('where to go', page);
  await palette.getByRole('combobox').fill(mark);
  await expect(palette.getByText(say('keyPanels.palette.users'), { exact: true }).last()).toBeVisible();
  await expect(palette.locator('[data-combobox-disabled]')).toHaveCount(0);
  await look('where to go, found', page);
  await palette.getByRole('combobox').fill(`${say('keyPanels.command.callVerb')} ${mark}`);
  await expect(palette.getByRole('option').first()).toHaveText(new RegExp(mark, 'u'));
  await expect(palette.locator('[data-combobox-disabled]')).toHaveCount(0);
  await look('whom to call', page);
  await palette.getByRole('combobox').fill('zzzz');
  await expect(palette.getByText(say('keyPanels.palette.none'))).toBeVisible();
  await look('where to go, nothing found', page);
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);
  await tourTheKeys(page, { say, look }, 'keys');
}

/** The keys that work here. */
async function tourTheKeys(page: Page, { say, look }: Pick<TourGuide, 'say' | 'look'>, where: string): Promise<void> {
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: say('keyPanels.shortcuts.title') });
  await expect(keys).toBeVisible();
  await look(where, page);
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
}
