import { getUsersInChannel } from '@pressel/contract/channels';
import { type ChannelId, participantId } from '@pressel/contract/ids';
import type { User } from '@pressel/contract/users';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
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

const [LEA, HUGO, ZOE] = [userOf(1, 'Léa', 'Martin'), userOf(2, 'Hugo', 'Bernard'), userOf(3, 'Zoé', 'Roux')];
const at = (user: User, channelId: ChannelId) => ({
  userId: user.id,
  connected: true,
  user_sockets: [{ userId: user.id, channelId, socket_id: participantId.parse(`socket ${user.id}`) }],
});

/** The first two of the three members of Nord. */
async function showPart(first: readonly [User, User]) {
  const [queries, realtime, api] = [new QueryClient(), createRealtimeDouble(), createApiDouble()];
  let rows: readonly User[] = first;
  api.on(getUsersInChannel, () => ({ success: true, res: [...rows], totalRecords: 3 }));
  const members = new QueryObserver(queries, channelMembersPage(api, NORD, { filter: '', limit: 2 }, 'fr') as never);
  const stops = [members.subscribe(() => undefined), bindChannels(realtime, queries)];
  onTestFinished(() => {
    for (const stop of stops) stop();
  });
  const shown = () => (members.getCurrentResult().data as { rows: User[] } | undefined)?.rows.map(({ id }) => id);
  await expect.poll(shown).toEqual(first.map(({ id }) => id));
  return {
    shown,
    become: (next: readonly User[]) => {
      rows = next;
    },
    tell: (user: User, channelId: ChannelId) =>
      realtime.tell('onUserStatusChanged', { channelId: NORD, users: [at(user, channelId)], rooms: [] }),
    reads: () => api.inputs(getUsersInChannel).length,
    isReading: () => queries.isFetching() > 0,
  };
}

test('[PRES24] part of a long channel is read again when somebody enters whom it does not show', async () => {
  const part = await showPart([LEA, HUGO]);
  // Shown already, and in another room: neither changes who is shown.
  part.tell(LEA, NORD);
  part.tell(ZOE, sampleId(102) as ChannelId);
  expect(part.isReading()).toBe(false);
  part.become([{ ...ZOE, ...at(ZOE, NORD) }, LEA]);
  part.tell(ZOE, NORD);
  await expect.poll(part.shown).toEqual([ZOE.id, LEA.id]);
  expect(part.reads()).toBe(2);
});

test('[PRES24] it is read again too where all that it shows are there: who enters may stand before them', async () => {
  const part = await showPart([
    { ...HUGO, ...at(HUGO, NORD) },
    { ...ZOE, ...at(ZOE, NORD) },
  ]);
  part.become([
    { ...HUGO, ...at(HUGO, NORD) },
    { ...LEA, ...at(LEA, NORD) },
  ]);
  part.tell(LEA, NORD);
  await expect.poll(part.shown).toEqual([HUGO.id, LEA.id]);
});
