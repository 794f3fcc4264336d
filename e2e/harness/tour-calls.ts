import { expect, type Locator, type Page } from '@playwright/test';
import { openPanel, type TourGuide } from './tour.ts';

/** Somebody at their screen. */
export interface Caller {
  page: Page;
  name: string;
}

/** Somebody in a room calls another who is in none: the call is declined, taken, muted, hung up, and missed. */
export async function tourTheCalls(desk: Caller, radio: Caller, { say, look }: TourGuide): Promise<void> {
  const panel = (who: Caller, other: Caller): Locator =>
    who.page.getByRole('dialog', { name: say('calls.title', { name: other.name }) });
  const [atDesk, atRadio] = [panel(desk, radio), panel(radio, desk)];
  const press = (place: Locator, act: string): Promise<void> =>
    place.getByRole('button', { name: say(`calls.${act}`), exact: true }).click();
  const ring = async () => {
    await openPanel(desk.page, say, 'members');
    await desk.page
      .getByRole('tabpanel')
      .getByRole('button', { name: say('calls.start', { name: radio.name }) })
      .click();
    await expect(atRadio).toContainText(say('calls.incoming', { name: desk.name }));
  };
  await ring();
  await look('a call that rings', radio.page);
  await press(atRadio, 'reason.call_back');
  await expect(atDesk).toContainText(say('calls.rejected.call_back'));
  await look('a call that was declined', desk.page);
  await press(atDesk, 'again');
  await expect(atDesk).toContainText(say('calls.outgoing'));
  await look('a call of one’s own', desk.page);
  await press(atRadio, 'accept');
  await expect(atDesk).toContainText(say('calls.inCall'));
  await expect(atRadio).toContainText(say('calls.inCall'));
  await look('in a call', radio.page);
  await press(atDesk, 'mute');
  await expect(atDesk).toContainText(say('calls.muted'));
  await look('in a call, muted', desk.page);
  await press(atRadio, 'hangUp');
  await expect(atDesk).toContainText(say('calls.end.hung_up'));
  await look('a call that is over', desk.page);
  await press(atDesk, 'dismiss');
  await expect(atDesk).toHaveCount(0);
  await ring();
  await press(atDesk, 'giveUp');
  await expect(atRadio).toHaveCount(0);
  await radio.page.getByRole('button', { name: say('calls.missed.label_one', { count: 1 }) }).click();
  // The call is among the missed ones, and among all.
  await expect(radio.page.getByRole('menuitem', { name: desk.name }).first()).toBeVisible();
  await expect(radio.page.getByText(say('callParts.all.missed')).first()).toBeVisible();
  await look('missed calls', radio.page);
  await radio.page.keyboard.press('Escape');
  await expect(radio.page.getByRole('menu')).toHaveCount(0);
  await radio.page.getByRole('button', { name: say('calls.missed.none') }).click();
  await expect(radio.page.getByRole('menuitem', { name: say('calls.missed.none') })).toBeVisible();
  await look('no missed calls', radio.page);
}
