import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  heard,
  press,
  release,
  roomPath,
  talkButton,
  test,
  tiles,
} from '../fixtures.ts';
import { expectSpaceByFocus } from '../harness/acts.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

test.describe('talking in a room', () => {
  test('what one says while pressing is heard by the other, and by nobody elsewhere', async ({ world, open }) => {
    const { api, admin } = world;
    const [lea, tom, out] = [
      await api.person('Léa', admin.token),
      await api.person('Tom', admin.token),
      await api.person('Zoé', admin.token),
    ];
    const north = await api.channel(admin, 'Nord un', [lea, tom]);
    const south = await api.channel(admin, 'Sud un', [out]);
    const talker = await open(lea, roomPath(north.rtcSession));
    const listener = await open(tom, roomPath(north.rtcSession));
    const elsewhere = await open(out, roomPath(south.rtcSession));
    await expectReady(talker, 2);
    await expectReady(listener, 2);
    await heard(elsewhere);

    await expectSilence(listener);
    await press(talker);
    await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
    await expectHeard(listener, 'up', 800);
    await expect(talkButton(listener)).toContainText('Léa');
    await release(talker);
    await expect(talkButton(listener)).toHaveAttribute('data-state', 'idle');
    await expectSilence(listener);
    expect(await heard(elsewhere), 'all the while').toEqual({ up: 0, down: 0 });
  });

  test('someone who is not a member is told so and joins nothing; so is someone without a token', async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const [ines, paul] = [await api.person('Inès', admin.token), await api.person('Paul', admin.token)];
    const channel = await api.channel(admin, 'Fermé', [ines]);
    const inside = await open(ines, roomPath(channel.rtcSession));
    const outsider = await open(paul, roomPath(channel.rtcSession));
    await expect(outsider.locator('[data-room-closed=not_a_member]')).toBeVisible();
    const stranger = await open(null, roomPath(channel.rtcSession));
    await expect(stranger).toHaveURL(/\/signin/u);
    await expect(tiles(inside)).toHaveCount(1);
  });

  test('of two who press at once one is heard and the other is told who talks', async ({ world, open }) => {
    const { api, admin } = world;
    const people = [
      await api.person('Ana', admin.token),
      await api.person('Bob', admin.token),
      await api.person('Eva', admin.token),
    ] as const;
    const { rtcSession } = await api.channel(admin, 'Ensemble', people);
    const ana = await open(people[0], roomPath(rtcSession), { voice: 'up' });
    const bob = await open(people[1], roomPath(rtcSession), { voice: 'down' });
    const eva = await open(people[2], roomPath(rtcSession));
    for (const page of [ana, bob, eva]) await expectReady(page, 3);

    await Promise.all([press(ana), press(bob)]);
    const states = () => Promise.all([ana, bob].map((page) => talkButton(page).getAttribute('data-state')));
    await expect.poll(async () => (await states()).toSorted()).toEqual(['queued', 'talking']);
    const anaTalks = (await states())[0] === 'talking';
    const heardByEva = await expectHeard(eva, anaTalks ? 'up' : 'down', 800);
    expect(heardByEva[anaTalks ? 'down' : 'up']).toBe(0);
    await expect(talkButton(anaTalks ? bob : ana)).toContainText('1');

    await release(anaTalks ? ana : bob);
    await expectHeard(eva, anaTalks ? 'down' : 'up', 500);
    await release(anaTalks ? bob : ana);
    await expect(talkButton(eva)).toHaveAttribute('data-state', 'idle');
  });

  test('when the talker closes the tab the floor is free', async ({ world, open }) => {
    const { api, admin } = world;
    const people = [await api.person('Guy', admin.token), await api.person('Nora', admin.token)] as const;
    const { rtcSession } = await api.channel(admin, 'Coupure', people);
    const guy = await open(people[0], roomPath(rtcSession));
    const nora = await open(people[1], roomPath(rtcSession), { voice: 'down' });
    await expectReady(guy, 2);
    await expectReady(nora, 2);
    await press(guy);
    await expect(talkButton(nora)).toHaveAttribute('data-state', 'busy');
    await guy.close();
    await expect(talkButton(nora)).toHaveAttribute('data-state', 'idle');
    await expect(tiles(nora)).toHaveCount(1);
    await press(nora);
    await expect(talkButton(nora)).toHaveAttribute('data-state', 'talking');
    await release(nora);
  });

  test('the space bar talks wherever the focus is, but not while typing', async ({ world, open }) => {
    const { api, admin } = world;
    const people = [await api.person('Max', admin.token), await api.person('Lou', admin.token)] as const;
    const { rtcSession } = await api.channel(admin, 'Clavier', people);
    const wide = { viewport: { width: 1600, height: 900 } };
    const max = await open(people[0], roomPath(rtcSession), { context: wide });
    const lou = await open(people[1], roomPath(rtcSession));
    await expectReady(max, 2);
    await expectReady(lou, 2);
    await max.keyboard.down('Space');
    await expectHeard(lou, 'up', 400);
    await max.keyboard.up('Space');
    await expect(talkButton(lou)).toHaveAttribute('data-state', 'idle');
    await max.getByRole('searchbox').or(max.getByRole('textbox')).first().focus();
    await max.keyboard.down('Space');
    await expect(talkButton(max)).toHaveAttribute('data-state', 'idle');
    await max.keyboard.up('Space');
    await expectSpaceByFocus(max, say);
  });

  test('leaving the window ends the talk', async ({ world, open }) => {
    const { api, admin } = world;
    const people = [await api.person('Rémi', admin.token), await api.person('Sara', admin.token)] as const;
    const { rtcSession } = await api.channel(admin, 'Fenêtre', people);
    const remi = await open(people[0], roomPath(rtcSession));
    const sara = await open(people[1], roomPath(rtcSession));
    await expectReady(remi, 2);
    await expectReady(sara, 2);
    await press(remi);
    await expectHeard(sara, 'up', 300);
    await remi.evaluate(() => window.dispatchEvent(new Event('blur')));
    await expect(talkButton(sara)).toHaveAttribute('data-state', 'idle');
    await expectSilence(sara);
  });
});

// without-link.spec.ts shows that a talk goes on meanwhile, even over a restart.
test('a room heals by itself after the server was killed', async ({ world, open }) => {
  const { api, admin, server } = world;
  const people = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)] as const;
  const { rtcSession } = await api.channel(admin, 'Reprise', people);
  // An idle page loads parts ahead, and may ask for one as the server ends.
  const ending = { expectedErrors: /status of 503/u };
  const hugo = await open(people[0], roomPath(rtcSession), ending);
  const mia = await open(people[1], roomPath(rtcSession), { voice: 'down', ...ending });
  await expectReady(hugo, 2);
  await expectReady(mia, 2);
  await press(hugo);
  await expectHeard(mia, 'up', 300);
  await server.stop('SIGKILL');
  await release(hugo);
  await expect(talkButton(hugo)).toHaveAttribute('data-state', 'no_link');
  await expectSilence(mia);
  await server.start();
  await expectReady(hugo, 2);
  await expectReady(mia, 2);
  await press(mia);
  await expectHeard(hugo, 'down', 500);
  await release(mia);
  await expect(talkButton(hugo)).toHaveAttribute('data-state', 'idle');
});
