import type { Page } from '@playwright/test';
import { getAllActivities } from '@pressel/contract/activities';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  press,
  release,
  roomPath,
  talk,
  talkButton,
  test,
  tiles,
  type World,
} from '../fixtures.ts';
import type { PresselProcesses } from '../harness/server-process.ts';

/** For `npm run test:processes`: the server is several processes behind a balancer. */
const processesOf = ({ server }: World) => server as PresselProcesses;

/** A mark that a page loses when it is loaded again. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { isMarked: true }));
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

test.describe('several processes', () => {
  let hugo: Page;
  let mia: Page;
  test.beforeEach(async ({ world, open }) => {
    const { api, admin } = world;
    const people = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)] as const;
    const { rtcSession } = await api.channel(admin, 'Relève', people);
    hugo = await open(people[0], roomPath(rtcSession));
    mia = await open(people[1], roomPath(rtcSession), { voice: 'down' });
    for (const page of [hugo, mia]) {
      await expectReady(page, 2);
      await mark(page);
    }
  });

  test('[PROC51] each is restarted in turn while somebody talks: the talk goes on, and no page is loaded again', async ({
    world,
  }) => {
    const processes = processesOf(world);
    for (const index of processes.pids.keys()) {
      await talk(hugo, () => expectHeard(mia, 'up', 500));
      await processes.stopOne(index);
      await expectHeard(mia, 'up', 1_000);
      await expect(talkButton(hugo)).toHaveAttribute('data-state', 'talking');
      await release(hugo);
      await expectSilence(mia);
      await processes.startOne(index);
    }
    for (const page of [hugo, mia]) expect(await isMarked(page)).toBe(true);
  });

  test('[PROC52] each is killed in turn while somebody talks: what is said is heard, and the floor is free afterwards', async ({
    world,
  }) => {
    const processes = processesOf(world);
    for (const index of processes.pids.keys()) {
      await talk(hugo, () => expectHeard(mia, 'up', 500));
      await processes.stopOne(index, 'SIGKILL');
      await expectHeard(mia, 'up', 300);
      await release(hugo);
      await expectSilence(mia);
      await talk(mia, () => expectHeard(hugo, 'down', 500));
      await release(mia);
      await processes.startOne(index);
    }
    for (const page of [hugo, mia]) expect(await isMarked(page)).toBe(true);
  });

  test('[PROC54] without Redis people talk on, and who talks is shown everywhere', async ({ world }) => {
    const processes = processesOf(world);
    await processes.stopRedis();
    await talk(hugo, () => expectHeard(mia, 'up', 500));
    await expect(talkButton(mia)).toHaveAttribute('data-state', 'busy');
    await release(hugo);
    await expect(talkButton(mia)).toHaveAttribute('data-state', 'idle');
    await processes.startRedis();
    await press(mia);
    await expectHeard(hugo, 'down', 500);
    await release(mia);
  });
});

test('[PROC64] a board with two rooms keeps its place in both when its process is killed, and the talk goes on', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)] as const;
  const rooms = [await api.channel(admin, 'Quai', [people[0]]), await api.channel(admin, 'Pont', [people[1]])] as const;
  const desk = await open(admin, `/board?rooms=${rooms.map(({ id }) => id).join()}`, { voice: 'down' });
  const pages = [
    await open(people[0], roomPath(rooms[0].rtcSession)),
    await open(people[1], roomPath(rooms[1].rtcSession)),
  ];
  for (const page of pages) await expectReady(page, 2);
  const processes = processesOf(world);
  for (const index of processes.pids.keys()) {
    await desk.locator('[data-room] [data-talk-button]').first().hover();
    await desk.mouse.down();
    await expectHeard(pages[0] as Page, 'down', 500);
    await processes.stopOne(index, 'SIGKILL');
    await expectHeard(pages[0] as Page, 'down', 300);
    await desk.mouse.up();
    for (const page of [desk, ...pages])
      await expect(page.locator('[data-room-lost], [data-state=no_link]')).toHaveCount(0);
    for (const page of pages) await expect(tiles(page)).toHaveCount(2);
    await processes.startOne(index);
  }
  for (const { id } of rooms) {
    const types = ['channel_join', 'channel_leave', 'connexion_lost'] as const;
    const { activities } = (await api.call(getAllActivities, { channelId: id, types: [...types] }, admin.token)).res;
    expect(activities.map(({ type }) => type)).toEqual(['channel_join', 'channel_join']);
  }
});
