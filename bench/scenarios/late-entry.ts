import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions } from '@pressel/e2e/harness/browser';
import { type Recording, takeHeard } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { onset, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import { chromium, type Page } from 'playwright';
import { openBarePair } from '../shared/bare-pair.ts';
import { figuresOf, measured, newContext, pause, prepareToPress } from '../shared/presses.ts';
import { conclude, median } from '../shared/report.ts';

/**
 * Late entry: while somebody talks, another one enters the room, again and again, each time in a new page. Measured to the first sound,
 * from the click on the channel in the list, and from the start of the navigation to the room's address. A bare pair that is set up in one
 * page stands beside it: what connections cost here. Fewer entries: `npm run bench -- late-entry 5`.
 */
const ENTRIES = Number(process.argv[2] ?? 15);
/** 3GPP TS 22.179, KPI 4. */
const LIMIT_MS = 350;
/** Times the set-up of a bare pair. */
const LIMIT_BY_CLICK = 2;
const LIMIT_BY_ADDRESS = 6;
/**
 * Somebody looks at a list for this long before choosing. Chromium loads pages of its own with each window (the suggestions of its address
 * bar are 400 modules). That takes a second and isn't what is measured.
 */
const LOOK_MS = 2_500;
const UNHEARD_AFTER_MS = 10_000;
const POLL_MS = 20;

const server = await startPressel();
const api = createApi(server.origin);
const admin = await api.person('Camille');
const people = { talker: await api.person('Lea', admin.token), late: await api.person('Zoe', admin.token) };
const channel = await api.channel(admin, 'Bench', [people.talker, people.late]);
const browser = await chromium.launch(launchOptions);

const soundIn = (recordings: readonly Recording[]): number | undefined => {
  for (const { samples, startedAt, isEnded } of recordings) {
    // This belongs to an earlier pair of the page, whose last sounds don't count.
    if (isEnded) continue;
    const first = onset(samples);
    if (first !== -1) return startedAt + (first / SAMPLE_RATE) * 1000;
  }
  return undefined;
};

/** Time (Date.now()) of the first sound in a page from now on. */
async function firstSound(page: Page): Promise<number> {
  const deadline = Date.now() + UNHEARD_AFTER_MS;
  while (Date.now() < deadline) {
    const at = soundIn(await takeHeard(page));
    if (at !== undefined) return at;
    await pause(POLL_MS);
  }
  return Number.NaN;
}

async function enterByClick(page: Page): Promise<number> {
  await page.goto('/channelsList');
  const link = page.getByRole('row').filter({ hasText: channel.name }).getByRole('link');
  await link.waitFor();
  await page.evaluate(() => {
    // The mouth of this bench makes an audio context now, which would otherwise count as the product's.
    void navigator.mediaDevices.getUserMedia({ audio: true });
    addEventListener('click', () => Object.assign(window, { clickedAt: Date.now() }), { capture: true, once: true });
  });
  await pause(LOOK_MS);
  // From here on each track has an ear as soon as there is one, as the bare pair's page has.
  await takeHeard(page);
  await link.click();
  return page.evaluate(() => (window as unknown as { clickedAt: number }).clickedAt);
}

async function enterByAddress(page: Page): Promise<number> {
  await pause(LOOK_MS);
  const start = Date.now();
  await page.goto(`/groupCallView/${channel.rtcSession}`, { waitUntil: 'commit' });
  return start;
}

try {
  const talker = await (await newContext(browser, server.origin, people.talker.token)).newPage();
  await talker.goto(`/groupCallView/${channel.rtcSession}`);
  await talker.locator('[data-talk-button][data-state=idle]').waitFor();
  await prepareToPress(talker);
  const newcomer = await newContext(browser, server.origin, people.late.token);
  const bare = await (await newContext(browser, server.origin)).newPage();
  await bare.goto('/healthz');
  await takeHeard(bare);

  const enter = async (by: (page: Page) => Promise<number>): Promise<number> => {
    const page = await newcomer.newPage();
    await talker.mouse.down();
    const start = await by(page);
    const heardAt = await firstSound(page);
    await talker.mouse.up();
    await page.close();
    return heardAt - start;
  };
  const entries = { bare: [] as number[], byClick: [] as number[], byAddress: [] as number[] };
  for (let turn = 0; turn < ENTRIES; turn += 1) {
    const start = await openBarePair(bare);
    entries.bare.push((await firstSound(bare)) - start);
    entries.byClick.push(await enter(enterByClick));
    entries.byAddress.push(await enter(enterByAddress));
  }

  const figures = {
    'bare pair set up': figuresOf(measured(entries.bare)),
    'click to first sound': figuresOf(measured(entries.byClick)),
    'address to first sound': figuresOf(measured(entries.byAddress)),
  };
  console.table(figures);
  const [setUp, byClick, byAddress] = [entries.bare, entries.byClick, entries.byAddress].map((all) =>
    median(measured(all)),
  ) as [number, number, number];
  conclude('late-entry', { unit: 'ms', entries: ENTRIES, figures }, [
    { what: 'late entry by a click, median', value: byClick, limit: LIMIT_MS, unit: 'ms' },
    {
      what: 'late entry by a click / set-up of a bare pair, medians',
      value: byClick / setUp,
      limit: LIMIT_BY_CLICK,
      unit: 'times',
    },
    {
      what: 'late entry by an address / set-up of a bare pair, medians',
      value: byAddress / setUp,
      limit: LIMIT_BY_ADDRESS,
      unit: 'times',
    },
    {
      what: 'late entries not heard',
      value: [...entries.byClick, ...entries.byAddress].filter(Number.isNaN).length,
      limit: 0,
      unit: '',
    },
  ]);
} finally {
  await browser.close();
  await server.dispose();
}
