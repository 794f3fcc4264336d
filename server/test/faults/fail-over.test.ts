import { deleteUserFromChannel } from '@pressel/contract/channels';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { follow, promote, type RedisServer, tellRedis } from '../redis-server.ts';
import { callAt, enterAsPage, type Member, makeChannelAt, type RoomClient, sendTextAt } from '../room-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

describe.skipIf(inject('redis') === null)(
  '[PROC100] Redis fails over to its replica in mid-talk',
  { timeout: 300_000 },
  () => {
    let crowd: Crowd;
    /** Pages of a second room, one at each process. */
    let leavers: { member: Member; page: RoomClient }[];
    let remove: (of: number) => Promise<unknown>;
    beforeEach(async () => {
      crowd = await gather(8, { count: 3, cluster: inject('cluster'), hasReplica: true });
      const { origin, servers } = crowd.processes;
      const [admin, ...members] = crowd.members as [Member, ...Member[]];
      const sud = await makeChannelAt(origin, admin, 'Sud', members);
      leavers = [];
      for (const [index, { origin: own }] of servers.entries()) {
        const member = members[index] as Member;
        leavers.push({ member, page: await enterAsPage(() => own, member, sud) });
      }
      remove = (of) =>
        callAt(origin, deleteUserFromChannel, { userId: leavers[of]?.member.id as never, channelId: sud }, admin.token);
    });
    afterEach(async () => {
      for (const { page } of leavers) page.close();
      await crowd.close();
    });

    const newest = async (redis: RedisServer): Promise<string> => {
      const [key = ''] = (await tellRedis(redis, ['KEYS', '*:news'])).split(',');
      return tellRedis(redis, ['XREVRANGE', key, '+', '-', 'COUNT', '1']);
    };
    /** Talks and messages go on, for as long as it takes to see that they do. */
    const goOn = async () => {
      const [granted, sent] = [crowd.granted(), crowd.sent()];
      await waitUntil(() => crowd.granted() > granted + 10 && crowd.sent() > sent + 10);
    };
    /** Each process passes news on to the sockets of all others. */
    const expectNews = async () => {
      const ids: string[] = [];
      for (const [index, { origin }] of crowd.processes.servers.entries()) {
        const writer = crowd.members[index + 1] as Member;
        ids.push((await sendTextAt(origin, writer, crowd.channelId, `By process ${index}`)).id);
      }
      const hasAll = (page: RoomClient) => {
        const heard = page.of<{ id: string }>('messageResponse').map(({ id }) => id);
        return ids.every((id) => heard.includes(id));
      };
      await waitUntil(() => crowd.pages.every(hasAll));
    };

    /** The last membership ends, all three have ended everywhere, and everything goes on with the new primary. */
    const expectAllWell = async () => {
      await remove(2);
      await waitUntil(() => leavers.every(({ page }) => page.of('room_closed').length > 0));
      await goOn();
      await crowd.end();
      await crowd.check();
      expect(crowd.refused()).toEqual([]);
      await expectNews();
    };

    test('which lacks the newest entries: floors stay single, ended memberships end everywhere, nothing acknowledged is lost', async () => {
      const { redis, replica, leadTo } = crowd.processes;
      crowd.begin();
      await goOn();
      // From here on the replica gets nothing.
      await promote(replica);
      await remove(0);
      await goOn();
      expect(await newest(replica)).not.toBe(await newest(redis));
      await Promise.all([redis.stop('SIGKILL'), remove(1)]);
      leadTo(replica, { ends: true });
      await expectAllWell();
    });

    test('and follows it from then on, with all connections open: processes find the new primary', async () => {
      const { redis, replica, leadTo } = crowd.processes;
      crowd.begin();
      await goOn();
      leadTo(replica, { ends: false });
      await promote(replica);
      await Promise.all([follow(redis, replica), remove(0), remove(1)]);
      await expectAllWell();
    });
  },
);
