import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { BEAT_MS, FLOOR_LEASE_MS, FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorReply } from '@pressel/contract/voice';
import { pino } from 'pino';
import { createFloorService, type EndedTalk, type FloorService } from '#src/features/voice/floor-service.ts';
import { createSharedFloorStore, type SharedFloorStore } from '#src/features/voice/shared-floor-store.ts';
import { createTalkJournal } from '#src/features/voice/talk-journal.ts';
import type { createFakeDatabase } from './fake-floor-rows.ts';
import { CHANNEL, id } from './floor-harness.ts';
import { askerOf } from './floor-processes.ts';
import type { Random } from './random.ts';

const NEWS_MS = 30;

/** A page. Without a link it talks on until its own time is over; with one, as long as its renewals are answered. */
export interface Page {
  readonly name: string;
  readonly self: ParticipantId;
  readonly priority: number;
  seq: number;
  /** The process that holds its socket. */
  process: Process | null;
  /** Grows with each socket: messages to an earlier one are lost. */
  link: number;
  talk: { seq: number; until: number; renewedAt: number; renewAt: number } | null;
  beatAt: number;
  floor: FloorNews | null;
}

export interface Process {
  readonly floor: FloorService;
  readonly store: SharedFloorStore;
  isDead: boolean;
}

/** Test harness: processes that share a floor by a database in memory, and pages linked to them. Call it with fake timers. */
export function createFloorCluster(database: ReturnType<typeof createFakeDatabase>, random: Random, names: string[]) {
  const pages = names.map(
    (name): Page => ({
      ...{ name, self: id(name), priority: random.chance(0.2) ? 1 : 0, seq: 0 },
      ...{ process: null, link: 0, talk: null, floor: null, beatAt: 0 },
    }),
  );
  const processes: Process[] = [];
  const talks: { name: string; talk: EndedTalk }[] = [];
  const counts = { granted: 0, revoked: 0, survived: 0 };
  let isNewsAway = false;

  const hear = (page: Page, news: FloorNews) => {
    if (news.version <= (page.floor?.version ?? -1)) return;
    page.floor = news;
  };
  const answer = (page: Page, reply: FloorReply) => {
    if (reply.type === 'granted' && reply.seq === page.seq && page.talk === null) {
      const now = Date.now();
      counts.granted += 1;
      page.talk = { seq: reply.seq, until: now + reply.talkMs, renewedAt: now, renewAt: now + FLOOR_RENEW_MS };
    }
    if (reply.type === 'revoked' && reply.seq === page.talk?.seq) {
      counts.revoked += 1;
      page.talk = null;
    }
  };
  /** Messages to a process's own page arrive at once; those to another process's page go through Redis. */
  const say = (from: Process, page: Page, heard: () => void) => {
    if (from.isDead || page.process === null) return;
    if (page.process === from) return heard();
    if (isNewsAway) return;
    const { link } = page;
    setTimeout(() => page.link === link && page.process?.isDead === false && heard(), random.below(NEWS_MS));
  };

  const start = async (isFirst = false): Promise<Process> => {
    const skewMs = random.below(100_000);
    const isDead = () => process.isDead;
    const own = () => pages.filter((page) => page.process === process);
    const store = createSharedFloorStore({
      rows: database.connect(isDead),
      // Unlike Redis, it tells out of order and some twice.
      tellOthers(told) {
        for (const other of live()) {
          if (other === process || isDead() || isNewsAway) continue;
          const hear = () => !other.isDead && other.store.hear(structuredClone(told));
          for (const _time of random.chance(0.1) ? [1, 2] : [1]) setTimeout(hear, random.below(NEWS_MS));
        }
      },
      steadyNow: () => Date.now() + skewMs,
      recoveryMs: FLOOR_LEASE_MS,
    });
    const floor = createFloorService({
      ...{ store, journal: createTalkJournal(), steadyNow: () => Date.now() + skewMs },
      keys: { floors: Buffer.alloc(32, 1), stays: Buffer.alloc(32, 2) },
      log: pino({ enabled: false }),
      entitled: async (_channel, ids) => new Set(ids),
      tellParticipant: (_channel, to, reply) => {
        for (const page of pages) if (page.self === to) say(process, page, () => answer(page, reply));
      },
      tellRoom: (_channel, news) => {
        for (const page of pages) say(process, page, () => hear(page, news));
      },
      cluster: {
        isEnding: () => false,
        isCutOff: () => isNewsAway,
        channels: () => [CHANNEL],
        tellRoom: (_channel, news) => {
          for (const page of own()) hear(page, news);
        },
        tellParticipant: (_channel, to, reply) => {
          for (const page of own()) if (page.self === to) answer(page, reply);
        },
      },
      probe: () => undefined,
      talkBegan: () => undefined,
      talkEnded: (_channel: ChannelId, { name }, talk) => void talks.push({ name, talk }),
    });
    const process: Process = { floor, store, isDead: false };
    try {
      await floor.open(isFirst);
      processes.push(process);
    } catch {
      // A process that can't open the floors ends, and serves nobody.
      process.isDead = true;
      await floor.close();
    }
    return process;
  };
  const live = () => processes.filter(({ isDead }) => !isDead);

  const enter = async (page: Page, process = random.pick(live())) => {
    if (process === undefined) return;
    const link = ++page.link;
    page.process = process;
    const { self, priority, floor, talk } = page;
    const brings = { id: self, priority, author: null, claim: talk?.seq ?? null, ...(floor === null ? {} : { floor }) };
    const room = { id: CHANNEL, talkMode: 'single', version: 1 } as const;
    const entered = await process.floor.enter(room, brings).catch(() => null);
    if (page.link !== link) return;
    if (entered === null) {
      page.process = null;
      return;
    }
    if (page.talk !== null) page.talk.renewedAt = Date.now();
    hear(page, entered);
    if (page.talk === null) return;
    if (entered.talkers.some((one) => one.id === self)) counts.survived += 1;
    else page.talk = null;
  };
  const press = (page: Page) => {
    if (page.process === null || page.talk !== null) return;
    const { process, link } = page;
    const seq = ++page.seq;
    const asked = process.floor.request(CHANNEL, askerOf(page.name, page.priority), seq, random.chance(0.6));
    void asked.then(
      (reply) => page.link === link && !process.isDead && answer(page, reply),
      () => page.link === link && release(page),
    );
  };
  const release = (page: Page) => {
    page.talk = null;
    const seq = ++page.seq;
    void page.process?.floor.release(CHANNEL, page.self, seq).catch(() => undefined);
  };
  /** The page's own actions: it sends beats, renews its claim, and notices that its time is over. */
  const goOn = (page: Page) => {
    const { talk, process, link } = page;
    const now = Date.now();
    if (process !== null && page.beatAt <= now) {
      page.beatAt = now + BEAT_MS;
      const isHeard = (news: FloorNews | null) => news !== null && page.link === link && !process.isDead;
      void process.floor.newsSince(CHANNEL, page.floor?.version ?? -1).then(
        (news) => isHeard(news) && hear(page, news as FloorNews),
        () => undefined,
      );
    }
    if (talk === null) return;
    if (talk.until <= now || (process !== null && now - talk.renewedAt > FLOOR_LEASE_MS)) {
      release(page);
    } else if (process !== null && talk.renewAt <= now) {
      talk.renewAt = now + FLOOR_RENEW_MS;
      void process.floor.renew(CHANNEL, page.self, talk.seq).then(
        () => {
          if (page.link === link && !process.isDead && page.talk === talk)
            talk.renewedAt = Math.max(talk.renewedAt, now);
        },
        () => undefined,
      );
    }
  };

  return {
    pages,
    talks,
    counts,
    processes,
    live,
    start,
    enter,
    press,
    release,
    tick: () => pages.forEach(goOn),
    /** Pages that have a link and believe that they have the floor. */
    believers: () => pages.filter(({ talk, process }) => talk !== null && process?.isDead === false),
    setNewsAway(isAway: boolean) {
      isNewsAway = isAway;
    },
    kill(process: Process) {
      process.isDead = true;
      void process.floor.close();
      for (const page of pages) {
        if (page.process !== process) continue;
        page.process = null;
        page.link += 1;
      }
    },
    leave(page: Page) {
      const { process } = page;
      page.process = null;
      page.link += 1;
      page.talk = null;
      page.floor = null;
      void process?.floor.leave(CHANNEL, [page.self]).catch(() => undefined);
    },
    cut(page: Page) {
      page.process = null;
      page.link += 1;
    },
    close: () => Promise.all(live().map(({ floor }) => floor.close())),
  };
}
