import { getChannelMessages, getUnreadCounts, searchMessages } from '@pressel/contract/chat';
import { createApi } from '@pressel/e2e/harness/api';
import { spreadOf } from './crowd.ts';
import { LONG_CHANNEL, startLargeTeam } from './large-team.ts';
import { percentile, type Verdict } from './report.ts';

const MESSAGES = 100_000;
const SIZE = { users: 200, channels: 20, memberships: 2_000, activities: 1_000, messages: MESSAGES };
/** One user may read a hundred and twenty pages in twenty seconds, and search thirty times in fifteen. */
const TURNS = 25;
const SEARCH_TURNS = 8;
const WARM_UPS = 2;
const LIMIT_PAGE_MS = 50;
/** A search for a text that occurs nowhere looks through all of them. */
const LIMIT_SEARCH_MS = 200;

/** Pages of a long channel, as an administrator reads them over HTTP. */
export async function measureHistory(): Promise<{ figures: Record<string, unknown>; verdicts: Verdict[] }> {
  const team = await startLargeTeam(SIZE);
  try {
    const api = createApi(team.origin);
    const channelId = LONG_CHANNEL;
    const page = (query: object) => () => api.call(getChannelMessages, { channelId, ...query }, team.admin.token);
    const search = (text: string) => () => api.call(searchMessages, { channelId, text }, team.admin.token);
    const questions = {
      'newest page': page({}),
      'page in the middle': page({ before: MESSAGES / 2 }),
      'first page': page({ after: 0 }),
      'page around one': page({ around: Math.floor(MESSAGES / 3) }),
      'unread counts': () => api.call(getUnreadCounts, {}, team.admin.token),
      'search of a frequent text': search('véhicule'),
      'search of a rare text': search('numéro 7 :'),
      'search of a text that occurs nowhere': search('introuvable'),
    };
    const figures: Record<string, unknown> = {};
    const verdicts: Verdict[] = [];
    for (const [name, ask] of Object.entries(questions)) {
      const isSearch = name.startsWith('search');
      const durations = await timesOf(ask, isSearch ? SEARCH_TURNS : TURNS);
      figures[name] = spreadOf(durations);
      verdicts.push({
        what: `${name}, p95, of ${MESSAGES} messages`,
        value: percentile(durations, 0.95),
        limit: isSearch ? LIMIT_SEARCH_MS : LIMIT_PAGE_MS,
        unit: 'ms',
      });
    }
    return { figures, verdicts };
  } finally {
    await team.close();
  }
}

async function timesOf(ask: () => Promise<unknown>, turns: number): Promise<number[]> {
  for (let turn = 0; turn < WARM_UPS; turn += 1) await ask();
  const durations: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = performance.now();
    await ask();
    durations.push(performance.now() - begun);
  }
  return durations;
}
