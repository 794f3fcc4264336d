import type { ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_RENEW_MS, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorNews } from '@pressel/contract/voice';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHANNEL, id } from '#test/floor-harness.ts';
import { askerOf, createFloorProcesses, type FloorProcess } from '#test/floor-processes.ts';
import { checkRuns, type Random } from '#test/random.ts';

const SEEDS = 60;
const STEPS = 80;
const NAMES = ['ana', 'bo', 'carl', 'dora', 'emil'];
const WINDOW_MS = FLOOR_LEASE_MS + FLOOR_TICK_MS;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] });
});
afterEach(() => vi.useRealTimers());

/** A page. It goes on talking without a link, until its own time is over or it hears that it has lost the floor. */
interface Page {
  readonly name: string;
  readonly self: ParticipantId;
  readonly priority: number;
  seq: number;
  isLinked: boolean;
  /** The press that has the floor, as the page knows it. */
  talk: { seq: number; until: number; renewAt: number } | null;
  /** The newest floor that the page heard of, whichever way it came. */
  floor: FloorNews | null;
  /** The floor that the page shows: the answer to its join, and newer news since. */
  shown: FloorNews | null;
}

const check: (holds: boolean, message: string) => asserts holds = (holds, message) => {
  if (!holds) throw new Error(message);
};
const talkersOf = (floor: Pick<FloorNews, 'talkers'> | null) => floor?.talkers.map((one) => one.id) ?? [];

