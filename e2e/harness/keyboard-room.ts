import { expect } from '@playwright/test';
import { talkButton } from '../fixtures.ts';
import { expectDialog, expectFocused, expectNoDialog, type Typist } from './keyboard-console.ts';
import type { NativePeer } from './native-peer.ts';
import { expectSpoken, expectSpokenOnly, takeSpoken } from './spoken.ts';

/** Acts in a room, by the keyboard alone. */

const expectState = ({ page }: Typist, state: string): Promise<void> =>
  expect(talkButton(page)).toHaveAttribute('data-state', state);

/** Presses, is granted, talks and releases; then waits in line behind another. Each step is said once, and nothing else is. */
export async function talkByKeys(typist: Typist, other: NativePeer, name: string): Promise<void> {
  const { keys, page, say } = typist;
  await takeSpoken(page);
  await page.keyboard.down('Space');
  await expectState(typist, 'talking');
  await expectSpokenOnly(page, say('voice.talk.talking'));
  await page.keyboard.up('Space');
  await expectState(typist, 'idle');
  await keys.to('button', say('voice.talk.idle'));
  await page.keyboard.down('Enter');
  await expectState(typist, 'talking');
  await page.keyboard.up('Enter');
  await expectState(typist, 'idle');
  await takeSpoken(page);
  await other.press();
  await expectState(typist, 'busy');
  await expectSpokenOnly(page, say('voice.announce.talking', { name }));
  await page.keyboard.down('Space');
  await expectState(typist, 'queued');
  await expectSpokenOnly(page, say('voice.talk.queued', { position: 1 }));
  await other.release();
  await expectState(typist, 'talking');
  await expectSpokenOnly(page, say('voice.talk.talking'));
  await page.keyboard.up('Space');
  await expectState(typist, 'idle');
}

/** Writes, sends an image, deletes, reads older messages, and finds one; the other hears that something came. */
export async function chatByKeys(typist: Typist, reader: Typist, own: string, photo: Buffer): Promise<void> {
  const { keys, page, say } = typist;
  const field = say('chat.composer.label');
  await takeSpoken(reader.page);
  await keys.write('textbox', field, 'Bien reçu');
  await keys.press('Enter');
  await expectSpoken(reader.page, say('chat.announce', { name: own }));
  await keys.expectAt('textbox', field, 'a message was sent');
  await keys.type('Deuxième');
  await keys.press('Enter');
  await expectSpoken(reader.page, say('chat.announce', { name: own }));

  const remove = say('chat.row.delete');
  const row = (text: string) => page.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });
  await expect(row('Deuxième').getByRole('button', { name: remove })).toBeVisible();
  // The focus passed these rows before: the last one is a key away.
  await keys.to('listitem', /Ancien|Deuxième/u, 'Shift+Tab');
  await keys.press('End');
  await keys.expectAt('listitem', /Deuxième/u, 'the last message');
  expect((await keys.to('button', remove)).description).toContain('Deuxième');
  await keys.press('Enter');
  await expectDialog(typist, say('chat.delete.title'));
  await keys.enter('button', say('chat.delete.confirm'));
  await expectSpoken(page, say('chat.delete.done'));
  await expect(row('Deuxième')).toHaveCount(0);
  await expectNoDialog(typist);
  await expectFocused(typist, 'after a message was deleted');

  const attach = say('chat.composer.attach');
  await keys.enter('button', attach);
  await expectDialog(typist, say('chat.upload.title'));
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    keys.enter('button', say('chat.upload.browse')),
  ]);
  await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: photo });
  await expect(page.getByRole('button', { name: say('chat.upload.send') })).toBeEnabled();
  await expectFocused(typist, 'an image was chosen');
  await keys.enter('button', say('chat.upload.send'));
  await expectNoDialog(typist);
  await keys.expectAt('button', attach, 'an image was sent');
  const open = /^Agrandir photo/u;
  await expect(page.getByRole('button', { name: open })).toBeVisible();
  await keys.to('listitem', /Bien reçu/u, 'Shift+Tab');
  await keys.press('End');
  await keys.press('Enter');
  await keys.expectAt('button', open, 'what can be done with a message');
  await keys.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', open, 'after the image');

  await keys.press('ArrowLeft');
  await expect(async () => {
    await keys.press('Home');
    await expect(page.getByText('Ancien 1', { exact: true })).toBeInViewport({ timeout: 1_000 });
  }).toPass();
  await keys.to('searchbox', say('chat.search.label'), 'Shift+Tab');
  await keys.type('Ancien 7');
  await keys.to('button', /Ancien 7/u);
  await keys.press('Enter');
  await expect(page.locator('[data-target]')).toContainText('Ancien 7');
  await expectFocused(typist, 'after a search');
}

