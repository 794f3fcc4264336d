import { chosenBefore } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar } from '@pressel/e2e/harness/page-audio';
import { type Look, tourAsMember, tourTheConsole, tourTheDoors, tourTheRoom } from '@pressel/e2e/harness/tour';
import { tourTheUsers } from '@pressel/e2e/harness/tour-users';
import { type Language, sayIn } from '@pressel/e2e/harness/words';
import type { Browser, Page } from 'playwright';
import type { Team } from './teams.ts';

/** On what somebody looks at it, and what they chose. */
export interface Device {
  language: Language;
  scheme: 'light' | 'dark';
  /** In CSS pixels. */
  width: number;
  height: number;
}
type Step = (page: Page) => Promise<void>;

const EMPTY = ['dashboard', 'usersList', 'channelsList', 'activities', 'profile', 'channelsList/import'] as const;

/** One way through everything. @returns what could not be seen, and why */
export async function see(browser: Browser, origin: string, team: Team, device: Device, look: Look): Promise<string[]> {
  const { language, scheme, width, height } = device;
  const { admin, mark, shown } = team;
  const guide = { say: sayIn(language), look, isWide: width >= 1480 };
  const faults: string[] = [];
  const goThrough = async (token: string | null, steps: readonly Step[]) => {
    const context = await browser.newContext({
      baseURL: origin,
      bypassCSP: true,
      permissions: ['microphone'],
      viewport: { width, height },
      reducedMotion: 'reduce',
      storageState: chosenBefore(origin, { language, colorScheme: scheme }),
    });
    await giveVoiceAndEar(context, 'up');
    if (token !== null) await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
    const page = await context.newPage();
    for (const step of steps) {
      await step(page).catch(async (error: unknown) => {
        faults.push(String(error));
        await look(`stopped at ${new URL(page.url()).pathname}`, page);
      });
    }
    await context.close();
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
  const room = `CallView/${encodeURIComponent(shown.rtcSession)}`;
  const enter = async (page: Page, kind: 'group' | 'mobile') => {
    await page.goto(`/${kind}${room}`);
    await page
      .locator('[data-tile][data-presence=connected]')
      .nth(others.length - 1)
      .waitFor();
  };
  await goThrough(outsider.token, [(page) => tourAsMember(page, guide, `/group${room}`)]);
  await goThrough(admin.token, [
    (page) => tourTheConsole(page, guide, { channel, outsider: outsider.name, name: admin.name, mark }),
    (page) => tourTheUsers(page, guide, `/usersList?q=${mark}`, outsider.id),
    async (page) => {
      await enter(page, 'group');
      await tourTheRoom(page, guide);
    },
    async (page) => {
      await enter(page, 'mobile');
      await look('phone room', page);
    },
  ]);
  return faults;
}