/** A room whose server is killed now and then. Throws at the first violated rule. */
const createRoom = (random: Random) => {
  const server = createFloorProcesses();
  const pages = NAMES.map(
    (name): Page => ({
      ...{ name, self: id(name), priority: random.chance(0.25) ? 1 : 0, seq: 0 },
      ...{ isLinked: false, talk: null, floor: null, shown: null },
    }),
  );
  const pageOf = (self: ParticipantId) => pages.find((page) => page.self === self) as Page;
  /** All floors that were ever signed, which an attacker may have kept. */
  const signed: FloorNews[] = [];
  const counts = { restarts: 0, setBack: 0, survived: 0, replays: 0, grants: 0, agreements: 0 };
  let replies = 0;
  let highest = 0;
  /** The last floor of the process before, and its talkers: nobody else may get it before they had time to come back. */
  let before: FloorNews | null = null;
  let process: FloorProcess;

  const hear = (page: Page, news: FloorNews) => {
    if (news.version > (page.shown?.version ?? -1)) page.shown = news;
    if (news.version <= (page.floor?.version ?? -1)) return;
    page.floor = news;
    if (page.talk !== null && !talkersOf(news).includes(page.self)) page.talk = null;
  };
  const isEarly = () => server.now() < process.openedAt + FLOOR_LEASE_MS;

  const onNews = (news: FloorNews) => {
    signed.push(news);
    check(news.talkers.length <= 1, 'two have the floor');
    if (isEarly() && before !== null) {
      // A page that knows the newest floor of before is told nothing newer, except that its talk ended.
      const fromBefore = talkersOf(before);
      const isTrue = talkersOf(news).every((one) => fromBefore.includes(one));
      check(news.version < before.version || isTrue, `[TALK150] version ${news.version} names somebody else`);
    } else {
      check(news.version > highest, `[TALK24] version ${news.version} after ${highest}`);
      highest = news.version;
    }
    for (const page of pages) if (page.isLinked) hear(page, news);
    // A talker's page passes its own talk on beside its voice, also where links are lost.
    if (pages.some((page) => page.isLinked && talkersOf(news).includes(page.self))) {
      for (const page of pages) if (random.chance(0.8)) hear(page, news);
    }
  };

  const readReplies = () => {
    for (; replies < process.replies.length; replies += 1) {
      const { to, reply } = process.replies[replies] as FloorProcess['replies'][number];
      const page = pageOf(to);
      if (!page.isLinked) continue;
      if (reply.type === 'granted') granted(page, reply.seq, reply.talkMs);
      if (reply.type === 'revoked' && reply.seq === page.talk?.seq) page.talk = null;
    }
  };
  const granted = (page: Page, seq: number, talkMs: number) => {
    counts.grants += 1;
    check(!isEarly(), '[TALK152] somebody gets the floor while others may come back');
    if (page.seq === seq) page.talk = { seq, until: server.now() + talkMs, renewAt: server.now() + FLOOR_RENEW_MS };
  };

  const press = (page: Page) => {
    if (!page.isLinked || page.talk !== null) return;
    const seq = ++page.seq;
    const asker = { ...askerOf(page.name, page.priority) };
    void process.floor.request(CHANNEL, asker, seq, random.chance(0.5)).then((reply) => {
      if (reply.type === 'granted' && page.isLinked) granted(page, seq, reply.talkMs);
    });
  };
  const release = (page: Page) => {
    page.talk = null;
    const seq = ++page.seq;
    if (page.isLinked) void process.floor.release(CHANNEL, page.self, seq);
  };

  const comeBack = async (page: Page) => {
    const claim = page.talk?.seq ?? null;
    page.isLinked = true;
    const { self, priority } = page;
    const brings = { id: self, priority, author: null, claim, ...(page.floor === null ? {} : { floor: page.floor }) };
    const floor = await process.floor.enter({ id: CHANNEL, talkMode: 'single', version: 1 }, brings);
    const mine = page.floor;
    hear(page, floor);
    page.shown = floor;
    // The talkers count even in an answer that isn't newer.
    if (page.talk !== null && !talkersOf(floor).includes(self)) page.talk = null;
    check(
      isEarly() || floor.version >= (mine?.version ?? 0),
      '[TALK24] an answer to a join is older than what was known',
    );
  };
  const replay = async () => {
    const floor = random.pick(signed);
    const attacker = random.pick(pages);
    if (floor === undefined || attacker === undefined || !attacker.isLinked || attacker.talk !== null) return;
    counts.replays += 1;
    const claim = random.below(attacker.seq + 2);
    const named = talkersOf(floor);
    const had = talkersOf(await process.floor.newsSince(CHANNEL, -1));
    const shown = await process.floor.enter(
      { id: CHANNEL, talkMode: 'single', version: 1 },
      { id: attacker.self, priority: attacker.priority, author: null, claim, floor },
    );
    const gained = talkersOf(shown).filter((one) => !had.includes(one));
    check(
      gained.every((one) => named.includes(one)),
      'a replay gives the floor to somebody whom it doesn’t name',
    );
    if (!isEarly()) check(gained.length === 0 || before !== null, 'a replay gives the floor to somebody');
    // An attacker's page doesn't renew what it gained in this way.
  };

  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= FLOOR_TICK_MS) {
      await server.advance(Math.min(left, FLOOR_TICK_MS));
      for (const page of pages) {
        const { talk } = page;
        if (talk === null) continue;
        if (talk.until <= server.now()) page.talk = null;
        else if (talk.renewAt <= server.now()) {
          talk.renewAt += FLOOR_RENEW_MS;
          if (page.isLinked) await process.floor.renew(CHANNEL, page.self, talk.seq);
        }
      }
      readReplies();
    }
  };

  const start = () => {
    process = server.start({ onNews });
    replies = 0;
  };

  /** Checks without a wait that all pages show the same: they do as soon as the last one is back. */
  const checkAgreement = async () => {
    const floor = await process.floor.newsSince(CHANNEL, -1);
    for (const { name, shown } of pages) {
      const isSame = shown?.version === floor?.version && `${talkersOf(shown)}` === `${talkersOf(floor)}`;
      check(isSame, `[TALK161] ${name} shows version ${shown?.version}, not ${floor?.version}`);
    }
    counts.agreements += 1;
  };

  /** Kills the process at any moment. All pages are back within a second; the holder of the newest floor keeps it. */
  const restart = async () => {
    counts.restarts += 1;
    before = await process.floor.newsSince(CHANNEL, -1);
    // If the clock was set back, only what somebody brings is above the past.
    const setBackMs = random.chance(0.3) ? random.below(10_000) : 0;
    const known = Math.max(0, ...pages.map(({ floor }) => floor?.version ?? 0));
    highest = setBackMs > 0 ? known : Math.max(highest, before?.version ?? 0);
    for (const page of pages) page.isLinked = false;
    const holder = pages.find((page) => page.talk !== null && talkersOf(before).includes(page.self));
    const mayHold = holder?.talk != null && holder.talk.until > server.now() + WINDOW_MS + 1_000;
    server.setNow(server.now() - setBackMs);
    start();
    if (random.chance(0.3)) press(random.pick(pages) as Page);
    for (const page of random.shuffled(pages)) {
      await advance(random.below(250));
      await comeBack(page);
      if (random.chance(0.3)) await replay();
      if (random.chance(0.3)) press(random.pick(pages) as Page);
    }
    await checkAgreement();
    await advance(WINDOW_MS);
    await checkAgreement();
    check(
      highest > Math.max(known, setBackMs > 0 ? 0 : (before?.version ?? 0)),
      '[TALK24] the room isn’t told a version above all earlier ones',
    );
    if (setBackMs > 0) counts.setBack += 1;
    else if (holder !== undefined && mayHold) {
      const now = talkersOf(await process.floor.newsSince(CHANNEL, -1));
      const isKept = holder.talk !== null && now.includes(holder.self);
      // After the waiting, an administrator who pressed meanwhile goes before a member [TALK2].
      const taker = pages.find((page) => now.includes(page.self));
      check(isKept || (taker?.priority ?? 0) > holder.priority, `[TALK150] ${holder.name} lost the floor by a restart`);
      if (isKept) counts.survived += 1;
    }
    before = null;
  };

  const act = async () => {
    const page = random.pick(pages) as Page;
    const dice = random.below(100);
    if (dice < 35) press(page);
    else if (dice < 50) release(page);
    else if (dice < 56) page.isLinked = false;
    else if (dice < 64) await comeBack(page);
    else if (dice < 68) await replay();
    else if (dice < 72) await restart();
    else if (dice < 73) await advance(TALK_MAX_MS);
    else await advance(random.below(1_500));
  };

  start();
  return {
    act,
    counts,
    close: server.close,
    enter: () => Promise.all(pages.map(comeBack)),
    settle: () => advance(WINDOW_MS),
  };
};

it('[TALK150] [TALK151] [TALK152] [TALK161] [TALK24] a talk and the versions outlive random restarts, and replays are no use', async () => {
  const totals: Record<string, number> = {};
  await checkRuns({ runs: SEEDS, steps: STEPS, seed: 5 }, async (random, steps) => {
    vi.clearAllTimers();
    const room = createRoom(random);
    await room.settle();
    await room.enter();
    for (const _step of steps) await room.act();
    room.close();
    for (const [what, times] of Object.entries(room.counts)) totals[what] = (totals[what] ?? 0) + times;
  });
  // Otherwise the rules were not put to the test.
  for (const what of ['restarts', 'setBack', 'survived', 'replays', 'grants', 'agreements'])
    expect(totals[what], what).toBeGreaterThan(50);
});
