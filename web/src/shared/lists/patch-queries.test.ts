import { type ChannelId, participantId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { User } from '@pressel/contract/users';
import { focusManager, notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { createQueryClient } from '#src/shared/queries.tsx';
import { channelOf, sampleId, userOf } from '#test/samples.ts';
import {
  createQueryPatcher,
  patchChannel,
  patchChannels,
  patchMembers,
  patchTalkers,
  patchUsers,
} from './patch-queries.ts';

let queries: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
});
afterEach(() => {
  queries.clear();
  vi.useRealTimers();
});

const plus = (by: number) => (data: number) => data + by;

test('changes what was read under a key and those that begin with it, and reads nothing', async () => {
  const read = vi.fn(async () => 1);
  for (const queryKey of [['a', 1], ['a', 2], ['b']]) await queries.fetchQuery({ queryKey, queryFn: read });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(10));
  await vi.advanceTimersByTimeAsync(5_000);
  expect([['a', 1], ['a', 2], ['b']].map((key) => queries.getQueryData(key))).toEqual([11, 11, 1]);
  expect(read).toHaveBeenCalledTimes(3);
  patcher.close();
});

test('a list that is due to be read again stays so', async () => {
  await queries.fetchQuery({ queryKey: ['a'], queryFn: async () => 1 });
  await queries.invalidateQueries({ queryKey: ['a'] });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(1));
  expect(queries.getQueryState(['a'])).toMatchObject({ data: 2, isInvalidated: true });
  patcher.close();
});

/** Opens a list whose answers come when the test says so. */
const open = () => {
  const answers: PromiseWithResolvers<number>[] = [];
  const queryFn = () => {
    const answer = Promise.withResolvers<number>();
    answers.push(answer);
    return answer.promise;
  };
  const seen: (number | undefined)[] = [];
  const observer = new QueryObserver(queries, { queryKey: ['a'], queryFn });
  // Subscribes as React's hook does.
  const stop = observer.subscribe(notifyManager.batchCalls(() => void seen.push(observer.getCurrentResult().data)));
  const patcher = createQueryPatcher(queries);
  const settle = () => vi.advanceTimersByTimeAsync(5_000);
  const end = () => {
    stop();
    patcher.close();
  };
  return { answers, seen, patcher, settle, end };
};
const set = (to: number) => () => to;

test.each(['first', 'later'])(
  '[PRES24] a %s answer shows all news since it was asked for, in their order, and is the last',
  async (which) => {
    const { answers, seen, patcher, settle, end } = open();
    if (which === 'later') {
      answers[0]?.resolve(0);
      await settle();
      void queries.invalidateQueries({ queryKey: ['a'] });
    }
    patcher.patch<number>(['a'], plus(1));
    patcher.patch<number>(['a'], (data) => data * 10);
    seen.length = 0;
    answers.at(-1)?.resolve(5);
    await settle();
    expect(queries.getQueryData(['a'])).toBe(60);
    expect(
      seen.filter((data) => data !== 60),
      'what is older is never shown',
    ).toEqual([]);
    expect(answers).toHaveLength(which === 'later' ? 2 : 1);
    patcher.patch<number>(['a'], plus(1));
    expect(queries.getQueryData(['a'])).toBe(61);
    end();
  },
);

test('[PRES24] news of what is being read are shown at once where it was read before', async () => {
  const { answers, patcher, settle, end } = open();
  answers[0]?.resolve(1);
  await settle();
  void queries.invalidateQueries({ queryKey: ['a'] });
  patcher.patch<number>(['a'], set(7));
  expect(queries.getQueryData(['a'])).toBe(7);
  answers[1]?.resolve(1);
  await settle();
  expect(queries.getQueryData(['a'])).toBe(7);
  end();
});

test('[PRES24] what could not be read, or was given up, is read again for its news', async () => {
  const { answers, patcher, settle, end } = open();
  answers[0]?.resolve(1);
  await settle();
  for (const giveUp of [
    () => answers.at(-1)?.reject(new Error('gone')),
    () => queries.cancelQueries({ queryKey: ['a'] }),
  ]) {
    const before = answers.length;
    void queries.invalidateQueries({ queryKey: ['a'] });
    patcher.patch<number>(['a'], set(7));
    await giveUp();
    await settle();
    expect(answers).toHaveLength(before + 2);
    answers.at(-1)?.resolve(before);
    await settle();
    expect(queries.getQueryData(['a']), 'by what was read after the news').toBe(before);
  }
  end();
});

