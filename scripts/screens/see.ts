import { createApi } from '@pressel/e2e/harness/api';
import { chooseAhead, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar } from '@pressel/e2e/harness/page-audio';
import { type Look, tourAsMember, tourTheConsole, tourTheDoors, tourTheRoom } from '@pressel/e2e/harness/tour';
import { teamFile, tourTheImport } from '@pressel/e2e/harness/tour-import';
import { furnishRoom, tourCallsAndGuests, tourWhatOpensThere } from '@pressel/e2e/harness/tour-parts';
import { tourClosedLinks, tourTheCallsPictures, tourTheCrowd } from '@pressel/e2e/harness/tour-rare';
import { tourTheUsers } from '@pressel/e2e/harness/tour-users';
import { type Language, sayIn } from '@pressel/e2e/harness/words';
import type { Browser, BrowserContext, Page } from 'playwright';
import type { Team } from './teams.ts';

/** The device on which somebody looks at it, and what they chose. */
export interface Device {
  language: Language;
  scheme: 'light' | 'dark';
  /** In CSS pixels. */
  width: number;
  height: number;
}
type Step = (page: Page) => Promise<void>;

const EMPTY = ['dashboard', 'usersList', 'channelsList', 'activities', 'profile', 'channelsList/import'] as const;
/** A part of all names that a tour makes where there is much to show, so that they are long. */
const LONG = 'des Écluses-et-Levées';

/** Takes one tour through everything. @returns what could not be seen, and why */
export async function see(browser: Browser, origin: string, team: Team, device: Device, look: Look): Promise<string[]> {
  const { language, scheme, width, height } = device;
  const { admin, mark, shown } = team;
  const guide = { say: sayIn(language), look, isWide: width >= 1480 };
  const faults: string[] = [];
  const contexts: BrowserContext[] = [];
  const open = async (token: string | null): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: origin,
      bypassCSP: true,
      permissions: ['microphone', 'camera'],
      viewport: { width, height },
      reducedMotion: 'reduce',
      ...WITHOUT_WORKER,
    });
    contexts.push(context);
    await chooseAhead(context, origin, { language, colorScheme: scheme });
    await giveVoiceAndEar(context, 'up');
    if (token !== null) await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
    return await context.newPage();
  };
  const goThrough = async (token: string | null, steps: readonly Step[]) => {
    const page = await open(token);
    for (const step of steps) {
      await step(page).catch(async (error: unknown) => {
        faults.push(String(error));
        await look(`stopped at ${new URL(page.url()).pathname}`, page);
      });
    }
    for (const context of contexts.splice(0)) await context.close();
  };

  await goThrough(null, [(page) => tourTheDoors(page, guide)]);
  if (shown === null) {
    await goThrough(
      admin.token,
      EMPTY.map((path) => async (page) => {
        await page.goto(`/${path}`, { waitUntil: 'networkidle' });
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await look(`nothing yet, ${path}`, page);
      }),
    );
    return faults;
  }
  const { channel, outsider, others } = shown;
  const enter = async (page: Page, kind: 'group' | 'mobile', room: string, count: number) => {
    await page.goto(`/${kind}CallView/${encodeURIComponent(room)}`);
    await page.locator('[data-talk-button]:is([data-state=idle], [data-state=busy])').waitFor();
    for (let index = 0; index < count; index += 1)
      await page.locator('[data-tile][data-presence=connected]').nth(index).waitFor();
  };
  // The data that these tours make is named for this look: the next one finds the lists as it did.
  const own = `${language}-${scheme}-${width}`;
  const api = createApi(origin, (name) => [name, ...(shown.isMuch ? [LONG] : []), own].join(' '));
  const room = await furnishRoom({ api, admin });
  const file = teamFile(own, room.channel, room.known.email);
  await goThrough(outsider.token, [
    (page) => tourAsMember(page, guide, `/groupCallView/${encodeURIComponent(shown.rtcSession)}`),
  ]);
  await goThrough(admin.token, [
    (page) => tourTheConsole(page, guide, { channel, outsider: outsider.name, name: admin.name, mark }),
    (page) => tourTheUsers(page, guide, `/usersList?q=${mark}`, outsider.id),
    (page) => tourTheImport(page, guide, file),
    async (page) => {
      await enter(page, 'group', shown.rtcSession, others.length);
      await tourTheRoom(page, guide);
    },
    async (page) => {
      await enter(page, 'mobile', shown.rtcSession, others.length);
      await look('phone room', page);
    },
    async (page) => {
      await enter(page, 'group', room.rtcSession, 0);
      await tourWhatOpensThere(page, guide, room);
      await tourTheCrowd(page, guide, api, room);
    },
    async (page) => {
      await enter(page, 'group', room.rtcSession, 0);
      const radio = await open(room.known.token);
      await radio.goto('/channelsList');
      const desk = { page, name: admin.name };
      const other = { page: radio, name: room.known.name };
      await tourTheCallsPictures(desk, other, guide);
      await tourCallsAndGuests(desk, other, guide, async (link) => {
        const guest = await open(null);
        await guest.goto(link);
        return guest;
      });
    },
  ]);
  await goThrough(null, [(page) => tourClosedLinks(page, guide, { api, admin, channelId: room.channelId })]);
  return faults;
}
