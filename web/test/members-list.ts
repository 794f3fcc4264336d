import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, vi } from 'vitest';
import { ALL_MEMBERS, listsKey, membersQuery } from '#src/features/members/members.queries.ts';
import { feedOf, keepMembersFresh } from '#src/features/members/members.realtime.ts';
import { compareMembers, type MembersPart, type MembersView } from '#src/features/members/members-part.ts';
import type { ApiError } from '#src/shared/api/api-error.ts';
import { isInRoom } from '#src/shared/lists/member-order.ts';
import { createQueryClient } from '#src/shared/queries.tsx';
import { createApiDouble } from './api-double.ts';
import { createRealtimeDouble } from './realtime-double.ts';
import { sampleId } from './samples.ts';

export const NORD = sampleId(100) as ChannelId;

export const nameOf = (number: number) => `M${String(number).padStart(4, '0')}`;
export const member = (number: number, firstName = nameOf(number)): ChannelMember => ({
  ...{ id: sampleId(1_000 + number) as UserId, firstName, lastName: 'Many', pseudo: '', display_name: firstName },
  ...{ photo_url: null, role: 'member', user_sockets: [] },
});
export const socketOf = ({ id }: ChannelMember, channelId: ChannelId | null) => [
  { userId: id, channelId, socket_id: `socket of ${id}` as ParticipantId },
];

/** A server with this many members of Nord, and a client that shows them as asked. The clock is the test's. */
export async function listMembers(count: number, view: MembersView = ALL_MEMBERS) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [queries, realtime, api] = [createQueryClient(), createRealtimeDouble(), createApiDouble()];
  const stored = new Map(Array.from({ length: count }, (_, index) => [member(index).id, member(index)]));
  let bytes = 0;
  let beforeAnswer: (() => unknown) | undefined;
  let failure: ApiError | undefined;
  let lacking: UserId | undefined;
  api.on(getUsersInChannel, async (query) => {
    if (failure) throw failure;
    const rows = [...stored.values()]
      .filter(({ firstName }) => firstName.toLowerCase().includes(query.filter ?? ''))
      .sort(compareMembers({ channelId: NORD, isDescending: query.order === 'desc' }));
    const { start = 0, limit = rows.length, userIds } = query;
    const there = rows.filter(({ id }) => id !== lacking);
    const res = userIds ? there.filter(({ id }) => userIds.includes(id)) : there.slice(start, start + limit);
    const answer = { success: true, res, totalRecords: rows.length };
    bytes += JSON.stringify(query).length + JSON.stringify(answer).length;
    await beforeAnswer?.();
    return answer;
  });
  const list = new QueryObserver(queries, membersQuery(api, NORD, view) as never);
  const stops = [list.subscribe(() => undefined), keepMembersFresh({ queries, realtime, api }, NORD)];
  const stop = () => {
    for (const one of stops.splice(0)) one();
  };
  onTestFinished(stop);
  const settled = () => vi.advanceTimersByTimeAsync(10_000);
  await settled();
  const part = () => list.getCurrentResult().data as unknown as MembersPart;
  const inputs = () => api.inputs(getUsersInChannel);
  return {
    ...{ queries, realtime, stored, part, settled, stop, inputs },
    names: () => part().rows.map(({ firstName }) => firstName),
    put: (one: ChannelMember) => void stored.set(one.id, one),
    bytes: () => bytes,
    holdAnswers: (until: (() => unknown) | undefined) => {
      beforeAnswer = until;
    },
    /** Makes every call fail with this error; undefined: no longer. */
    fail: (error: ApiError | undefined) => {
      failure = error;
    },
    /** Makes the server count a member without returning them. */
    lack: (one: ChannelMember | undefined) => {
      lacking = one?.id;
    },
    more: async (row: number) => {
      await feedOf(queries, NORD)?.more(view, row);
    },
    /** Expects the list to equal the server's, so far as it was read. */
    expectRight: () => {
      const order = compareMembers({ channelId: NORD, isDescending: view.isDescending });
      const whole = [...stored.values()].sort(order).map(({ firstName }) => firstName);
      expect(part().rows.map(({ firstName }) => firstName)).toEqual(whole.slice(0, part().rows.length));
      expect(part().total).toBe(whole.length);
    },
    tellStatus: (one: ChannelMember, user_sockets: ChannelMember['user_sockets']) => {
      const before = stored.get(one.id) ?? one;
      const now = { ...one, user_sockets };
      stored.set(one.id, now);
      const connected = [...stored.values()].filter((each) => isInRoom(each, NORD)).length;
      realtime.tell('onUserStatusChanged', {
        channelId: NORD,
        rooms: isInRoom(before, NORD) || isInRoom(now, NORD) ? [{ channelId: NORD, connected }] : [],
        users: [{ userId: one.id, connected: user_sockets.length > 0, user_sockets }],
      });
    },
    /** Reads the list as for the first time. The effects of `meanwhile` come before the answer, which doesn't have them. */
    readFirst: async (meanwhile: () => void) => {
      const once = () => {
        beforeAnswer = undefined;
        meanwhile();
      };
      beforeAnswer = once;
      void queries.resetQueries({ queryKey: listsKey(NORD) });
      await settled();
    },
  };
}
