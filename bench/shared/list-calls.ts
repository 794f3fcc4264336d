import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import type { LargeTeam, TeamSize } from './large-team.ts';
import { percentile, round, type Verdict } from './report.ts';

/** A call may take this many times what its statements take alone. */
const LIMIT_RATIO = 1.5;
/** The time that HTTP, JSON and the look at the session take for any question: more than half of a query of 3 ms. */
const FIXED_MS = 5;
/** Turns of each question before any is measured: the bench `start` measures a server that still compiles its code. */
const WARM_UPS = 20;
const PAGE = 25;

/** p50 and p95 in ms. `bytes`: of the answer's body. */
export interface ListFigures {
  callMs: { p50: number; p95: number };
  bareMs: { p50: number; p95: number };
  ratioP95: number;
  bytes: number;
  rows: number;
  total: number;
}

export interface Question {
  name: string;
  /** The request, for a page that asks by itself. */
  request: { path: string; body: string };
  ask: (team: LargeTeam) => Promise<{ ms: number; bytes: number; rows: number; total: number }>;
}

const question = <C extends Call>(name: string, call: C, body: CallInput<C>): Question => ({
  name,
  request: { path: call.path, body: JSON.stringify(body) },
  async ask({ origin, admin }) {
    const begun = performance.now();
    const response = await fetch(`${origin}${call.path}`, {
      method: call.method,
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: admin.token },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const ms = performance.now() - begun;
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
    const { res, totalRecords }: { res: unknown[]; totalRecords: number } = JSON.parse(text);
    return { ms, bytes: Buffer.byteLength(text), rows: res.length, total: totalRecords };
  },
});

export const questions = ({ users, channels }: TeamSize): Question[] => {
  const shown = { language: 'fr', timeZone: 'Europe/Paris' } as const;
  const first = { start: 0, limit: PAGE };
  return [
    question('users: first page', getAllUsers, first),
    question('users: filtered by a name', getAllUsers, { ...first, ...shown, filter: 'garcon 1' }),
    question('users: filtered by the words of the last activity and the state', getAllUsers, {
      ...first,
      ...shown,
      filter: 'en',
      activityTypes: ['position_update', 'message_send', 'image_send'],
      states: ['online'],
    }),
    question('users: by state', getAllUsers, { ...first, sort: 'state' }),
    question('users: filtered by a date', getAllUsers, { ...first, ...shown, filter: '12 mars 2025' }),
    question('users: by pseudo, descending', getAllUsers, { ...first, sort: 'pseudo', order: 'desc' }),
    question('users: by last activity', getAllUsers, { ...first, sort: 'lastActivity', order: 'desc' }),
    question('users: filtered, by last activity, a deep page', getAllUsers, {
      start: users / 10,
      limit: PAGE,
      filter: '2',
      sort: 'lastActivity',
      order: 'desc',
    }),
    question('users: a deep page', getAllUsers, { start: users - 2 * PAGE, limit: PAGE }),
    question('channels: first page', getAllChannels, first),
    question('channels: filtered by a name', getAllChannels, { ...first, ...shown, filter: 'canal 12' }),
    question('channels: by members', getAllChannels, { ...first, sort: 'users', order: 'desc' }),
    question('channels: a deep page', getAllChannels, { start: channels - 2 * PAGE, limit: PAGE }),
  ];
};

/** Measures the calls of the lists, one after the other and each beside its own statements alone, in turns. */
export async function measureListCalls(
  team: LargeTeam,
  size: TeamSize,
  rounds: number,
): Promise<{ figures: Record<string, ListFigures>; verdicts: Verdict[] }> {
  const figures: Record<string, ListFigures> = {};
  const verdicts: Verdict[] = [];
  const asked = questions(size);
  for (let turn = 0; turn < WARM_UPS; turn += 1) for (const { ask } of asked) await ask(team);
  for (const { name, ask } of asked) {
    await team.recall();
    const { bytes, rows, total } = await ask(team);
    const calls: number[] = [];
    const bares: number[] = [];
    // Each call is kept as well, so that the bare statements are always those of the call just before.
    for (let turn = 0; turn < rounds; turn += 1) {
      await team.recall();
      calls.push((await ask(team)).ms);
      bares.push((await team.bare()).ms);
    }
    const ratio = percentile(calls, 0.95) / percentile(bares, 0.95);
    figures[name] = { callMs: spreadOf(calls), bareMs: spreadOf(bares), ratioP95: round(ratio), bytes, rows, total };
    console.log(name, JSON.stringify(figures[name]));
    const [call, bare] = [percentile(calls, 0.95), percentile(bares, 0.95)];
    verdicts.push(
      call - bare > FIXED_MS
        ? { what: `${name}, p95 of call to bare statements`, value: ratio, limit: LIMIT_RATIO, unit: 'times' }
        : {
            what: `${name}, p95 of call beyond bare statements (${round(ratio)} times)`,
            value: call - bare,
            limit: FIXED_MS,
            unit: 'ms',
          },
    );
  }
  return { figures, verdicts };
}

const spreadOf = (values: readonly number[]) => ({
  p50: round(percentile(values, 0.5)),
  p95: round(percentile(values, 0.95)),
});
