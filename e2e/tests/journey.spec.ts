import type { Page } from '@playwright/test';
import { expect, expectHeard, expectReady, press, release, talkButton, test, tiles } from '../fixtures.ts';
import { channelRow, logOut, type Registration, signUp, switchLanguage } from '../harness/acts.ts';
import {
  addMember,
  beCorrected,
  comeIn,
  comeToTheDoor,
  deleteChannel,
  exchangeMessages,
  findDoorsClosed,
  importChannels,
  keepUsers,
  lookAround,
  lookAtTheMap,
  makeChannels,
  readTheDashboard,
  readTheLog,
  type Traveller,
} from '../harness/journey.ts';
import { sayAsQuoted } from '../harness/quoted-words.ts';

const PASSWORD = 'passe 7!';
/** So many that the log of the journey has a second page. */
const IMPORTED = 16;

const someone = (firstName: string, lastName: string): Registration => ({
  firstName,
  lastName,
  email: `${firstName}.${lastName}@example.org`.toLowerCase(),
  password: PASSWORD,
});

/** Each of the two presses in turn. The other one hears it, and reads who talks. */
async function talkInTurn(one: Traveller, other: Traveller, names: readonly [string, string]): Promise<void> {
  for (const [talker, listener, voice, name] of [
    [one, other, 'up', names[0]],
    [other, one, 'down', names[1]],
  ] as const) {
    await press(talker.page);
    await expect(talkButton(talker.page)).toContainText(talker.say('voice.talk.talking'));
    await expect(talkButton(listener.page)).toContainText(name);
    await expectHeard(listener.page, voice, 400);
    await release(talker.page);
    for (const { page, say } of [talker, listener])
      await expect(talkButton(page)).toContainText(say('voice.talk.idle'));
  }
}

/** Calls that a page makes, and those that lack their header or have an answer that no client should get (spec §7). */
function watchCalls(page: Page) {
  const made = new Set<string>();
  const faults: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!/^\/(?:user|device)\//u.test(pathname)) return;
    made.add(pathname);
    const isOpen = /\/(?:login|isValidToken|signUpUser|serverInfo)\/?$/u.test(pathname);
    if (!isOpen && response.request().headers()['x-access-token'] === undefined)
      faults.push(`${pathname} has no token`);
    if (response.status() >= 500) faults.push(`${pathname} answered ${response.status()}`);
  });
  return { made, faults };
}

/** Clicks the row beside its link, as somebody in a hurry does. */
const enterByRow = (page: Page, name: string): Promise<void> => channelRow(page, name).getByRole('cell').nth(2).click();

/**
 * The languages of the administrator, who goes everywhere, and of the member. The specification quotes no German text, and screens.spec.ts
 * reaches every screen by German words.
 */
const JOURNEYS = [
  ['fr', 'de'],
  ['en', 'fr'],
] as const;

