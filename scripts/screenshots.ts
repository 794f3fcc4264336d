import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { chromium } from 'playwright';
import { buildWebIfStale } from './build-web.ts';
import { findChromium } from './chromium.ts';

/** Makes the README's picture: a real room, two real browsers, one of them talking. */
const target = join(import.meta.dirname, '../docs/images');
mkdirSync(target, { recursive: true });
await buildWebIfStale();
const server = await startPressel();
const browser = await chromium.launch({ ...launchOptions, executablePath: await findChromium() });
try {
  const api = createApi(server.origin);
  const camille = await api.person('Camille');
  const people = [await api.person('Noé', camille.token), await api.person('Inès', camille.token)];
  const { rtcSession } = await api.channel(camille, 'Équipe Nord', [camille, ...people]);
  const enter = async (token: string, size: { width: number; height: number }, colorScheme: 'light' | 'dark') => {
    const context = await browser.newContext({
      baseURL: server.origin,
      bypassCSP: true,
      permissions: ['microphone'],
      viewport: size,
      colorScheme,
      reducedMotion: 'reduce',
      ...WITHOUT_WORKER,
      deviceScaleFactor: 1,
    });
    await giveVoiceAndEar(context, 'up');
    await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
    const page = await context.newPage();
    await page.goto(`/groupCallView/${encodeURIComponent(rtcSession)}`);
    await page.locator('[data-tile][data-presence=self]').waitFor();
    return page;
  };
  const [talker] = people;
  if (talker === undefined) throw new Error('Nobody is there to talk');
  const dispatcher = await enter(camille.token, { width: 1600, height: 900 }, 'dark');
  const member = await enter(talker.token, { width: 390, height: 844 }, 'light');
  await dispatcher.locator('[data-tile][data-presence=connected]').waitFor();
  await member.locator('[data-tile][data-presence=connected]').waitFor();
  await member.locator('[data-talk-button]').hover();
  await member.mouse.down();
  await dispatcher.locator('[data-tile][data-presence=talking]').waitFor();
  await dispatcher.screenshot({ path: join(target, 'room.png') });
  await member.screenshot({ path: join(target, 'room-phone.png') });
  await member.mouse.up();
} finally {
  await browser.close();
  await server.dispose();
}
