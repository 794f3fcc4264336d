/**
 * The cost of being in ten rooms of four people, who are thirty different others, for a page at rest. Measured are its renderer's processor
 * time, in percent of one core, and the bytes of its connections. Two other pages run at the same time, in browsers of their own: a bare
 * page with as many connections, and a page of the product in one room of four. The other people are without a browser. More windows:
 * `npm run bench -- ten-rooms 5`.
 */
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { enterNatively, type NativePeer } from '@pressel/e2e/harness/native-peer';
import { createPacer, readOpusVoices } from '@pressel/e2e/harness/opus-voice';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { type Browser, chromium, type Page } from 'playwright';
import { openBareHub } from '../shared/bare-mesh.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, round, spread } from '../shared/report.ts';

const WINDOWS = Number(process.argv[2] ?? 3);
const ROOMS = 10;
const PEOPLE = 4;
/** Links of the page in ten rooms: to everybody else, in each of them. */
const LINKS = ROOMS * (PEOPLE - 1);
const LIMIT_RATIO = 1.15;
const WINDOW_MS = 12_000;
/** The wait after the pages opened: V8 clears away what their start left some 28 s after it, and once more 9 s later (Chromium 156). */
const REST_MS = 40_000;
const SETUP_LIMIT_MS = 180_000;

const SIDES = ['bare', 'tenRooms', 'oneRoom'] as const;
type Side = (typeof SIDES)[number];

interface Measured {
  readonly pid: number;
  readonly page: Page;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const closers: (() => Promise<unknown>)[] = [];

async function launch(): Promise<{ browser: Browser; pid: number }> {
  const process = await chromium.launchServer(launchOptions);
  closers.push(() => process.close());
  return { browser: await chromium.connect(process.wsEndpoint()), pid: process.process().pid ?? 0 };
}

/** Keeps the page's connections where they can be counted. Runs in the page. */
function keepConnections(): void {
  const connections: RTCPeerConnection[] = [];
  const Original = RTCPeerConnection;
  Object.assign(window, {
    connections,
    RTCPeerConnection: class extends Original {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        connections.push(this);
      }
    },
  });
}

const connected = (page: Page, count: number) =>
  page.waitForFunction(
    (wanted) =>
      (window as unknown as { connections: RTCPeerConnection[] }).connections.filter(
        ({ connectionState }) => connectionState === 'connected',
      ).length === wanted,
    count,
    { timeout: SETUP_LIMIT_MS },
  );

/** Bytes of all connections of a page so far, both ways. */
const bytesOf = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    let bytes = 0;
    for (const connection of (window as unknown as { connections: RTCPeerConnection[] }).connections) {
      for (const report of (await connection.getStats()).values()) {
        if (report.type === 'transport') bytes += report.bytesSent + report.bytesReceived;
      }
    }
    return bytes;
  });

async function openPage(token: string, baseURL: string, path: string): Promise<Measured> {
  const { browser, pid } = await launch();
  const context = await browser.newContext({ ...WITHOUT_WORKER, baseURL, permissions: ['microphone'] });
  await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
  await context.addInitScript(keepConnections);
  const page = await context.newPage();
  await page.goto(path);
  return { pid, page };
}

async function openBare(url: string): Promise<Measured> {
  const [near, far] = [await launch(), await launch()];
  const page = await openBareHub(near.browser, far.browser, url, LINKS);
  return { pid: near.pid, page };
}

const server = await startPressel({ LOG_LEVEL: 'error' });
const pacer = createPacer();
const peers: NativePeer[] = [];
try {
  const api = createApi(server.origin);
  const admin = await api.person('Camille');
  const desk = await api.person('Uma', admin.token);
  const furnish = async (room: number, member: Person) => {
    const others = [];
    for (let index = 1; index < PEOPLE; index += 1)
      others.push(await api.person(`Membre${room}-${index}`, admin.token));
    const channel = await api.channel(admin, `Salle ${room}`, [member, ...others]);
    for (const { token } of others) {
      const voice = readOpusVoices().down;
      peers.push(await enterNatively({ origin: server.origin, token, room: channel.rtcSession, voice, pacer }));
    }
    return channel;
  };
  const ids: string[] = [];
  for (let room = 0; room < ROOMS; room += 1) ids.push((await furnish(room, admin)).id);
  const single = await furnish(ROOMS, desk);

  const sides: Record<Side, Measured> = {
    bare: await openBare(`${server.origin}/healthz`),
    tenRooms: await openPage(admin.token, server.origin, `/board?rooms=${ids.join(',')}`),
    oneRoom: await openPage(desk.token, server.origin, `/groupCallView/${single.rtcSession}`),
  };
  await connected(sides.tenRooms.page, LINKS);
  await connected(sides.oneRoom.page, PEOPLE - 1);
  await pause(REST_MS);

  const percents: Record<Side, number[]> = { bare: [], tenRooms: [], oneRoom: [] };
  const bytes: Record<'tenRooms' | 'oneRoom', number[]> = { tenRooms: [], oneRoom: [] };
  const measure = async (side: Side) => {
    const { pid, page } = sides[side];
    const before = { ms: processorTime(pid).renderers, at: performance.now() };
    await pause(WINDOW_MS);
    percents[side].push(((processorTime(pid).renderers - before.ms) / (performance.now() - before.at)) * 100);
    if (side === 'bare') return;
    // Reading them costs the page something, so it is not within the window of its processor time.
    const [sent, at] = [await bytesOf(page), performance.now()];
    await pause(WINDOW_MS);
    bytes[side].push(((await bytesOf(page)) - sent) / ((performance.now() - at) / 1_000));
  };
  for (let window = 0; window < WINDOWS; window += 1) await Promise.all(SIDES.map(measure));

  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const ratio = mean(percents.tenRooms) / mean(percents.bare);
  const figures = Object.fromEntries(
    SIDES.map((side) => [side, { percent: round(mean(percents[side])), ...spread(percents[side]) }]),
  );
  const bytesPerSecond = { tenRooms: round(mean(bytes.tenRooms)), oneRoom: round(mean(bytes.oneRoom)) };
  console.table(figures);
  console.log(JSON.stringify({ bytesPerSecond, tenRoomsBesideOne: round(ratioOf(percents)) }));
  conclude(
    'ten-rooms',
    {
      unit: 'percent of one core, the page alone',
      windows: WINDOWS,
      figures,
      bytesPerSecond,
      tenRoomsBesideOne: round(ratioOf(percents)),
    },
    [
      {
        what: `a page in ${ROOMS} rooms of ${PEOPLE} beside a bare page with ${LINKS} connections, at rest`,
        value: ratio,
        limit: LIMIT_RATIO,
        unit: 'times',
      },
    ],
  );

  function ratioOf({ tenRooms, oneRoom }: typeof percents): number {
    return mean(tenRooms) / mean(oneRoom);
  }
} finally {
  for (const peer of peers) peer.vanish();
  pacer.close();
  for (const close of closers) await close();
  await server.dispose();
}
// Threads of the native connections go on after these are closed, and keep the process running.
process.exit();
