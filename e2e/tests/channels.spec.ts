import { signUpUser } from '@pressel/contract/auth';
import { updateChannel } from '@pressel/contract/channels';
import { channelsPath, expect, expectReady, roomPath, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { channelRow, openChannelDialog, toggleMember } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { turnTo } from '../harness/tour.ts';
import { sayIn } from '../harness/words.ts';

test('create with users, rename, a name that exists, who may talk, members', async ({ world, open }) => {
  const { api, admin, own } = world;
  const say = sayIn('de');
  const [ana, ben] = [await api.person('Ana', admin.token), await api.person('Ben', admin.token)];
  const taken = await api.channel(admin, 'Pris');
  const [fresh, renamed] = [own('Neuf'), own('Neuf à neuf')];
  const page = await open(admin, channelsPath(own('').trim()), { language: 'de', expectedErrors: /409/u });
  await page
    .getByRole('main')
    .getByRole('button', { name: say('channels.create.act') })
    .first()
    .click();
  const creation = page.getByRole('dialog', { name: say('channels.create.title') });
  await creation.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(creation.getByText(say('channels.form.nameRequired'))).toBeVisible();
  // The key decides: the same letters with other spaces are the same name.
  await creation.getByLabel(say('channels.form.name')).fill(`  Pr i${taken.rtcSession.slice(3)}`);
  await creation.getByRole('searchbox').fill(ana.firstName);
  await creation.getByRole('checkbox', { name: ana.name }).check();
  await expectAccessible(page, 'create');
  await creation.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(creation.getByText(say('shared.errors.duplicate_channel'))).toBeVisible();
  await creation.getByLabel(say('channels.form.name')).fill(fresh);
  await creation.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(page.getByText(say('channels.create.done'))).toBeVisible();
  // The two are Ana and the administrator who made it.
  await expect(channelRow(page, fresh)).toContainText('0/2');

  const editing = await openChannelDialog(page, say, fresh, 'edit');
  const name = editing.getByLabel(say('channels.form.name'));
  await expect(name).toBeFocused();
  await name.fill(taken.rtcSession);
  await editing.getByRole('button', { name: say('channels.edit.submit') }).click();
  await expect(editing.getByText(say('shared.errors.duplicate_channel'))).toBeVisible();
  await name.fill(renamed);
  await editing.getByRole('radio', { name: say('channels.form.open') }).check();
  await editing.getByRole('searchbox').fill(ana.lastName);
  // Members come first: Ana was there before the filter was answered.
  await expect(editing.getByRole('row')).toHaveCount(3);
  await expect(editing.getByRole('checkbox', { name: ana.name })).toBeChecked();
  await editing.getByRole('checkbox', { name: ana.name }).uncheck();
  await editing.getByRole('checkbox', { name: ben.name }).check();
  await expect(editing.getByText(say('shared.picked_other', { count: 2 }))).toBeVisible();
  await expectAccessible(page, 'edit');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: say('shared.unsaved.title') });
  await question.getByRole('button', { name: say('shared.unsaved.stay') }).click();
  await page.goBack();
  await question.getByRole('button', { name: say('shared.unsaved.stay') }).click();
  await expect(name).toHaveValue(renamed);
  await editing.getByRole('button', { name: say('channels.edit.submit') }).click();
  await expect(page.getByText(say('channels.edit.done'))).toBeVisible();
  await expect(editing).toHaveCount(0);
  await expect(channelRow(page, renamed)).toContainText(say('channels.open'));

  const members = await openChannelDialog(page, say, renamed, 'members');
  await members.getByRole('switch', { name: say('channels.form.onlyMembers') }).check();
  // The header, Ben, and the administrator who made it.
  await expect(members.getByRole('row')).toHaveCount(3);
  await expect(members.getByRole('row').filter({ hasText: ben.email })).toBeVisible();
  await expectAccessible(page, 'members');
});

test('of two administrators who rename one channel, the second sees both names and decides', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const say = sayIn('fr');
  const { id } = await api.channel(admin, 'Disputé');
  const [mine, theirs] = [world.own('Le mien'), world.own('Le leur')];
  const page = await open(admin, `/channelsList?panel=edit:${id}`);
  const editing = page.getByRole('dialog', { name: say('channels.edit.title') });
  await editing.getByLabel(say('channels.form.name')).fill(mine);
  await api.call(updateChannel, { channelId: id, channelName: theirs, talkMode: 'open' }, admin.token);
  const conflict = editing.getByRole('alert');
  await expect(conflict.getByRole('row', { name: `${theirs} ${mine}` })).toBeVisible();
  await expect(editing.getByRole('button', { name: say('channels.edit.submit'), exact: true })).toBeDisabled();
  await expectAccessible(page, 'conflict');
  await conflict.getByRole('button', { name: say('channels.conflict.saveMine') }).click();
  await expect(editing).toHaveCount(0);
  await turnTo(page, channelsPath(mine));
  await expect(channelRow(page, mine)).toContainText(say('channels.open'));
});

