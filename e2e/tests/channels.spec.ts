import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { updateChannel } from '@pressel/contract/channels';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import { channelRow, openChannelDialog, toggleMember } from '../harness/acts.ts';
import { type Language, sayIn } from '../harness/words.ts';

/** A browser in which a language was chosen before. */
const inLanguage = (origin: string, language: Language) => ({
  context: {
    storageState: {
      cookies: [],
      origins: [{ origin, localStorage: [{ name: 'language', value: JSON.stringify(language) }] }],
    },
  },
});

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    // Still experimental: it takes the initials of the avatar, which no reader hears, for a label.
    .disableRules(['label-content-name-mismatch'])
    .analyze();
  expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))).toEqual([]);
}

/** The list, narrowed to one channel: other tests left theirs on the server. */
const listOf = (name: string): string => `/channelsList?q=${encodeURIComponent(name)}`;

for (const language of ['fr', 'en', 'de'] as const) {
  test(`in ${language}: create with users, rename, a name that exists, who may talk, members`, async ({
    world,
    open,
  }) => {
    const { api, admin, server } = world;
    const say = sayIn(language);
    const ana = await api.person(`Ana${language}`, admin.token);
    const ben = await api.person(`Ben${language}`, admin.token);
    const taken = await api.channel(admin, `Pris ${language}`);
    const page = await open(admin, listOf(language), {
      ...inLanguage(server.origin, language),
      expectedErrors: /409/u,
    });
    await page
      .getByRole('main')
      .getByRole('button', { name: say('channels.create.act') })
      .first()
      .click();
    const creation = page.getByRole('dialog', { name: say('channels.create.title') });
    await creation.getByRole('button', { name: say('channels.create.submit') }).click();
    await expect(creation.getByText(say('channels.form.nameRequired'))).toBeVisible();
    // The key is what counts: the same letters with other spaces are the same name.
    await creation.getByLabel(say('channels.form.name')).fill(`  Pr is${language}`);
    await creation.getByRole('searchbox').fill(ana.firstName);
    await creation.getByRole('checkbox', { name: `${ana.firstName} Martin` }).check();
    await expectAccessible(page);
    await creation.getByRole('button', { name: say('channels.create.submit') }).click();
    await expect(creation.getByText(say('shared.errors.duplicate_channel'))).toBeVisible();
    await creation.getByLabel(say('channels.form.name')).fill(`Neuf ${language}`);
    await creation.getByRole('button', { name: say('channels.create.submit') }).click();
    await expect(page.getByText(say('channels.create.done'))).toBeVisible();
    await expect(channelRow(page, `Neuf ${language}`)).toContainText('0/1');

    const editing = await openChannelDialog(page, say, `Neuf ${language}`, 'edit');
    const name = editing.getByLabel(say('channels.form.name'));
    await expect(name).toBeFocused();
    await name.fill(taken.rtcSession);
    await editing.getByRole('button', { name: say('channels.edit.submit') }).click();
    await expect(editing.getByText(say('shared.errors.duplicate_channel'))).toBeVisible();
    await name.fill(`Neuf à neuf ${language}`);
    await editing.getByRole('radio', { name: say('channels.form.open') }).check();
    await editing.getByRole('searchbox').fill(`${language} martin`);
    await expect(editing.getByRole('checkbox', { name: `${ana.firstName} Martin` })).toBeChecked();
    await editing.getByRole('checkbox', { name: `${ana.firstName} Martin` }).uncheck();
    await editing.getByRole('checkbox', { name: `${ben.firstName} Martin` }).check();
    await expect(editing.getByText(say('shared.picked_one', { count: 1 }))).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: say('shared.unsaved.title') });
    await question.getByRole('button', { name: say('shared.unsaved.stay') }).click();
    await page.goBack();
    await question.getByRole('button', { name: say('shared.unsaved.stay') }).click();
    await expect(name).toHaveValue(`Neuf à neuf ${language}`);
    await editing.getByRole('button', { name: say('channels.edit.submit') }).click();
    await expect(page.getByText(say('channels.edit.done'))).toBeVisible();
    await expect(editing).toHaveCount(0);
    await expect(channelRow(page, `Neuf à neuf ${language}`)).toContainText(say('channels.open'));

    const members = await openChannelDialog(page, say, `Neuf à neuf ${language}`, 'members');
    await members.getByRole('switch', { name: say('channels.form.onlyMembers') }).check();
    await expect(members.getByRole('row')).toHaveCount(2);
    await expect(members.getByRole('row').nth(1)).toContainText(ben.email);
    await expectAccessible(page);
  });
}

