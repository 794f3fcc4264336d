/**
 * Measures how a client that asks without pause affects others: somebody else's requests of the floor and two calls, in turns calm and
 * while that client is at work. Server and clients share the machine. So each figure under load is held against the calm one just before,
 * and the median of the rounds counts. The team is a large one. Also: how long the lists of the whole team hold the server's event loop in
 * one go, and how an office behind one address opens the console for the first time. Fewer rounds: `npm run bench -- bystander 1`. Some of
 * the calls alone, whose figures are not stored: `npm run bench -- bystander 3 getAllChannels`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { getServerInfo } from '@pressel/contract/auth';
import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import { getAllChannels } from '@pressel/contract/channels';
import { getDashboard } from '@pressel/contract/dashboard';
import { getListUsersToExport } from '@pressel/contract/transfer';
import { getAllUsers, getUserById, updateUserData } from '@pressel/contract/users';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { enterFloor, type FloorClient } from '../shared/floor-client.ts';
import { type Answers, beGreedy, openTogether, type Question } from '../shared/greedy.ts';
import { startLargeTeam } from '../shared/large-team.ts';
import { conclude, median, percentile, round, tell, type Verdict } from '../shared/report.ts';

const [rounds = 3] = process.argv.slice(2, 3).map(Number);
const chosen = process.argv.slice(3);
const isWhole = chosen.length === 0;
const isChosen = ([name]: readonly [string, unknown]): boolean => isWhole || chosen.includes(name);
const SIZE = { users: 10_000, channels: 1_000, memberships: 100_000, activities: 100_000 };
const CALM_MS = 6_000;
const BUSY_MS = 12_000;
const MEMBER_AT_ONCE = 50;
const ANONYMOUS_AT_ONCE = 64;
/** The server answers a request of the floor within this, whatever others do, ms. */
const LIMIT_FLOOR_MS = 50;
/** Work of one call in one go, ms of processor time. */
const LIMIT_HELD_MS = 20;
const WHOLE_LISTS = { getAllUsers, getAllChannels, getListUsersToExport };
const WHOLE_LIST_TURNS = 3;
/** All users with their channels are 13 MB here: after this time the points for them are back. */
const REFILL_MS = 5_500;
/** A call's p95 may become so many times its calm one. */
const LIMIT_RATIO = 2;
/** Ten presses a second are what the server takes of one socket. */
const PRESS_EVERY_MS = 120;
/** Measured with the built console: the files of the first screen, and those that the service worker fetches after it. */
const OFFICE = { people: 200, first: 14, later: 134 };
const LIMIT_FIRST_SCREEN_MS = 10_000;

interface Noticed {
  floor: number[];
  own: number[];
  list: number[];
}
type P95 = Record<keyof Noticed, number>;

