import { expect, type Page } from '@playwright/test';
import { createGuestLink, enterAsGuest, getInvitation, withdrawGuestLink } from '@pressel/contract/guests';
import { GUESTS_PER_LINK } from '@pressel/contract/limits';
import { updateUserPosition } from '@pressel/contract/positions';
import type { Api, Person } from './api.ts';
import { openPanel, type TourGuide } from './tour.ts';
import type { Caller } from './tour-calls.ts';
import type { FurnishedRoom } from './tour-parts.ts';

/** The state of a video that plays: https://html.spec.whatwg.org/multipage/media.html#dom-media-have_enough_data */
const HAVE_ENOUGH_DATA = 4;

/** Tours of rare screens. These take pictures; other tests check that the screens are right. */

/** A guest's page whose link lets nobody in: all places taken, withdrawn, too old. */
export async function tourClosedLinks(
  page: Page,
  { say, look }: TourGuide,
  { api, admin, channelId }: { api: Api; admin: Person; channelId: FurnishedRoom['channelId'] },
): Promise<void> {
  const title = page.getByRole('heading', { level: 1 });
  const { res, path } = await api.call(createGuestLink, { channelId, name: 'Samu', hours: 1 }, admin.token);
  const token = path.split('#guest=')[1] ?? '';
  for (let place = 1; place <= GUESTS_PER_LINK; place += 1)
    await api.call(enterAsGuest, { token, name: `Julie ${place}` });
  await page.goto(path);
  await page.getByLabel(say('guests.entry.name')).fill('Max');
  await page.getByRole('button', { name: say('guests.entry.submit') }).click();
  await expect(title).toHaveText(say('guests.over.full'));
  await look('a guest’s link, full', page);
  await api.call(withdrawGuestLink, { linkId: res.id }, admin.token);
  await page.goto('/nowhere');
  await page.goto(path);
  await expect(title).toHaveText(say('guests.over.withdrawn'));
  await look('a guest’s link, withdrawn', page);
  await page.route(`**${getInvitation.path}`, (route) =>
    route.fulfill({ json: { success: true, res: { state: 'expired' } } }),
  );
  await page.goto('/nowhere');
  await page.goto(path);
  await expect(title).toHaveText(say('guests.over.expired'));
  await look('a guest’s link, expired', page);
}

/** A call with both cameras, and then with a screen. The first person is in a room, the other in none. */
export async function tourTheCallsPictures(desk: Caller, radio: Caller, { say, look }: TourGuide): Promise<void> {
  const panel = (who: Caller, other: Caller) =>
    who.page.getByRole('dialog', { name: say('calls.title', { name: other.name }) });
  const [atDesk, atRadio] = [panel(desk, radio), panel(radio, desk)];
  await openPanel(desk.page, say, 'members');
  await desk.page
    .getByRole('tabpanel')
    .getByRole('button', { name: say('calls.start', { name: radio.name }) })
    .click();
  await atRadio.getByRole('button', { name: say('calls.accept'), exact: true }).click();
  await expect(atDesk).toContainText(say('calls.inCall'));
  for (const place of [atDesk, atRadio])
    await place.getByRole('button', { name: say('calls.camera'), exact: true }).click();
  for (const place of [atDesk, atRadio]) {
    await expect(place.locator('video')).toHaveCount(2);
    for (const video of await place.locator('video').all())
      await expect(video).toHaveJSProperty('readyState', HAVE_ENOUGH_DATA);
  }
  await look('in a call, with both cameras', desk.page);
  await look('in a call, with both cameras, in no room', radio.page);
  await atDesk.getByRole('button', { name: say('calls.screen'), exact: true }).click();
  await expect(atDesk).toContainText(say('callParts.sharing'));
  await expect(atRadio.getByLabel(say('calls.theirs.screen', { name: desk.name }))).toBeVisible();
  await look('in a call, one’s own screen', desk.page);
  await look('in a call, another’s screen', radio.page);
  await atRadio.getByRole('button', { name: say('calls.hangUp'), exact: true }).click();
  await atDesk.getByRole('button', { name: say('calls.dismiss'), exact: true }).click();
  await expect(atDesk).toHaveCount(0);
}

/** People at one place on the map of a furnished room that the page is in. */
export async function tourTheCrowd(page: Page, { say, look }: TourGuide, api: Api, room: FurnishedRoom): Promise<void> {
  const { known, unknown } = room;
  for (const { token } of [known, unknown]) await api.call(updateUserPosition, { lat: 48.85, lng: 2.35 }, token);
  // Opens the map by the way that exists at this width.
  await openPanel(page, say, 'members');
  await page
    .getByRole('tabpanel')
    .getByRole('button', { name: new RegExp(`^${known.name}`, 'u') })
    .click();
  const card = page.getByRole('region', { name: say('positions.card.label', { name: known.name }) });
  await card.getByRole('button', { name: say('positions.card.close') }).click();
  const crowd = page.locator('[data-marker=cluster]');
  await expect(crowd).toBeVisible();
  await look('map, several at one place', page);
  await crowd.click();
  const list = page.getByRole('region', { name: say('positions.crowd.label') });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await look('map, who is at one place', page);
  await list.getByRole('button', { name: say('positions.crowd.close') }).click();
  await expect(list).toHaveCount(0);
}
