import type { UserId } from '@pressel/contract/ids';
import { MEMBERS_NAMED_MAX } from '@pressel/contract/limits';
import { changeUsers, deleteUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeChannel, makeTeam, type Team } from '#test/factories.ts';

describe('whom news of users name', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const connect = async (...people: Person[]) => {
    const sockets = await Promise.all(people.map(({ token }) => t.connect(token)));
    await caughtUp(...sockets);
    return async () => {
      await caughtUp(...sockets);
      return sockets.map((socket) => socket.waiting('changed'));
    };
  };
  const change = (userIds: readonly UserId[], what: object) =>
    t.post(changeUsers.path, { userIds, change: what }, team.admin.token);

  test('[MEM5] several in several channels: administrators are told who, members that it was somebody', async () => {
    const waiting = await connect(team.admin, team.ana, team.out);
    // Ana comes into Sud, Out into Nord: neither shared a channel with the other.
    await change([team.ana.id, team.out.id], { type: 'addToChannels', channelIds: [team.nord, team.sud] });
    const [admin, ana, out] = await waiting();
    expect(admin?.[0]?.userIds?.toSorted()).toEqual([team.ana.id, team.out.id].toSorted());
    expect([admin?.length, ana, out]).toEqual([1, [{ what: 'memberships' }], [{ what: 'memberships' }]]);
  });

  test('[MEM5] of a change to several accounts each is told of their own', async () => {
    const waiting = await connect(team.admin, team.ana, team.out);
    await change([team.ana.id, team.out.id], { type: 'setMapRight', mapRight: true });
    expect(await waiting()).toEqual([
      [{ what: 'users', userIds: [team.ana.id, team.out.id] }],
      [{ what: 'users', userIds: [team.ana.id] }],
      [{ what: 'users', userIds: [team.out.id] }],
    ]);
  });

  test('[MEM5] of accounts that are deleted members are told of the one that was in their channel', async () => {
    const waiting = await connect(team.bo, team.out);
    await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
    expect(await waiting()).toEqual([[{ what: 'memberships', channelId: team.nord, userIds: [team.ana.id] }], []]);
    const both = [team.bo.id, (await t.signUp('Eve')).id];
    const after = await connect(team.admin, team.out);
    await makeChannel(t, team.admin, 'Est', [team.bo.id, team.out.id]);
    expect(await after()).toMatchObject([[{ what: 'channels' }], [{ what: 'channels' }]]);
    const deleted = await connect(team.admin, team.out);
    await change(both, { type: 'delete' });
    const [admin, out] = await deleted();
    expect(admin?.map(({ userIds }) => userIds)).toEqual([both, both]);
    expect(out).toEqual([{ what: 'memberships' }]);
  });

  test('[MEM5] beyond the bound nobody is named', async () => {
    const ids = Array.from({ length: MEMBERS_NAMED_MAX + 1 }, () => uuidV7() as UserId);
    const rows = ids.map((id) => ({
      ...{ id, identifier: `${id}@example.org`, firstName: 'M', lastName: '' },
      ...{ passwordHash: '-', role: 'member' as const },
    }));
    await t.database.db.insert(users).values(rows);
    const waiting = await connect(team.admin, team.ana);
    await change(ids, { type: 'addToChannels', channelIds: [team.nord] });
    const news = [{ what: 'memberships', channelId: team.nord }];
    expect(await waiting()).toEqual([news, news]);
  });
});