test('who is added sees the channel at once, who is in a deleted room is told', async ({ world, open }) => {
  const { api, admin } = world;
  const say = sayIn('fr');
  const ida = await api.person('Idalie', admin.token);
  const { name } = await api.channel(admin, 'Éphémère');
  // The lists beside the room ask for the channel once more before they learn that it is gone.
  const member = await open(ida, '/channelsList', { expectedErrors: /status of 404/u });
  await expect(member.getByText(say('channels.empty.member'))).toBeVisible();
  const page = await open(admin, channelsPath(name));
  const members = await openChannelDialog(page, say, name, 'members');
  await members.getByRole('searchbox').fill(ida.name);
  await toggleMember(page, say, ida.name, 'add');
  await expect(channelRow(member, name)).toContainText('0/1');
  await toggleMember(page, say, ida.name, 'remove');
  await expect(member.getByText(say('channels.empty.member'))).toBeVisible();
  await toggleMember(page, say, ida.name, 'add');
  await members.getByRole('button', { name: say('shared.close') }).click();

  await channelRow(member, name).getByRole('link').click();
  await expectReady(member, 1);
  await expect(channelRow(page, name)).toContainText('1/1');
  const deletion = await openChannelDialog(page, say, name, 'delete');
  await expect(deletion.getByText(ida.name)).toBeVisible();
  await expect(deletion.getByRole('button', { name: say('shared.cancel') })).toBeFocused();
  await expectAccessible(page, 'delete');
  await deletion.getByRole('button', { name: say('channels.delete.confirm') }).click();
  await expect(page.getByText(say('channels.delete.done'))).toBeVisible();
  // A pointer over the list would hold its rows [LIST1].
  await page.mouse.move(0, 0);
  await expect(page.getByText(say('channels.empty.filtered', { filter: name }))).toBeVisible();
  await expect(member.getByText(say('voice.closed.deleted'))).toBeVisible();
});

test('beside a room stand the users of its channel; administrators add and remove them there', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const say = sayIn('en');
  const [kim, lou] = [await api.person('Kimberley', admin.token), await api.person('Louison', admin.token)];
  const { rtcSession, name } = await api.channel(admin, 'Beside', [kim]);
  const page = await open(admin, roomPath(rtcSession), {
    language: 'en',
    context: { viewport: { width: 1600, height: 900 } },
  });
  await expectReady(page, 1);
  const users = page.getByRole('region', { name: say('channels.here.title', { name }) });
  await expect(users.getByRole('listitem')).toHaveCount(1);
  await expect(users.getByRole('img', { name: say('members.away') })).toBeVisible();
  const other = await open(kim, roomPath(rtcSession), { language: 'en' });
  await expectReady(other, 2);
  await expect(users.getByRole('img', { name: say('members.here') })).toBeVisible();
  await users.getByRole('button', { name: say('channels.here.manage') }).click();
  await page.getByRole('dialog').getByRole('searchbox').fill(lou.name);
  // The header and one row: the filtered list replaced the first one, with everything that was open in it.
  await expect(page.getByRole('dialog').getByRole('row')).toHaveCount(2);
  await toggleMember(page, say, lou.name, 'add');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('shared.close') })
    .click();
  await expect(users.getByRole('listitem')).toHaveText([/Kimberley/u, /Louison/u]);
  await users.getByRole('button', { name: say('channels.here.title', { name }) }).click();
  await expect(users.getByRole('listitem')).toHaveCount(0);
  await expectReady(page, 2);
});

test('on a phone, too, two people of one name are told apart where one of them is chosen', async ({ world, open }) => {
  const { api, admin, own } = world;
  const say = sayIn('fr');
  const [firstName, lastName] = ['Jeanne-Marie-Bernadette', own('Dubois')];
  const logins = [1, 2].map((index) => `${own(`dubois${index}`).replaceAll(' ', '.').toLowerCase()}@example.org`);
  for (const email of logins) {
    await api.call(signUpUser, { firstName, lastName, email, password: PASSWORD }, admin.token);
  }
  const { name } = await api.channel(admin, 'Homonymes');
  const page = await open(admin, channelsPath(name), { context: { viewport: { width: 390, height: 844 } } });
  for (const which of ['members', 'edit'] as const) {
    const dialog = await openChannelDialog(page, say, name, which);
    await dialog.getByRole('searchbox').fill(lastName);
    const rows = dialog.getByRole('row').filter({ hasText: lastName });
    await expect(rows).toHaveCount(2);
    for (const login of logins) {
      const shown = rows.getByText(login);
      await expect(shown, `${login} in ${which}`).toBeVisible();
      expect(
        await shown.evaluate((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight),
      ).toBe(false);
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
});