test('[PRES24] a first answer that is to be read again shows its news too, and is read once more', async () => {
  queries = createQueryClient();
  const { answers, seen, patcher, settle, end } = open();
  void queries.invalidateQueries({ queryKey: ['a'] });
  patcher.patch<number>(['a'], set(7));
  answers[0]?.resolve(1);
  await settle();
  expect([seen.filter((data) => data === 1), queries.getQueryData(['a'])]).toEqual([[], 7]);
  answers[1]?.resolve(8);
  await settle();
  expect([queries.getQueryData(['a']), answers.length]).toEqual([8, 2]);
  end();
});

test('[PRES24] two who change one list change the same answer, and it is read once', async () => {
  const { answers, patcher, settle, end } = open();
  const other = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(1));
  other.patch<number>(['a'], plus(10));
  answers[0]?.resolve(5);
  await settle();
  expect([queries.getQueryData(['a']), answers.length]).toEqual([16, 1]);
  other.close();
  end();
});

test('[PRES24] what waits to be asked for once more keeps none of the news until then', async () => {
  queries = createQueryClient();
  const { answers, patcher, settle, end } = open();
  focusManager.setFocused(false);
  patcher.patch<number>(['a'], set(7));
  answers[0]?.reject(new ApiError('unreachable'));
  await settle();
  expect(queries.getQueryState(['a'])?.fetchStatus).toBe('paused');
  const patch = vi.fn(set(7));
  for (let news = 0; news < 1_000; news += 1) patcher.patch<number>(['a'], patch);
  focusManager.setFocused(undefined);
  queries.getQueryCache().onFocus();
  await settle();
  answers[1]?.resolve(8);
  await settle();
  expect([queries.getQueryData(['a']), answers.length, patch.mock.calls.length]).toEqual([8, 2, 0]);
  end();
});

