import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
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
