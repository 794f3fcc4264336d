import { getUsersInChannel } from '@pressel/contract/channels';
import { type ChannelId, participantId } from '@pressel/contract/ids';
import type { User } from '@pressel/contract/users';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId, userOf } from '#test/samples.ts';
import { channelMembersPage } from './channels.queries.ts';
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
  const members = new QueryObserver(queries, channelMembersPage(api, NORD, { filter: '', limit: 50 }, 'fr') as never);
  const stops = [list.subscribe(() => undefined), members.subscribe(() => undefined), bindChannels(realtime, queries)];
  await expect.poll(() => [reads, api.inputs(getUsersInChannel).length]).toEqual([1, 1]);
  realtime.tell('changed', { what: 'channels', channelId: NORD, isGone: true });
  await expect.poll(() => [reads, queries.isFetching()]).toEqual([2, 0]);
  expect(api.inputs(getUsersInChannel)).toHaveLength(1);
  for (const stop of stops) stop();
});

test('[PRES24] part of a long channel is read again when somebody enters whom it does not show', async () => {
  const [queries, realtime, api] = [new QueryClient(), createRealtimeDouble(), createApiDouble()];
  const [lea, hugo, zoe] = [userOf(1, 'Léa', 'Martin'), userOf(2, 'Hugo', 'Bernard'), userOf(3, 'Zoé', 'Roux')];
  const at = (user: User, channelId: ChannelId) => ({
    userId: user.id,
    connected: true,
    user_sockets: [{ userId: user.id, channelId, socket_id: participantId.parse(`socket ${user.id}`) }],
  });
  let rows = [lea, hugo];
  api.on(getUsersInChannel, () => ({ success: true, res: rows, totalRecords: 3 }));
  const members = new QueryObserver(queries, channelMembersPage(api, NORD, { filter: '', limit: 2 }, 'fr') as never);
  const stops = [members.subscribe(() => undefined), bindChannels(realtime, queries)];
  await expect
    .poll(() => members.getCurrentResult().data)
    .toMatchObject({ rows: [{ id: lea.id }, { id: hugo.id }], total: 3 });

  const tell = (user: User, channelId: ChannelId) =>
    realtime.tell('onUserStatusChanged', { channelId: NORD, users: [at(user, channelId)], rooms: [] });
  // Shown already, and in another room: neither changes who is shown.
  tell(lea, NORD);
  tell(zoe, sampleId(102) as ChannelId);
  expect(queries.isFetching()).toBe(0);
  rows = [{ ...zoe, ...at(zoe, NORD) }, lea];
  tell(zoe, NORD);
  await expect.poll(() => members.getCurrentResult().data).toMatchObject({ rows: [{ id: zoe.id }, { id: lea.id }] });
  expect(api.inputs(getUsersInChannel)).toHaveLength(2);
  for (const stop of stops) stop();
});