/** The members: filtered, sorted, shown on the map, called. */
export async function meetMembersByKeys(
  typist: Typist,
  called: Typist,
  names: { lea: string; max: string },
): Promise<void> {
  const { keys, page, say } = typist;
  await keys.to('tab', say('voice.panels.messages'), 'Shift+Tab');
  await keys.press('ArrowRight');
  await keys.expectAt('tab', say('voice.panels.talks'), 'the next panel');
  await keys.press('ArrowRight');
  await keys.expectAt('tab', say('voice.panels.members'), 'the last panel');
  await keys.press('Enter');
  await expect(
    page
      .getByRole('tabpanel', { name: say('voice.panels.members') })
      .getByRole('listitem')
      .first(),
  ).toBeVisible();
  await takeSpoken(page);
  await keys.to('button', say('members.ascending'));
  await keys.press('Enter');
  await keys.expectAt('button', say('members.descending'), 'it says the other order');
  await keys.write('textbox', say('members.filter'), names.lea);
  await expectSpoken(page, say('shared.list.found_one', { count: 1 }));
  await keys.to('button', new RegExp(`^${names.lea}`, 'u'));
  await keys.press('Enter');
  await expectSpoken(page, say('positions.card.label', { name: names.lea }));
  await expect(page.getByRole('region', { name: say('positions.card.label', { name: names.lea }) })).toBeVisible();
  await keys.enter('button', say('positions.card.close'), 'Shift+Tab');
  await expectFocused(typist, 'after the card');
  await keys.write('textbox', say('members.filter'), names.max);
  await keys.to('button', new RegExp(`^${names.max}`, 'u'));
  await keys.press('Enter');
  await expectDialog(typist, say('positions.unknown.title'));
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', new RegExp(`^${names.max}`, 'u'), 'after the dialog');
  await keys.write('textbox', say('members.filter'), names.lea);

  const ring = say('calls.start', { name: names.lea });
  await keys.enter('button', ring);
  const { own } = { own: say('calls.incoming', { name: 'Camille Martin' }) };
  await expectSpoken(called.page, own);
  await called.keys.enter('button', say('calls.accept'));
  await expectSpoken(page, say('calls.inCall'));
  await keys.enter('button', say('calls.mute'));
  await keys.enter('button', say('calls.unmute'));
  for (const shows of ['camera', 'screen'] as const) await showByKeys(typist, called, shows);
  await keys.enter('button', say('calls.hangUp'));
  await expect(page.locator('[data-call]')).toHaveCount(0);
  await expectFocused(typist, 'after a call');
  await expect(called.page.locator('[data-call=CALL_ENDED]')).toBeVisible();
  await called.keys.enter('button', say('calls.dismiss'));
  await expectFocused(called, 'after a call');
  await keys.enter('button', ring);
  await expectSpoken(called.page, own);
  await called.keys.enter('button', say('calls.reject'));
  await expectSpoken(page, say('calls.end.rejected'));
  await keys.enter('button', say('calls.dismiss'));
  await expect(page.locator('[data-call]')).toHaveCount(0);
  await expectFocused(typist, 'after a call');
}

