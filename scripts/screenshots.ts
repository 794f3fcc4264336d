/** Makes the README's pictures: a real room with messages and a map, real browsers, one of them talking. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { sendMessage } from '@pressel/contract/chat';
import { updateUserPosition } from '@pressel/contract/positions';
import { createApi, PASSWORD } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { chromium } from 'playwright';
import { findChromium } from './browsers.ts';
import { buildWebIfStale } from './build-web.ts';

/** The people in the room, and where they are. */
const TEAM = [
  { firstName: 'Noé', lastName: 'Le Gall', lat: 48.39, lng: -4.49 },
  { firstName: 'Inès', lastName: 'Moreau', lat: 47.75, lng: -3.37 },
  { firstName: 'Yann', lastName: 'Kervella', lat: 48.65, lng: -2.03 },
] as const;
const MESSAGES = [
  [1, 'Digue fermée à Lorient, la route du port est coupée.'],
  [0, 'Reçu. Les pompes partent de Brest.'],
  [2, 'Ici rien à signaler, la mer baisse.'],
] as const;
const target = join(import.meta.dirname, '../docs/images');
mkdirSync(target, { recursive: true });
await buildWebIfStale();
const server = await startPressel();
const browser = await chromium.launch({ ...launchOptions, executablePath: await findChromium() });
try {
  const api = createApi(server.origin);
  const camille = await api.person('Camille');
  const people = await Promise.all(
    TEAM.map(async ({ lat, lng, ...name }, index) => {
      const email = `member${index}@example.org`;
      const { user } = await api.call(signUpUser, { ...name, email, password: PASSWORD }, camille.token);
      const { authToken: token } = (await api.call(logIn, { user_email: email, user_password: PASSWORD })).user;
      await api.call(updateUserPosition, { lat, lng }, token);
      return { ...camille, ...name, id: user.id, email, token };
    }),
  );
  const { id: channelId, rtcSession } = await api.channel(camille, 'Littoral ouest', [camille, ...people]);
  for (const [index, message] of MESSAGES) await api.call(sendMessage, { channelId, message }, people[index]?.token);
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
  const [talker, ...listeners] = people;
  if (talker === undefined) throw new Error('Nobody is there to talk');
  const dispatcher = await enter(camille.token, { width: 1600, height: 900 }, 'dark');
  const member = await enter(talker.token, { width: 390, height: 844 }, 'light');
  for (const { token } of listeners) await enter(token, { width: 390, height: 844 }, 'light');
  for (const page of [dispatcher, member])
    await page
      .locator('[data-tile][data-presence=connected]')
      .nth(people.length - 1)
      .waitFor();
  await dispatcher
    .locator('[data-marker]')
    .nth(people.length - 1)
    .waitFor();
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