const json = { 'content-type': 'application/json' };
const team = await startLargeTeam(SIZE, 'with');
try {
  const api = createApi(team.origin);
  const talker = await api.person('Talker', team.admin.token);
  // Each round has a new one, who has spent nothing yet.
  const greedy: Person[] = [];
  for (let index = 0; index < rounds; index += 1) greedy.push(await api.person(`Greedy${index}`, team.admin.token));
  const channel = await api.channel(team.admin, 'Nord', [talker, ...greedy]);
  // The greedy are in fifty channels of a hundred, the talker is in ten, like everybody else.
  await team.time(`insert into channel_members (channel_id, user_id) select c.id, u.id from
    (select id, row_number() over (order by id) as n from channels where name like 'Canal %') c,
    (select id, first_name from users where last_name = 'Martin') u
    where c.n <= case when u.first_name = 'Talker' then 10 else 50 end on conflict do nothing`);
  await team.time('vacuum analyze');
  const watch = { holders: new Set<FloorClient>(), violations: 0, releasedAt: 0 };
  const presser = await enterFloor(team.origin, talker.token, channel.rtcSession, watch, () => undefined);

  const callOf = <C extends Call>(call: C, body: CallInput<C>, token: string): Question => ({
    method: call.method,
    path: call.path,
    headers: { ...json, [TOKEN_HEADER]: token },
    body: JSON.stringify(body),
  });
  const fileOf =
    (path: string, method = 'GET') =>
    (): Question => ({
      method,
      path,
      headers: { 'accept-encoding': 'br' },
    });
  const ofMembers: Record<string, (person: Person) => Question> = {
    getDashboard: ({ token }) => callOf(getDashboard, {}, token),
    getAllChannels: ({ token }) => callOf(getAllChannels, {}, token),
    getUserById: ({ id, token }) => callOf(getUserById, { userId: id }, token),
    updateUserData: ({ id, token }) =>
      callOf(updateUserData, { id, firstName: 'Camille', lastName: 'Martin', pseudo: 'CAM' }, token),
  };
  const ofAnybody: Record<string, () => Question> = {
    serverInfo: fileOf(getServerInfo.path),
    'the page': fileOf('/signin'),
    'HEAD /favicon.svg': fileOf('/favicon.svg', 'HEAD'),
    '/docs': fileOf('/docs'),
    '/healthz': fileOf('/healthz'),
    'an unknown token': () => callOf(getUserById, { userId: talker.id }, 'x'.repeat(43)),
  };

  const ask = async (call: Call, body: object, { token }: { token: string } = talker): Promise<number> => {
    const begun = performance.now();
    const response = await fetch(`${team.origin}${call.path}`, {
      method: call.method,
      headers: { ...json, [TOKEN_HEADER]: token },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${call.path} answered ${response.status}`);
    return performance.now() - begun;
  };
  /** The waiting times of somebody who presses, and makes two calls, now and then. */
  const notice = async (ms: number): Promise<P95> => {
    const noticed: Noticed = { floor: [], own: [], list: [] };
    const end = performance.now() + ms;
    const press = async () => {
      while (performance.now() < end) {
        noticed.floor.push((await presser.press(false)).answerMs);
        await presser.release();
        await sleep(PRESS_EVERY_MS);
      }
    };
    const look = async () => {
      while (performance.now() < end) {
        noticed.own.push(await ask(getUserById, { userId: talker.id }));
        await sleep(PRESS_EVERY_MS / 2);
        noticed.list.push(await ask(getAllChannels, { start: 0, limit: 25 }));
        await sleep(PRESS_EVERY_MS / 2);
      }
    };
    await Promise.all([press(), look()]);
    const p95 = (values: number[]) => percentile(values, 0.95);
    return { floor: p95(noticed.floor), own: p95(noticed.own), list: p95(noticed.list) };
  };

  const figures: Record<string, unknown> = {};
  const verdicts: Verdict[] = [];
  const measure = async (name: string, atOnce: number, questionOf: (person: Person) => Question) => {
    const calm: P95[] = [];
    const busy: P95[] = [];
    const answers: Answers[] = [];
    for (const person of greedy) {
      // The allowances refill during this time.
      calm.push(await notice(CALM_MS));
      const stop = beGreedy(team.origin, questionOf(person), atOnce);
      busy.push(await notice(BUSY_MS));
      answers.push(await stop());
    }
    const of = (what: keyof P95) => ({
      calm: calm.map((one) => round(one[what])),
      busy: busy.map((one) => round(one[what])),
    });
    const ratio = (what: keyof P95) =>
      median(busy.map((one, index) => one[what] / (calm[index]?.[what] ?? Number.NaN)));
    figures[name] = { answers, floorMs: of('floor'), ownDataMs: of('own'), channelsMs: of('list') };
    console.log(name, JSON.stringify(figures[name]));
    verdicts.push(
      {
        what: `${name}: request of the floor, p95`,
        value: median(busy.map(({ floor }) => floor)),
        limit: LIMIT_FLOOR_MS,
        unit: 'ms',
      },
      { what: `${name}: somebody's own data, p95 to calm`, value: ratio('own'), limit: LIMIT_RATIO, unit: 'times' },
      { what: `${name}: a page of channels, p95 to calm`, value: ratio('list'), limit: LIMIT_RATIO, unit: 'times' },
    );
  };
  const measureLists = async () => {
    for (const [name, call] of Object.entries(WHOLE_LISTS)) {
      await ask(call, {}, team.admin);
      const heldMs: number[] = [];
      for (let turn = 0; turn < WHOLE_LIST_TURNS; turn += 1) {
        await sleep(REFILL_MS);
        await team.held();
        await ask(call, {}, team.admin);
        heldMs.push(await team.held());
      }
      figures[`${name} {}`] = { heldMs: heldMs.map(round) };
      console.log(name, JSON.stringify(figures[`${name} {}`]));
      verdicts.push({
        what: `${name} {} of the whole team: longest work in one go`,
        value: Math.max(...heldMs),
        limit: LIMIT_HELD_MS,
        unit: 'ms',
      });
    }
  };
  const measureOffice = async () => {
    await sleep(CALM_MS);
    const { answers, firstScreenMs, allMs } = await openTogether(team.origin, OFFICE);
    const { 200: served = 0, ...refused } = answers;
    figures.office = { ...OFFICE, served, refused, firstScreenMs: spreadOf(firstScreenMs), allMs: spreadOf(allMs) };
    console.log('an office', JSON.stringify(figures.office));
    verdicts.push(
      {
        what: `requests refused of ${OFFICE.people} people who open the console at once behind one address`,
        value: OFFICE.people * (OFFICE.first + OFFICE.later) - served,
        limit: 0,
        unit: 'requests',
      },
      {
        what: 'the last of them has the first screen',
        value: Math.max(...firstScreenMs),
        limit: LIMIT_FIRST_SCREEN_MS,
        unit: 'ms',
      },
    );
  };
  if (isWhole) await measureLists();
  await notice(CALM_MS);
  for (const [name, questionOf] of Object.entries(ofMembers).filter(isChosen)) {
    await measure(`${MEMBER_AT_ONCE} at a time of a member, ${name}`, MEMBER_AT_ONCE, questionOf);
  }
  for (const [name, question] of Object.entries(ofAnybody).filter(isChosen)) {
    await measure(`${ANONYMOUS_AT_ONCE} at a time of nobody, ${name}`, ANONYMOUS_AT_ONCE, question);
  }
  if (isWhole) await measureOffice();
  presser.close();
  if (isWhole) conclude('bystander', { size: SIZE, rounds, figures }, verdicts);
  else tell(verdicts);
} finally {
  await team.close();
}

function spreadOf(durations: readonly number[]) {
  return { p50: round(percentile(durations, 0.5)), max: round(percentile(durations, 1)) };
}
