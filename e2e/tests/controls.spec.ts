import type { Locator } from '@playwright/test';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import { leastContrast } from '../harness/contrast.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every part of every kind of control is told from what it lies on, ${colorScheme}`, async ({ world, open }) => {
    const { api, admin, own } = world;
    const lea = await api.person('Lea', admin.token);
    const { rtcSession, name } = await api.channel(admin, 'Nord', [lea]);
    const seen: Record<string, number> = {};
    const look = async (what: string, control: Locator) => {
      await expect(control, what).toBeVisible();
      await expect.poll(() => control.evaluate((element) => element.getAnimations({ subtree: true }).length)).toBe(0);
      seen[what] = await leastContrast(control);
    };

    const door = await open(null, '/signin', { colorScheme });
    await look('text field', door.getByLabel(say('auth.field.login')));
    const stay = door.getByRole('checkbox');
    await look('box', stay);
    await stay.check();
    await look('box, ticked', stay);

    const page = await open(admin, `/channelsList?q=${encodeURIComponent(own(''))}&panel=create`, { colorScheme });
    const dialog = page.getByRole('dialog', { name: say('channels.create.title') });
    await look('radio button, chosen', dialog.getByRole('radio', { checked: true }));
    await look('radio button', dialog.getByRole('radio', { checked: false }));
    const box = dialog.getByRole('checkbox').nth(1);
    await look('box of a row', box);
    await box.check();
    await look('box of a row, ticked', box);
    const all = dialog.getByRole('checkbox').first();
    await all.evaluate((input: HTMLInputElement) => {
      input.checked = false;
      input.indeterminate = true;
    });
    await look('box of some rows', all);

    await page.goto(roomPath(rtcSession));
    await expect(page.getByRole('heading', { name })).toBeVisible();
    await expectReady(page, 1);
    await page.getByRole('button', { name: say('voice.room.settings') }).click();
    const settings = page.getByRole('dialog', { name: say('voice.settings.title') });
    // In a low window, parts that don't fit are scrolled to.
    await expect(settings).toBeInViewport({ ratio: 1 });
    const tones = settings.getByRole('switch', { name: say('voice.settings.tones') });
    const track = settings
      .locator('.mantine-Switch-root', { has: page.getByRole('switch', { name: say('voice.settings.tones') }) })
      .locator('.mantine-Switch-track');
    await expect(tones).toBeChecked();
    await look('switch, on', track);
    await tones.press('Space');
    await expect(tones).not.toBeChecked();
    await look('switch, off', track);
    const slider = settings.getByRole('slider', { name: say('voice.settings.tail') });
    await look('slider', slider);
    await look('slider, its line', settings.locator('.mantine-Slider-track').first());
    await look('list of microphones', settings.getByRole('combobox', { name: say('voice.settings.microphone') }));

    const faint = Object.entries(seen).filter(([, ratio]) => ratio < 3);
    expect(Object.keys(seen)).toHaveLength(13);
    expect(faint).toEqual([]);
    expect(Object.values(seen).every(Number.isFinite)).toBe(true);
  });
}
