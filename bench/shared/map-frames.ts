import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { getAllChannels } from '@pressel/contract/channels';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { chromium, type Page } from 'playwright';
import { type LargeTeam, startLargeTeam } from './large-team.ts';
import { connectPosition, type PositionClient } from './position-client.ts';
import { percentile, round } from './report.ts';

const MEMBERS = 5_000;
const PER_SECOND = 200;
const ROUNDS = 3;
const ROUND_MS = 8_000;
/** People who move, each as often as one may in the long run, or less. */
const MOVERS = 300;

export interface FrameTimes {
  p50: number;
  p95: number;
  p99: number;
  frames: number;
}

/** Times between pictures of a map with five thousand people: while nobody moves, and while 200 a second do, in turns. */
export async function measureFrames(): Promise<{ idle: FrameTimes; busy: FrameTimes; movesPerSecond: number }> {
  const team = await startLargeTeam({ users: MEMBERS, channels: 1, memberships: MEMBERS, activities: MEMBERS });
  const browser = await chromium.launch(launchOptions);
  const movers: PositionClient[] = [];
  try {
    const tokens = await team.scatter();
    for (const token of tokens.slice(0, MOVERS)) {
      movers.push(await connectPosition({ origin: team.origin, token, isOurs: true, heard: () => undefined }));
    }
    const page = await (
      await browser.newContext({ ...WITHOUT_WORKER, baseURL: team.origin, viewport: { width: 1600, height: 1000 } })
    ).newPage();
    await page.addInitScript((token) => sessionStorage.setItem('TOKEN_KEY', token), team.admin.token);
    await page.goto(`/groupCallView/${await roomKey(team)}`);
    await page.locator('[data-map=bundled]').waitFor();
    await page.getByRole('button', { name: 'Tout afficher' }).click();
    await page.locator('[data-marker=cluster]').first().waitFor();
    await sleep(3_000);
    const times = { idle: [] as number[], busy: [] as number[] };
    let moved = 0;
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      times.idle.push(...(await framesOf(page)));
      const moving = startMoving(movers);
      await sleep(1_000);
      times.busy.push(...(await framesOf(page)));
      moved += await moving.stop();
    }
    return {
      idle: spread(times.idle),
      busy: spread(times.busy),
      movesPerSecond: round(moved / ROUNDS),
    };
  } finally {
    for (const mover of movers) mover.close();
    await browser.close();
    await team.close();
  }
}

async function roomKey({ origin, admin }: LargeTeam): Promise<string> {
  const response = await fetch(`${origin}${getAllChannels.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [TOKEN_HEADER]: admin.token },
    body: JSON.stringify({ limit: 1 }),
  });
  const [channel] = getAllChannels.reply.parse(await response.json()).res;
  if (channel === undefined) throw new Error('There is no channel');
  return channel.rtcSession;
}

const framesOf = (page: Page): Promise<number[]> =>
  page.evaluate(
    (ms) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const begun = performance.now();
        let last = begun;
        const next = (at: number) => {
          times.push(at - last);
          last = at;
          if (at - begun < ms) requestAnimationFrame(next);
          else resolve(times.slice(1));
        };
        requestAnimationFrame(next);
      }),
    ROUND_MS,
  );

/** Some of the members move, one after the other. `stop` returns how many moves a second there were. */
function startMoving(clients: readonly PositionClient[]): { stop(): Promise<number> } {
  let isMoving = true;
  let moved = 0;
  const begun = performance.now();
  const run = async (): Promise<void> => {
    const answers: Promise<void>[] = [];
    for (let turn = 0; isMoving; turn += 1) {
      await sleep(Math.max(0, begun + (turn * 1_000) / PER_SECOND - performance.now()));
      const client = clients[turn % clients.length];
      if (client === undefined) throw new Error('Nobody moves');
      answers.push(client.move(-1 + ((turn * 104_729) % 800) / 100));
      moved += 1;
    }
    await Promise.all(answers);
  };
  const running = run();
  return {
    async stop() {
      isMoving = false;
      const perSecond = (moved * 1_000) / (performance.now() - begun);
      await running;
      return perSecond;
    },
  };
}

const spread = (times: readonly number[]): FrameTimes => ({
  p50: round(percentile(times, 0.5)),
  p95: round(percentile(times, 0.95)),
  p99: round(percentile(times, 0.99)),
  frames: times.length,
});