for (const [language, memberLanguage] of JOURNEYS) {
  test(`from an empty server to two people who hear each other, through the whole specification, in ${language}, with somebody in ${memberLanguage}`, async ({
    open,
    serve,
  }) => {
    const [say, memberSay] = [sayAsQuoted(language), sayAsQuoted(memberLanguage)];
    const server = await serve();
    // Wrong passwords, and pages that are not theirs, are refused on purpose; pages may ask for members of a deleted channel.
    const there = { expectedErrors: /status of 40[134]/u, context: { baseURL: server.origin } };
    const wide = { ...there, context: { ...there.context, viewport: { width: 1600, height: 900 } } };
    const [camille, lea, zoe] = [someone('Camille', 'Durand'), someone('Lea', 'Moreau'), someone('Zoe', 'Petit')];
    const [room, name] = ['Équipe de nuit', 'Lea Moreau'];
    const admin: Traveller = { page: await open(null, '/dashboard', { ...wide, voice: 'up' }), say };
    const member: Traveller = { page: await open(null, '/signup', { ...wide, voice: 'down' }), say: memberSay };
    const calls = watchCalls(admin.page);

    await test.step('§2 §9 the door, in the language chosen there', () => comeToTheDoor(admin, language));
    await test.step('§5 what is wrong with login and password', async () => {
      await expect(admin.page.getByText(say('auth.signUp.first')), 'the first is told').toBeVisible();
      await beCorrected(admin);
    });
    await test.step('§1 §4 §8 an account, a session', async () => {
      await signUp(admin.page, say, camille);
      await logOut(admin.page, say, 'Camille Durand');
      await comeIn(admin, camille);
    });
    await test.step('§2 the shell', () => lookAround(admin, 'Camille Durand'));
    await test.step('§6 a member sees less', async () => {
      await switchLanguage(member.page, memberLanguage);
      await member.page.reload();
      await expect(member.page.getByRole('heading', { name: memberSay('auth.signUp.title') })).toBeVisible();
      await expect(member.page.getByText(memberSay('auth.signUp.first')), 'the second is not').toHaveCount(0);
      await signUp(member.page, memberSay, lea);
      await findDoorsClosed(member);
    });
    await test.step('§2 §5 §8 channels: made, renamed, imported', async () => {
      await makeChannels(admin, 'Nuit', room);
      await importChannels(admin, room, IMPORTED);
    });
    await test.step('§2 §4 somebody is added to a channel, and sees it at once', async () => {
      await addMember(admin, room, name);
      await expect(channelRow(member.page, room)).toContainText('0/2');
    });
    await test.step('§2 §5 §6 §8 users: added, edited, deleted', () => keepUsers(admin, camille, zoe));
    await test.step('§2 §3 §4 the room: who is there, and who talks', async () => {
      await admin.page.goto('/channelsList?q=nuit');
      await enterByRow(admin.page, room);
      await expect(admin.page.getByText(say('voice.tile.waiting'))).toBeVisible();
      await enterByRow(member.page, room);
      for (const { page } of [admin, member]) {
        await expectReady(page, 2);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(room);
      }
      await expect(admin.page.getByRole('list', { name: say('voice.tile.grid') })).toContainText(name);
      await talkInTurn(admin, member, ['Camille', 'Lea']);
    });
    await test.step('§2 §4 §5 the room: messages', () => exchangeMessages(admin, member, 'Camille Durand'));
    await test.step('§2 §8 the room: the map', () => lookAtTheMap(admin, name));
    await test.step('§2 §9 the dashboard', () => readTheDashboard(admin, { users: 2, channels: IMPORTED + 1 }));
    await test.step('§2 §3 §8 §9 the activities', () => readTheLog(admin, name, room));
    await test.step('§8 a channel is deleted, and who is in it is told', async () => {
      await deleteChannel(admin, room);
      await expect(member.page.getByText(memberSay('voice.closed.deleted'))).toBeVisible();
      await expect(tiles(member.page)).toHaveCount(0);
    });
    await test.step('§4 the way out', async () => {
      await logOut(admin.page, say, 'Camille Durand');
      await expect(admin.page.getByRole('heading', { name: say('auth.signIn.title') })).toBeVisible();
      await admin.page.goBack();
      await expect(admin.page.getByLabel(say('auth.field.login')), 'back leads nowhere inside').toBeVisible();
    });
    await test.step('§7 the calls on the way', () => {
      expect(calls.faults).toEqual([]);
      const named = ['login', 'isValidToken', 'signUpUser', 'logout', 'getAllUsers', 'getAllChannels', 'getUserById/'];
      const more = ['createChannel', 'updateChannel', 'deleteChannel', 'createMultipleChannels', 'addUserToChannel'];
      const rest = ['verifyPassword', 'updateUserData', 'deleteUser', 'getAllActivities/', 'deleteOldActivities'];
      for (const call of [...named, ...more, ...rest, 'deleteMessageById'])
        expect([...calls.made]).toContain(`/user/api/${call}`);
    });
  });
}
