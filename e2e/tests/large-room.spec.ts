import type { Page } from '@playwright/test';
import { MESH_COMFORT_SIZE } from '@pressel/contract/limits';
import { expect, expectHeard, expectReady, heard, press, release, roomPath, talkButton, test } from '../fixtures.ts';
import { stopListening } from '../harness/page-audio.ts';

// A recording of thirteen screens takes more work than the thirteen screens.
test.use({ trace: 'off' });

/**
 * Until the pages have time for what happens: setting up 78 links takes all of a small machine for a while, and whoever
 * presses meanwhile may lose the floor again, because the page is too busy to say that it is still there.
 */
async function calm(pages: readonly Page[]): Promise<void> {
  const delay = () =>
    new Promise<number>((resolve) => {
      const begun = performance.now();
      setTimeout(() => resolve(performance.now() - begun - 300), 300);
    });
  const worst = async () => Math.max(...(await Promise.all(pages.map((page) => page.evaluate(delay)))));
  for (let inARow = 0; inARow < 3; inARow += 1) {
    await expect.poll(worst, { timeout: 40_000 }).toBeLessThan(100);
  }
}

test(`${MESH_COMFORT_SIZE} people talk in one room, and the next is told that it is large`, async ({ world, open }) => {
  test.setTimeout(180_000);
  const { api, admin } = world;
  const people = await Promise.all(
    Array.from({ length: MESH_COMFORT_SIZE + 1 }, (_, index) => api.person(`Membre${index}`, admin.token)),
  );
  const { rtcSession } = await api.channel(admin, 'Grande salle', people);
  const pages = [];
  for (const [index, person] of people.slice(0, MESH_COMFORT_SIZE).entries()) {
    pages.push(await open(person, roomPath(rtcSession), { voice: index === 0 ? 'up' : 'down' }));
  }
  for (const page of pages) await expectReady(page, MESH_COMFORT_SIZE);
  const [talker, ...listeners] = pages;
  const last = people.at(-1);
  if (talker === undefined || last === undefined) throw new Error('Nobody is there');

  await calm(pages);
  await press(talker);
  await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
  for (const listener of listeners) {
    await expectHeard(listener, 'up', 200);
    expect((await heard(listener)).down).toBe(0);
    await stopListening(listener);
  }
  await release(talker);
  await expect(talkButton(talker)).toHaveAttribute('data-state', 'idle');

  const extra = await open(last, roomPath(rtcSession));
  const patience = { timeout: 40_000 };
  await expect(extra.getByText(/salon est grand/u)).toBeVisible(patience);
  await expect(talker.getByText(/salon est grand/u)).toBeVisible(patience);
});
