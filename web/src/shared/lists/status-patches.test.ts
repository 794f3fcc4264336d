import { type ChannelId, participantId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { User } from '@pressel/contract/users';
import { describe, expect, test } from 'vitest';
import { channelOf, sampleId, userOf } from '#test/samples.ts';
import { patchChannel, patchChannels, patchMembers, patchTalkers, patchUsers } from './status-patches.ts';

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
