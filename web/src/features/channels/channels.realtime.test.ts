import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { peopleInRoom } from './channels.queries.ts';
import { bindChannels } from './channels.realtime.ts';

const NORD = '01890a5d-ac96-774b-bcce-b302099a8057' as ChannelId;

test('who is in a channel that was deleted is not asked for, the list of channels is', async () => {
  const [queries, realtime, api] = [new QueryClient(), createRealtimeDouble(), createApiDouble()];
  api.on(getUsersInChannel, () => ({ success: true, res: [], totalRecords: 0 }));
  let reads = 0;
  const list = new QueryObserver(queries, {
    queryKey: [...CHANNELS_KEY, 'page', {}],
    queryFn: () => {
      reads += 1;
      return reads;
    },
  });
  const members = new QueryObserver(queries, peopleInRoom(api, NORD, 50) as never);
  const stops = [list.subscribe(() => undefined), members.subscribe(() => undefined), bindChannels(realtime, queries)];
  await expect.poll(() => [reads, api.inputs(getUsersInChannel).length]).toEqual([1, 1]);
  realtime.tell('changed', { what: 'channels', channelId: NORD, isGone: true });
  await expect.poll(() => [reads, queries.isFetching()]).toEqual([2, 0]);
  expect(api.inputs(getUsersInChannel)).toHaveLength(1);
  for (const stop of stops) stop();
});