test('[PRES24] news that never cease keep no list from being read, however slow the link', async () => {
  const { answers, patcher, settle, end } = open();
  answers[0]?.resolve(0);
  await settle();
  let answered = 1;
  for (let turn = 1; turn <= 40; turn += 1) {
    patcher.patch<number>(
      ['a'],
      (data) => data,
      () => true,
    );
    await vi.advanceTimersByTimeAsync(300);
    // Each takes 1.2 s.
    if (turn % 4 === 0 && answers.length > answered) answers[answered++]?.resolve(turn);
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(queries.getQueryData(['a'])).toBeGreaterThanOrEqual(36);
  answers.at(-1)?.resolve(99);
  await settle();
  answers.at(-1)?.resolve(100);
  await settle();
  expect(queries.getQueryData(['a'])).toBe(100);
  expect(answers.length).toBeLessThanOrEqual(13);
  end();
});

test('a list that is being read and may have other rows by the news is read again when it is there', async () => {
  const { answers, patcher, settle, end } = open();
  patcher.patch<number>(['a'], set(7), () => true);
  await settle();
  expect(answers).toHaveLength(1);
  answers[0]?.resolve(1);
  await settle();
  expect(answers).toHaveLength(2);
  answers[1]?.resolve(2);
  await settle();
  expect([queries.getQueryData(['a']), answers.length]).toEqual([2, 2]);
  end();
});

test('a list that may have other rows by the news is read again', async () => {
  await queries.fetchQuery({ queryKey: ['a'], queryFn: async () => 1 });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(
    ['a'],
    (data) => data,
    () => true,
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queries.getQueryState(['a'])?.isInvalidated).toBe(true);
  patcher.close();
});

const NOW = '2026-11-26T04:00:00.000Z';
const nord = sampleId(101) as ChannelId;
const sud = sampleId(102) as ChannelId;
const lea = userOf(1, 'Léa', 'Martin');
const hugo = userOf(2, 'Hugo', 'Bernard');
const socketOf = ({ id }: User, channelId: ChannelId | null) => ({
  userId: id,
  channelId,
  socket_id: participantId.parse(`${id.slice(-3)} ${channelId?.slice(-3)}`),
});
const news = (part: Partial<StatusNews>): StatusNews => ({ channelId: null, users: [], rooms: [], ...part });
const isIn = (user: User, ...channelIds: (ChannelId | null)[]) => ({
  userId: user.id,
  connected: channelIds.length > 0,
  user_sockets: channelIds.map((id) => socketOf(user, id)),
});

describe('[PRES24] news of who is where', () => {
  test('change the row of whom they are about, and leave the others the very same', () => {
    const page = { rows: [lea, hugo], total: 2, connected: 0, asked: '', filter: '' };
    const patched = patchUsers(page, news({ users: [isIn(hugo, nord)], connected: 1 }));
    expect(patched).toEqual({
      asked: '',
      filter: '',
      rows: [lea, { ...hugo, user_sockets: [socketOf(hugo, nord)] }],
      total: 2,
      connected: 1,
    });
    expect(patched.rows[0]).toBe(lea);
    expect(patchUsers(patched, news({ users: [isIn(hugo)], connected: 0 }))).toEqual(page);
  });

  test('say what somebody did last, when the list has it', () => {
    const entry = {
      id: sampleId(9),
      type: 'channel_join' as const,
      createdAt: lea.createdAt,
      channel: { name: 'Nord' },
    };
    const page = { rows: [lea], total: 1, connected: 0, asked: '', filter: '' };
    const once = patchUsers(page, news({ users: [{ ...isIn(lea, nord), userActivities: [entry] }] }));
    expect(once.rows[0]?.userActivities).toEqual([entry]);
    expect(patchUsers(once, news({ users: [isIn(lea)] })).rows[0]?.userActivities).toEqual([entry]);
  });

  test('that a list shows nothing of leave it the very same', () => {
    const users = { rows: [lea], total: 1, connected: 3, asked: '', filter: '' };
    expect(patchUsers(users, news({ users: [isIn(hugo, nord)], connected: 3 }))).toBe(users);
    expect(patchUsers(users, news({ channelId: nord, users: [isIn(lea, nord)] }))).toBe(users);
    const members = [lea];
    expect(patchMembers(members, nord, news({ users: [isIn(hugo, nord)] }))).toBe(members);
    expect(patchMembers(members, nord, news({ channelId: sud, users: [isIn(lea, sud)] }))).toBe(members);
    const channels = { rows: [{ ...channelOf(1, 'Nord'), connected: 2 }], total: 1 };
    const counted = (channelId: ChannelId, connected: number) =>
      patchChannels(channels, (row) => patchChannel(row, news({ rooms: [{ channelId, connected }] }), NOW));
    expect(counted(nord, 2)).toBe(channels);
    expect(counted(sud, 5)).toBe(channels);
  });

  test('tell a list of members nothing of other rooms', () => {
    const [member] = patchMembers([lea], nord, news({ users: [isIn(lea, sud, nord)] }));
    expect(member?.user_sockets.map(({ channelId }) => channelId)).toEqual([null, nord]);
  });

  test('count who is in a room, and say that something happened there', () => {
    const channel = channelOf(1, 'Nord');
    const page = { rows: [channelOf(2, 'Sud'), channel], total: 2 };
    const patched = patchChannels(page, (row) =>
      patchChannel(row, news({ rooms: [{ channelId: nord, connected: 4 }] }), NOW),
    );
    expect(patched.rows).toEqual([page.rows[0], { ...channel, connected: 4, lastActivityAt: NOW }]);
  });
});

describe('[LIST20] news of who talks', () => {
  const [ana, bo] = [
    { userId: lea.id, name: 'Ana' },
    { userId: hugo.id, name: 'Bo' },
  ];
  const channel = channelOf(1, 'Nord');

  test('show who does, and whoever no longer does as who talked last', () => {
    const talking = patchTalkers(channel, { channelId: nord, talkers: [ana] }, NOW);
    expect(talking).toEqual({ ...channel, talkers: [ana] });
    const next = patchTalkers(talking, { channelId: nord, talkers: [bo] }, NOW);
    expect(next).toEqual({ ...channel, talkers: [bo], lastTalk: { name: 'Ana', endedAt: NOW }, lastActivityAt: NOW });
  });

  test('that say nothing new leave the row the very same', () => {
    const talking = { ...channel, talkers: [ana] };
    expect(patchTalkers(talking, { channelId: nord, talkers: [ana] }, NOW)).toBe(talking);
    expect(patchTalkers(talking, { channelId: sud, talkers: [] }, NOW)).toBe(talking);
  });
});
