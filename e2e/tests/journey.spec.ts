import type { Page } from '@playwright/test';
import { expect, expectHeard, expectReady, press, release, talkButton, test, tiles } from '../fixtures.ts';
import {
  channelRow,
  logOut,
  openChannelDialog,
  type Registration,
  signIn,
  signUp,
  toggleMember,
} from '../harness/acts.ts';
import { type Say, sayIn } from '../harness/words.ts';

const PASSWORD = 'passe 7!';

const someone = (firstName: string, lastName: string): Registration => ({
  firstName,
  lastName,
  email: `${firstName}.${lastName}@example.org`.toLowerCase(),
  password: PASSWORD,
});

/** Each of two presses in turn, and is heard by the other. */
async function talkInTurn(one: Page, other: Page, say: Say): Promise<void> {
  for (const [talker, listener, voice] of [
    [one, other, 'up'],
    [other, one, 'down'],
  ] as const) {
    await press(talker);
    await expect(talkButton(talker)).toContainText(say('voice.talk.talking'));
    await expectHeard(listener, voice, 400);
    await release(talker);
    await expect(talkButton(talker)).toContainText(say('voice.talk.idle'));
    await expect(talkButton(listener)).toContainText(say('voice.talk.idle'));
  }
}

/** Clicks the row beside its link, as somebody in a hurry does. */
const enterByRow = (page: Page, name: string): Promise<void> => channelRow(page, name).getByRole('cell').nth(2).click();

test('from an empty server to two people who hear each other, all by the screens', async ({ open, serve }) => {
  const say = sayIn('fr');
  const server = await serve();
  const there = { context: { baseURL: server.origin } };
  const [camille, lea] = [someone('Camille', 'Durand'), someone('Lea', 'Moreau')];

  const admin = await open(null, '/', { ...there, voice: 'up' });
  await expect(admin).toHaveURL(/\/signin$/u);
  await admin.getByRole('link', { name: say('auth.signIn.toSignUp') }).click();
  await expect(admin.getByText(say('auth.signUp.first')), 'the first is told').toBeVisible();
  await signUp(admin, say, camille);
  await admin.getByLabel(say('auth.field.password'), { exact: true }).fill(PASSWORD);
  await admin.keyboard.press('Enter');
  await expect(admin).toHaveURL(/\/channelsList$/u);
  await expect(admin.getByRole('heading', { name: say('channels.empty.admin') })).toBeVisible();

  const member = await open(null, '/signup', { ...there, voice: 'down' });
  await expect(member.getByRole('heading', { name: say('auth.signUp.title') })).toBeVisible();
  await expect(member.getByText(say('auth.signUp.first')), 'the second is not').toHaveCount(0);
  await signUp(member, say, lea);
  await signIn(member, say, lea.email, PASSWORD);
  await expect(member.getByText(say('channels.empty.memberText'))).toBeVisible();
  await expect(member.getByRole('button', { name: say('channels.create.act') })).toHaveCount(0);

  await admin
    .getByRole('main')
    .getByRole('button', { name: say('channels.create.act') })
    .first()
    .click();
  const creation = admin.getByRole('dialog', { name: say('channels.create.title') });
  await creation.getByLabel(say('channels.form.name')).fill('Équipe de nuit');
  await creation.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(creation).toHaveCount(0);
  await expect(admin.getByText(say('channels.create.done'))).toBeVisible();
  await expect(channelRow(admin, 'Équipe de nuit')).toContainText('0/0');

  const members = await openChannelDialog(admin, say, 'Équipe de nuit', 'members');
  const name = 'Lea Moreau';
  await toggleMember(admin, say, name, 'add');
  await expect(admin.getByText(say('channels.member.added'))).toBeVisible();
  await admin.keyboard.press('Escape');
  await expect(members).toHaveCount(0);

  await expect(channelRow(admin, 'Équipe de nuit')).toContainText('0/1');
  await expect(channelRow(member, 'Équipe de nuit'), 'it appears by itself').toContainText('0/1');
  await enterByRow(admin, 'Équipe de nuit');
  await expect(admin.getByText(say('voice.tile.waiting'))).toBeVisible();
  await enterByRow(member, 'Équipe de nuit');
  for (const page of [admin, member]) {
    await expectReady(page, 2);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Équipe de nuit');
  }
  await expect(admin.getByRole('list', { name: say('voice.tile.grid') })).toContainText(name);
  await talkInTurn(admin, member, say);

  await logOut(admin, say, 'Camille Durand');
  await expect(admin.getByRole('heading', { name: say('auth.signIn.title') })).toBeVisible();
  await expect(tiles(member)).toHaveCount(1);
  await admin.goBack();
  await expect(admin.getByLabel(say('auth.field.login')), 'back leads nowhere inside').toBeVisible();
});
