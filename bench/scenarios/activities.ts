/**
 * The activity log with a million entries. Each figure stands beside a bare one of the same run. The statements of a page stand beside bare
 * queries for the same answer: its 21 rows and the exact total, by the table's own indexes. The call over HTTP stands beside the newest 21
 * rows alone. Also: what an entry costs whoever makes it. Fewer turns: `npm run bench -- activities 20`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActivityFilter, getAllActivities } from '@pressel/contract/activities';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { startLargeTeam } from '../shared/large-team.ts';
import { conclude, percentile, round, type Verdict } from '../shared/report.ts';

const [turns = 120] = process.argv.slice(2).map(Number);
const SIZE = { users: 10_000, channels: 1_000, memberships: 100_000, activities: 1_000_000 };
/** Limit beside the bare queries. A call may also take what HTTP, JSON and the look at the session take for any question, ms. */
const LIMIT_RATIO = 1.5;
const FIXED_MS = 5;
/** Turns of each question before anything is measured. */
const WARM_UPS = 40;
const PAGE = 21;
const ORDER = 'order by created_at desc nulls last, id desc nulls last';
const BARE = `select * from activities ${ORDER} limit ${PAGE}`;
/** How long bare queries for the same answer are repeated, ms: some skip and count a million rows. */
const SAME_ANSWER_MS = 4_000;

