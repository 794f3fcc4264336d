import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';

const NORD = '01890a5d-ac96-774b-bcce-b302099a8057' as ChannelId;

test('members are read again when the channel changes, not when it is gone', async () => {
  const [queries, realtime, api] = [new QueryClient(), createRealtimeDouble(), createApiDouble()];
  api.on(getUsersInChannel, () => ({ success: true, res: [], totalRecords: 0 }));
  const members = new QueryObserver(queries, channelMembersQuery(api, NORD) as never);
  const stops = [members.subscribe(() => undefined), keepMembersFresh(queries, realtime, NORD)];
  await expect.poll(() => [api.inputs(getUsersInChannel).length, queries.isFetching()]).toEqual([1, 0]);
  realtime.tell('changed', { what: 'channels', channelId: NORD, isGone: true });
  expect(queries.isFetching()).toBe(0);
  realtime.tell('changed', { what: 'channels', channelId: NORD });
  await expect.poll(() => [api.inputs(getUsersInChannel).length, queries.isFetching()]).toEqual([2, 0]);
  for (const stop of stops) stop();
});

test('news reach the list as long as any part of the screen shows it; after that it is read again', async () => {
  const [queries, realtime, api] = [new QueryClient(), createRealtimeDouble(), createApiDouble()];
  const names = { firstName: 'Léa', lastName: 'Petit', pseudo: '', display_name: 'Léa Petit', photo_url: null };
  const lea: ChannelMember = { ...names, id: sampleId(1) as UserId, role: 'member', user_sockets: [] };
  api.on(getUsersInChannel, () => ({ success: true, res: [lea], totalRecords: 1 }));
  const query = channelMembersQuery(api, NORD);
  const [count, list] = [keepMembersFresh(queries, realtime, NORD), keepMembersFresh(queries, realtime, NORD)];
  await queries.fetchQuery(query as never);
  const tell = (user_sockets: ChannelMember['user_sockets']) =>
    realtime.tell('onUserStatusChanged', {
      ...{ channelId: NORD, rooms: [] },
      users: [{ userId: lea.id, connected: user_sockets.length > 0, user_sockets }],
    });
  const state = () => {
    const { data, isInvalidated } = queries.getQueryState<readonly ChannelMember[]>(query.queryKey) ?? {};
    return { sockets: data?.[0]?.user_sockets.length, isInvalidated };
  };
  list();
  tell([{ userId: lea.id, channelId: null, socket_id: sampleId(700) as ParticipantId }]);
  expect(state()).toEqual({ sockets: 1, isInvalidated: false });
  count();
  tell([]);
  expect(state()).toEqual({ sockets: 1, isInvalidated: true });
});
