import { channelsPath, expect, test } from '../fixtures.ts';
import { accountButton, channelRow, switchLanguageInMenu } from '../harness/acts.ts';
import { foreignWordsIn, shownText } from '../harness/shown-text.ts';
import { LANGUAGES, sayIn } from '../harness/words.ts';

// Two other files belong to this. screens.spec.ts checks on each screen that no screen mixes languages. journey.spec.ts checks that a
// language chosen at the door holds until sign-out.

test('French comes first whatever the browser says', async ({ open }) => {
  for (const locale of ['en-US', 'de-DE']) {
    const page = await open(null, '/signin', { context: { locale } });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(sayIn('fr')('auth.signIn.title'));
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  }
});

test('switching inside changes all that is shown at once, and what is typed stays', async ({ world, open }) => {
  const { api, admin } = world;
  const { name } = await api.channel(admin, 'Quai');
  const page = await open(admin, channelsPath('nothing of this kind'));
  await page.getByRole('searchbox').fill(name);
  await expect(channelRow(page, name)).toBeVisible();
  for (const language of [...LANGUAGES.toReversed(), 'en'] as const) {
    await switchLanguageInMenu(page, language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(sayIn(language)('channels.title'));
    await expect(accountButton(page, sayIn(language), admin.name)).toBeVisible();
    await expect(page).toHaveTitle(`${sayIn(language)('channels.title')} · Pressel`);
    const foreign = foreignWordsIn(language, [name, admin.name]);
    await expect.poll(async () => foreign(await shownText(page))).toEqual([]);
    await expect(page.getByRole('searchbox')).toHaveValue(name);
  }
});