/** In a call: shows something to the other party, and stops. */
async function showByKeys({ keys, page, say }: Typist, called: Typist, shows: 'camera' | 'screen'): Promise<void> {
  const label = say(`calls.${shows}`);
  const theirs = called.page.locator('[data-call]').locator('video');
  for (const isOn of [true, false]) {
    await keys.enter('button', label);
    await expect.poll(async () => (await keys.stop()).states.pressed, label).toBe(String(isOn));
    await expect(theirs).toHaveCount(isOn ? 1 : 0);
  }
  await expect(page.locator('[data-call]').locator('video')).toHaveCount(0);
}

/** The voice's settings: each is changed and stays so; the talk key is chosen and reset. */
export async function setVoiceByKeys(typist: Typist): Promise<void> {
  const { keys, page, say } = typist;
  const settings = say('voice.room.settings');
  await keys.enter('button', settings);
  await expectDialog(typist, say('voice.settings.title'));
  const tones = page.getByRole('switch', { name: say('voice.settings.tones') });
  await keys.to('switch', new RegExp(`^${say('voice.settings.tones')}`, 'u'));
  await keys.press('Space');
  await expect(tones).not.toBeChecked();
  await keys.press('Space');
  await expect(tones).toBeChecked();
  const tail = page.getByRole('slider', { name: say('voice.settings.tail') });
  const before = Number(await tail.getAttribute('aria-valuenow'));
  await keys.to('slider', say('voice.settings.tail'));
  await keys.press('ArrowRight');
  await expect(tail).not.toHaveAttribute('aria-valuenow', String(before));
  await keys.press('ArrowLeft');
  await expect(tail).toHaveAttribute('aria-valuenow', String(before));
  const change = say('voice.settings.change');
  await keys.enter('button', change);
  await expectSpoken(page, say('voice.settings.pressKey'));
  await keys.press('F9');
  await expect(page.locator('kbd').filter({ hasText: 'F9' }).first()).toBeVisible();
  await keys.enter('button', say('voice.settings.reset'));
  await keys.expectAt('button', change, 'the talk key is what it was');
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', settings, 'after the settings');
}

/** Goes from one room into another, and back. */
export async function switchByKeys(typist: Typist, other: string, back: string): Promise<void> {
  const { keys, page, say } = typist;
  for (const name of [other, back]) {
    await keys.enter('button', say('voice.switcher.label'));
    await expect(page.getByLabel(say('voice.switcher.filter'))).toBeFocused();
    await keys.type(name);
    // Enter takes the first one that is found.
    await expect(page.locator('[role=option][data-combobox-selected]')).toContainText(name);
    await keys.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expectState(typist, 'idle');
    await expectFocused(typist, 'in the other room');
  }
}

/** The map, the panes, what is shared, volumes. */
export async function arrangeByKeys(typist: Typist, name: string): Promise<void> {
  const { keys, page, say } = typist;
  await keys.enter('button', say('positions.map.zoomIn'));
  await keys.enter('button', say('positions.map.zoomOut'));
  await keys.enter('button', say('positions.map.showAll'), 'Shift+Tab');
  await keys.to('separator', say('voice.panels.peopleBorder'));
  const width = async () => Number(await page.locator('[data-border=people]').getAttribute('aria-valuenow'));
  const before = await width();
  await keys.press('ArrowRight');
  expect(await width()).toBeGreaterThan(before);

  const map = say('voice.panels.map');
  await keys.enter('button', map, 'Shift+Tab');
  await expect(page.locator('[data-map-panel]')).toHaveCount(0);
  expect((await keys.stop()).states.pressed).toBe('false');
  await keys.press('Enter');
  await expect(page.locator('[data-map-panel]')).toHaveCount(1);
  await keys.to('switch', say('positions.share.label'), 'Shift+Tab');
  await keys.press('Enter');
  await expectSpoken(page, say('positions.share.on'));
  await keys.press('Enter');
  const volume = say('voice.volume.of', { name });
  await keys.enter('button', volume);
  await expectDialog(typist, volume);
  await keys.to('slider', volume);
  await keys.press('ArrowLeft');
  await keys.to('switch', new RegExp(`^${say('voice.volume.silence')}`, 'u'));
  await keys.press('Space');
  await keys.press('Space');
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', volume, 'after the volume');
}
