import type { ChannelId, UserId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS, RESUME_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import type { ChannelState } from '#src/processes/facts.ts';
import { check, createPages, newPage, type Page } from '#test/presence-pages.ts';
import { type ServerProcess, startProcess, type World } from '#test/presence-processes.ts';
import { checkRuns, type Random } from '#test/random.ts';

const SEEDS = 40;
const STEPS = 120;
const PAGES = 7;
/**
 * Within this time every statement under way ends, and the process repairs its rows: the second one those of rooms that
 * somebody came back to this process for and didn't enter.
 */
const CALM_MS = 17_000;
/** Within this time a lost participant is gone, and so is a process that died. */
const LONG_CALM_MS = 45_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});
afterEach(() => vi.useRealTimers());

const channelOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}` as ChannelId;

/** A server that is restarted now and then, and its pages. Throws at the first violated rule. */
function createStage(random: Random) {
  const world: World = {
    ...{ rows: [], servers: new Map(), log: [], channels: new Map(), members: new Set(), ended: new Set() },
    ...{ messages: new Map(), failures: random.chance(0.5) ? 0 : 10, underWay: 0 },
  };
  let born = 0;
  let sessions = 0;
  let server: ServerProcess = startProcess(world, random);
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const faults: unknown[] = [];
  const inBackground = (work: Promise<unknown>) => void work.catch((error: unknown) => faults.push(error));

  const sessionOf = (n: number): Session => {
    sessions += 1;
    const userId = `user${n % 5}` as UserId;
    return {
      id: `session${sessions}`,
      userId,
      role: 'member',
      firstName: userId,
      displayName: userId,
    } as unknown as Session;
  };
  const pages = Array.from({ length: PAGES }, (_, n) => newPage(sessionOf(n), random.chance(0.8)));
  const act = createPages({ world, random, server: () => server, count, inBackground });
  const makeChannel = () => {
    const id = channelOf(born);
    born += 1;
    const channel: ChannelState = { id, name: `Canal ${id}`, rtcSession: id, talkMode: 'single', version: 1 };
    world.channels.set(id, channel);
    for (const { session } of pages) world.members.add(`${session.userId} ${id}`);
  };
  for (let n = 0; n < 3; n += 1) makeChannel();

  const renewals = setInterval(() => {
    for (const { socket, talks } of pages) {
      for (const [id, seq] of talks) {
        if (socket !== null) inBackground(server.floor.renew(id, socket.asSocket.data.participant.id, seq));
      }
    }
  }, FLOOR_RENEW_MS);

  const send = (channelId: ChannelId): void => {
    const number = ++born;
    const { channels, messages } = world;
    if (!channels.has(channelId)) return;
    inBackground(
      server.send(channelId, number).then((how) => {
        count(how);
        const times = messages.get(channelId)?.filter((one) => one === number).length ?? 0;
        check(times === (how === 'stored' ? 1 : 0), `[CHAT1] message ${number} is ${how}, and stored ${times} times`);
        if (how === 'refused')
          setTimeout(() => check(!messages.get(channelId)?.includes(number), `[CHAT1] ${number}`), 9_000);
      }),
    );
  };

  const remove = (userId: UserId, channelId: ChannelId): void => {
    world.members.delete(`${userId} ${channelId}`);
    inBackground(server.presence.follow([{ userId, channelId, isMember: false }]));
  };
  const deleteChannel = (channelId: ChannelId): void => {
    world.channels.delete(channelId);
    for (const row of world.rows) if (row.enteredRoom?.channelId === channelId) row.enteredRoom = null;
    inBackground(server.presence.closeRoom(channelId));
    makeChannel();
  };
  const restart = async (how: 'kill' | 'stop'): Promise<void> => {
    for (const page of pages) if (page.socket !== null) act.lose(page, 'transport close');
    if (how === 'kill') server.kill();
    else await Promise.all([server.stop(), vi.advanceTimersByTimeAsync(3_000)]);
    for (const page of pages) if (!page.canResume) page.rooms.clear();
    // The old process never answers what it had in hand.
    for (const page of pages) page.inHand = 0;
    server = startProcess(world, random);
    count(how);
  };

  async function step(): Promise<void> {
    await vi.advanceTimersByTimeAsync(random.below(random.chance(0.1) ? 8_000 : 600));
    const page = random.pick(pages) as Page;
    const channelId = random.pick([...world.channels.keys()]) as ChannelId;
    const own = random.pick([...page.rooms.keys()]);
    const what = random.below(100);
    if (page.socket === null) {
      if (what < 60) act.connect(page);
    } else if (what < 30) act.join(page, channelId, random.chance(0.7));
    else if (what < 38) {
      act.leave(page, page.socket, random.chance(0.8) ? own : undefined);
    } else if (what < 58) await act.press(page, own ?? channelId);
    else if (what < 66 && own !== undefined) {
      page.talks.delete(own);
      inBackground(server.floor.release(own, page.socket.asSocket.data.participant.id, ++page.seq));
    } else if (what < 76) send(own ?? channelId);
    else if (what < 88) act.lose(page, 'transport close');
    else if (what < 91) act.lose(page, 'client namespace disconnect');
    else if (what < 94) remove(page.session.userId, channelId);
    else if (what < 96) world.members.add(`${page.session.userId} ${channelId}`);
    else if (what < 97) deleteChannel(channelId);
    else if (what < 98) {
      server.endSession(page.session);
      act.lose(page, 'client namespace disconnect');
      Object.assign(page, { session: sessionOf(pages.indexOf(page)), token: null, self: null });
    } else await restart(random.chance(0.5) ? 'kill' : 'stop');
    if (faults.length > 0) throw faults[0];
  }

  /** While nothing new happens, pages, hosts and the table must agree on who is where. */
  async function checkAll(isLong: boolean): Promise<void> {
    // A leave that couldn't be stored is put right by the next repair, whenever it was.
    const ms = isLong || world.failures > 0 ? LONG_CALM_MS : CALM_MS;
    for (const { talks } of pages) talks.clear();
    await vi.advanceTimersByTimeAsync(ms);
    // A change in the table is told once its statement ends.
    while (world.underWay > 0) await vi.advanceTimersByTimeAsync(10);
    if (faults.length > 0) throw faults[0];
    for (const participant of server.participants.all()) {
      const { id, storedAs, socket, enteredRooms } = participant;
      // Its leave is being stored.
      if (participant.isOver && ms < LONG_CALM_MS) continue;
      check(socket !== null || ms < LONG_CALM_MS, `[PRES30] ${id} is lost for longer than ${RESUME_MS} ms`);
      const stored = world.rows
        .filter((row) => row.id === storedAs)
        .flatMap(({ enteredRoom }) => enteredRoom?.channelId ?? []);
      check(
        stored.toSorted().join() === [...enteredRooms.keys()].toSorted().join(),
        `[PRES12] the rows of ${id} are others: ${stored} for ${[...enteredRooms.keys()]}`,
      );
      for (const channelId of enteredRooms.keys()) {
        check(server.hosts.find(channelId)?.participants.has(participant) === true, `${id} is unknown to its host`);
      }
    }
    for (const channelId of world.channels.keys()) {
      const host = server.hosts.find(channelId);
      check(host === null || host.participants.size > 0, `the host of an empty room stays`);
      for (const participant of host?.participants ?? []) {
        check(server.participants.find(participant.id) === participant, `${participant.id} is a ghost in a room`);
      }
    }
    for (const page of pages) {
      const participant = page.socket?.asSocket.data.participant;
      if (page.socket === null || page.socket.isDropped() || participant === undefined) continue;
      check(
        [...page.rooms.keys()].toSorted().join() === [...participant.enteredRooms.keys()].toSorted().join(),
        `[PRES28] ${participant.id} is in ${[...participant.enteredRooms.keys()]}, not ${[...page.rooms.keys()]}`,
      );
      for (const [channelId, { people, early, floor }] of page.rooms) {
        check(early === null, 'a join has no answer');
        const here = [...(server.hosts.find(channelId)?.participants ?? [])].map(
          (one) => `${one.id} ${one.socket === null}`,
        );
        const stale =
          ms < LONG_CALM_MS
            ? world.rows
                .filter(
                  ({ enteredRoom, id }) =>
                    enteredRoom?.channelId === channelId && server.participants.find(id) === null,
                )
                .map(({ id }) => `${id} false`)
            : [];
        const seen = [...people].map(([id, isSilent]) => `${id} ${isSilent}`);
        check(
          seen.toSorted().join() === [...here, ...stale].toSorted().join(),
          `[PRES8] ${participant.id} sees ${seen}, there are ${here} and ${stale}`,
        );
        const now = await server.floor.newsSince(channelId, -1);
        check(now !== null && floor?.version === now.version, `[TALK24] ${participant.id} has another floor`);
      }
    }
  }

  async function end(): Promise<void> {
    for (const page of pages) act.lose(page, 'client namespace disconnect');
    await checkAll(true);
    check([...server.participants.all()].length === 0 && world.rows.length === 0, 'somebody stays behind');
    clearInterval(renewals);
    await server.stop();
    if (world.failures > 0) return;
    const inside = new Set<string>();
    for (const line of world.log) {
      const [sign, who] = [line[0], line.slice(2)];
      check(
        inside.has(who) === (sign === '-'),
        `[PRES11] the log says ${line} ${sign === '+' ? 'twice' : 'without an entrance'}`,
      );
      if (sign === '+') inside.add(who);
      else inside.delete(who);
    }
    const left = [...inside].filter((who) => world.channels.has(who.slice(-36) as ChannelId));
    check(left.length === 0, `[PRES11] the log has no leave of ${left}`);
  }

  return { step, checkAll, end, counts };
}

it('[PRES5] [PRES8] [PRES28] [PRES30] [PRES31] [CHAT1] holds whatever happens, in whatever order', async () => {
  const total: Record<string, number> = {};
  await checkRuns({ runs: SEEDS, steps: STEPS }, async (random, steps) => {
    vi.clearAllTimers();
    const stage = createStage(random);
    for (const step of steps) {
      await stage.step();
      if (step % 40 === 0) await stage.checkAll(random.chance(0.5));
    }
    await stage.end();
    for (const [what, times] of Object.entries(stage.counts)) total[what] = (total[what] ?? 0) + times;
  });
  for (const what of ['resumed', 'granted', 'stored', 'refused', 'kill', 'stop', 'not_a_member', 'too_many']) {
    expect([what, (total[what] ?? 0) > 0]).toEqual([what, true]);
  }
}, 120_000);