const team = await startLargeTeam(SIZE);
try {
  for (let left = 1; left > 0; ) {
    await sleep(1_000);
    const { rows } = await team.time<{ n: number }>('select count(*)::int as n from activity_deltas');
    left = rows[0]?.n ?? 0;
  }
  await team.time('vacuum analyze');
  const { rows } = await team.time<{ id: string; name: string; at: Date }>(
    'select user_id as id, user_first_name as name, created_at as at from activities order by created_at offset 500000 limit 1',
  );
  const [middle] = rows;
  if (middle === undefined) throw new Error('The log is empty');
  const { rows: found } = await team.time<{ channel: string; target: string }>(
    `select (select channel_id from activities where channel_id is not null limit 1) as channel,
      (select target_id from activities where target_id is not null limit 1) as target`,
  );
  const [{ channel, target } = { channel: '', target: '' }] = found;
  const at = new Date(middle.at).toISOString();
  const named = `user_id in (select id from activity_names where kind = 'user' and name ilike '%${middle.name}%')`;
  /** The questions, each with the condition of a bare query for the same answer. */
  const questions: [string, ActivityFilter & { start?: number }, string][] = [
    ['first page', { scope: 'all' }, 'true'],
    ['middle page', { scope: 'all', start: 500_000 }, 'true'],
    ['page 40,000', { scope: 'all', start: 39_999 * PAGE }, 'true'],
    ['last page', { scope: 'all', start: SIZE.activities - PAGE }, 'true'],
    ['as the specification, page 40,000', { start: 39_999 * PAGE }, 'not is_audit'],
    ['one type', { types: ['channel_talk'] }, `type = 'channel_talk'`],
    ['one type, deep', { types: ['channel_talk'], start: 300_000 }, `type = 'channel_talk'`],
    [
      'three types',
      { types: ['login', 'logout', 'message_send'] },
      `type = any(array['login', 'logout', 'message_send'])`,
    ],
    ['for auditors', { scope: 'audit' }, 'is_audit'],
    ['one user', { scope: 'all', userId: middle.id as never }, `user_id = '${middle.id}'`],
    ['one channel', { scope: 'all', channelId: channel as never }, `channel_id = '${channel}'`],
    ['one target', { scope: 'all', targetId: target as never }, `target_id = '${target}'`],
    ['until a moment', { scope: 'all', to: at }, `created_at < '${at}'`],
    ['from a moment, deep', { scope: 'all', from: at, start: 400_000 }, `created_at >= '${at}'`],
    ['a text', { scope: 'all', text: middle.name }, named],
  ];
  /** Asks for the rows of a page and the total number, by no more than two queries. */
  const askBare = async (where: string, start = 0) => {
    const page = await team.time(`select * from activities where ${where} ${ORDER} offset ${start} limit ${PAGE}`);
    const count = await team.time<{ n: number }>(`select count(*)::int as n from activities where ${where}`);
    return { ms: page.ms + count.ms, total: count.rows[0]?.n };
  };
  const callBare = async (): Promise<number> => {
    const begun = performance.now();
    const response = await fetch(team.bareOrigin, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: BARE }),
    });
    await response.json();
    return performance.now() - begun;
  };
  const figures: Record<string, object> = {};
  const verdicts: Verdict[] = [];
  const ask = async (body: ActivityFilter & { start?: number }) => {
    const begun = performance.now();
    const response = await fetch(`${team.origin}${getAllActivities.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: team.admin.token },
      body: JSON.stringify({ limit: PAGE, ...body }),
    });
    const { res } = (await response.json()) as { res: { totalRecords: number } };
    return { ms: performance.now() - begun, total: res.totalRecords };
  };
  // A server that has just started compiles its code while it answers: the bench `start` measures that.
  for (let turn = 0; turn < WARM_UPS; turn += 1) {
    for (const [, body] of questions) await ask(body);
    await callBare();
  }
  for (const [name, body, where] of questions) {
    const calls: number[] = [];
    const bareCalls: number[] = [];
    const own: number[] = [];
    const bares: number[] = [];
    const same: number[] = [];
    let asked = 0;
    let total = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      await team.recall();
      const answer = await ask(body);
      calls.push(answer.ms);
      total = answer.total;
      own.push((await team.bare()).ms);
      bares.push((await team.time(BARE)).ms);
      bareCalls.push(await callBare());
      if (asked > SAME_ANSWER_MS) continue;
      // This is in the same turn, so that the machine's other work and its caches are the same for both.
      const bare = await askBare(where, body.start);
      if (bare.total !== total) throw new Error(`${name}: ${total} entries, ${bare.total} by the bare query`);
      same.push(bare.ms);
      asked += bare.ms;
    }
    const at95 = (list: number[]) => percentile(list, 0.95);
    const p95 = { call: at95(calls), own: at95(own), bare: at95(bares), same: at95(same) };
    figures[name] = {
      ...{ callMs: round(p95.call), statementsMs: round(p95.own), sameAnswerMs: round(p95.same), total },
      ...{ bareMs: round(p95.bare), statementsP50Ms: round(percentile(own, 0.5)) },
      sameAnswerP50Ms: round(percentile(same, 0.5)),
      // The machine's other work shows in all of them.
      ...{ callP50Ms: round(percentile(calls, 0.5)), bareCallMs: round(at95(bareCalls)) },
      ...{ bareCallP50Ms: round(percentile(bareCalls, 0.5)) },
    };
    process.stdout.write(`${name}: ${JSON.stringify(figures[name])}\n`);
    verdicts.push({
      what: `${name}: p95 of the statements, beside bare queries for the same answer`,
      value: p95.own,
      limit: round(LIMIT_RATIO * p95.same),
      unit: 'ms',
    });
    verdicts.push({
      what: `${name}: p95 of the call`,
      value: p95.call,
      limit: round(LIMIT_RATIO * p95.bare + FIXED_MS),
      unit: 'ms',
    });
  }
  const insert = (
    n: number,
  ) => `insert into activities (id, type, user_id, user_first_name, user_display_name, created_at)
    select gen_random_uuid(), 'login', '${middle.id}', 'A', 'A', now() from generate_series(1, ${n})`;
  const single: number[] = [];
  for (let turn = 0; turn < turns * 5; turn += 1) single.push((await team.time(insert(1))).ms);
  const thousand = (await team.time(insert(1_000))).ms;
  const inserts = {
    oneP50Ms: round(percentile(single, 0.5)),
    oneP95Ms: round(percentile(single, 0.95)),
    thousandMs: round(thousand),
  };
  process.stdout.write(`${JSON.stringify(inserts)}\n`);
  conclude('activities', { size: SIZE, turns, figures, inserts }, verdicts);
} finally {
  await team.close();
}