test('of two administrators who rename one channel, the second sees both names and decides', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const say = sayIn('fr');
  const { id } = await api.channel(admin, 'Disputé');
  const page = await open(admin, `/channelsList?panel=edit:${id}`);
  const editing = page.getByRole('dialog', { name: say('channels.edit.title') });
  await editing.getByLabel(say('channels.form.name')).fill('Le mien');
  await api.call(updateChannel, { channelId: id, channelName: 'Le leur', talkMode: 'open' }, admin.token);
  const conflict = editing.getByRole('alert');
  await expect(conflict.getByRole('row', { name: /Le leur Le mien/u })).toBeVisible();
  await expect(editing.getByRole('button', { name: say('channels.edit.submit'), exact: true })).toBeDisabled();
  await expectAccessible(page);
  await conflict.getByRole('button', { name: say('channels.conflict.saveMine') }).click();
  await expect(editing).toHaveCount(0);
  await page.goto(listOf('Le mien'));
  await expect(channelRow(page, 'Le mien')).toContainText(say('channels.open'));
});

test('who is added sees the channel at once, who is in a deleted room is told', async ({ world, open }) => {
  const { api, admin } = world;
  const say = sayIn('fr');
  const ida = await api.person('Idalie', admin.token);
  await api.channel(admin, 'Éphémère');
  // The lists beside the room ask for the channel once more before they learn that it is gone.
  const member = await open(ida, '/channelsList', { expectedErrors: /status of 404/u });
  await expect(member.getByText(say('channels.empty.member'))).toBeVisible();
  const page = await open(admin, listOf('Éphémère'));
  const members = await openChannelDialog(page, say, 'Éphémère', 'members');
  await members.getByRole('searchbox').fill('Idalie');
  await toggleMember(page, say, 'Idalie Martin', 'add');
  await expect(channelRow(member, 'Éphémère')).toContainText('0/1', { timeout: 1_000 });
  await toggleMember(page, say, 'Idalie Martin', 'remove');
  await expect(member.getByText(say('channels.empty.member'))).toBeVisible({ timeout: 1_000 });
  await toggleMember(page, say, 'Idalie Martin', 'add');
  await members.getByRole('button', { name: say('shared.close') }).click();

  await channelRow(member, 'Éphémère').getByRole('link').click();
  await expectReady(member, 1);
  await expect(channelRow(page, 'Éphémère')).toContainText('1/1');
  const deletion = await openChannelDialog(page, say, 'Éphémère', 'delete');
  await expect(deletion.getByText('Idalie Martin')).toBeVisible();
  await expect(deletion.getByRole('button', { name: say('shared.cancel') })).toBeFocused();
  await expectAccessible(page);
  await deletion.getByRole('button', { name: say('channels.delete.confirm') }).click();
  await expect(page.getByText(say('channels.delete.done'))).toBeVisible();
  await expect(page.getByText(say('channels.empty.filtered', { filter: 'Éphémère' }))).toBeVisible();
  await expect(member.getByText(say('voice.closed.deleted'))).toBeVisible();
});

test('beside a room stand the users of its channel; administrators add and remove them there', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const say = sayIn('en');
  const [kim, lou] = [await api.person('Kimberley', admin.token), await api.person('Louison', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Beside', [kim]);
  const there = inLanguage(world.server.origin, 'en');
  const page = await open(admin, roomPath(rtcSession), {
    context: { ...there.context, viewport: { width: 1600, height: 900 } },
  });
  await expectReady(page, 1);
  const users = page.getByRole('region', { name: say('channels.here.title', { name: 'Beside' }) });
  await expect(users.getByRole('listitem')).toHaveCount(1);
  await expect(users.getByRole('img', { name: say('channels.here.away') })).toBeVisible();
  const other = await open(kim, roomPath(rtcSession), there);
  await expectReady(other, 2);
  await expect(users.getByRole('img', { name: say('channels.here.connected') })).toBeVisible();
  await users.getByRole('button', { name: say('channels.here.manage') }).click();
  await page.getByRole('dialog').getByRole('searchbox').fill('Louison');
  await toggleMember(page, say, `${lou.firstName} Martin`, 'add');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('shared.close') })
    .click();
  await expect(users.getByRole('listitem')).toHaveText([/Kimberley/u, /Louison/u]);
  await users.getByRole('button', { name: say('channels.here.title', { name: 'Beside' }) }).click();
  await expect(users.getByRole('listitem')).toHaveCount(0);
  await expectReady(page, 2);
});
