import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { expect, test, vi } from 'vitest';
import { listMembers, member, NORD, nameOf, socketOf } from '#test/members-list.ts';
import { sampleId } from '#test/samples.ts';
import { PART_SIZE } from './members.queries.ts';

const SUD = sampleId(101) as ChannelId;

test('[MEM3] of five thousand what is shown is read, and one who is edited costs one row', async () => {
  const list = await listMembers(5_000);
  expect([list.inputs().length, list.part().rows.length, list.part().total]).toEqual([1, PART_SIZE, 5_000]);
  expect(list.bytes()).toBeLessThan(25_000);
  const before = list.bytes();
  const edited = member(7, 'M0007 renamed');
  list.put(edited);
  list.realtime.tell('changed', { what: 'users', userIds: [edited.id] });
  await list.settled();
  expect(list.names()).toContain('M0007 renamed');
  list.expectRight();
  expect(list.inputs().slice(1)).toMatchObject([{ userIds: [edited.id] }]);
  expect(list.bytes() - before).toBeLessThan(1_000);
});

test('[MEM4] who is renamed moves, who is added appears, and who is removed vanishes, each by their own row', async () => {
  const list = await listMembers(5);
  const tell = async (what: 'users' | 'memberships', { id }: ChannelMember) => {
    list.realtime.tell('changed', { what, channelId: NORD, userIds: [id] });
    await list.settled();
    list.expectRight();
  };
  list.put(member(1, 'Zoé'));
  await tell('users', member(1));
  expect(list.names()).toEqual(['M0000', 'M0002', 'M0003', 'M0004', 'Zoé']);
  list.put(member(9, 'Abel'));
  await tell('memberships', member(9));
  list.stored.delete(member(3).id);
  await tell('memberships', member(3));
  expect(list.names()).toEqual(['Abel', 'M0000', 'M0002', 'M0004', 'Zoé']);
  expect(
    list
      .inputs()
      .slice(1)
      .map(({ userIds }) => userIds?.length),
  ).toEqual([1, 1, 1]);
});

test('[MEM4] in a part of a long list those who come to stand beyond it go, and those who come before its end come in', async () => {
  const list = await listMembers(500);
  const tell = async (one: ChannelMember) => {
    list.put(one);
    list.realtime.tell('changed', { what: 'users', userIds: [one.id] });
    await list.settled();
    list.expectRight();
  };
  await tell(member(3, 'Zoé'));
  expect(list.part().rows).toHaveLength(PART_SIZE - 1);
  await tell(member(400, 'Abel'));
  expect(list.names()[0]).toBe('Abel');
  // Its very last row.
  await tell(member(99, 'Zazie'));
  await list.more(150);
  list.expectRight();
  expect(list.inputs().every(({ limit, userIds }) => (limit ?? 0) <= 200 || userIds)).toBe(true);
});

test('[MEM4] who changed and can’t be shown is not asked for', async () => {
  const list = await listMembers(5);
  list.realtime.tell('changed', { what: 'users', userIds: [sampleId(7) as UserId] });
  list.realtime.tell('changed', { what: 'memberships', channelId: SUD, userIds: [sampleId(7) as UserId] });
  list.realtime.tell('changed', { what: 'channels', channelId: NORD });
  list.realtime.tell('changed', { what: 'guests', channelId: NORD });
  list.realtime.tell('changed', { what: 'channels', channelId: NORD, isGone: true });
  await list.settled();
  expect(list.inputs()).toHaveLength(1);
});

test('[MEM4] what is filtered asks the server whether who changed is found', async () => {
  const list = await listMembers(200, { filter: 'm000', isDescending: true });
  expect(list.names()).toHaveLength(10);
  list.put(member(50, 'M000x'));
  list.put(member(3, 'Zoé'));
  list.realtime.tell('changed', { what: 'users', userIds: [member(50).id, member(3).id] });
  await list.settled();
  expect(list.names()).toContain('M000x');
  expect([list.names().length, list.part().total]).toEqual([10, 10]);
});

test('[MEM4] many at once, and news that name nobody, read the part again, once', async () => {
  const list = await listMembers(500);
  for (let number = 0; number < 60; number += 1) {
    list.put(member(number, `N${number}`));
    list.realtime.tell('changed', { what: 'users', userIds: [member(number).id] });
  }
  await list.settled();
  list.expectRight();
  // The first one is read at once.
  expect(list.inputs().slice(1)).toMatchObject([{ userIds: [member(0).id] }, { start: 0, limit: PART_SIZE }]);
  list.stored.delete(member(1).id);
  list.realtime.tell('changed', { what: 'memberships' });
  await list.settled();
  list.expectRight();
  expect(list.inputs()).toHaveLength(4);
});

test('[MEM3] a reconnect reads again what was shown, in one call', async () => {
  const list = await listMembers(500);
  await list.more(180);
  expect(list.part().rows.length).toBeGreaterThan(180);
  const before = list.inputs().length;
  list.put(member(501, 'Abel'));
  await list.queries.invalidateQueries();
  await list.settled();
  expect(list.inputs().slice(before)).toMatchObject([{ start: 0, limit: 281 - 1 }]);
  list.expectRight();
});

test('[MEM3] more is read where it follows; where the list moved on too far meanwhile it is read anew', async () => {
  const list = await listMembers(500);
  for (let number = 0; number < 5; number += 1) list.stored.delete(member(number).id);
  await list.more(120);
  expect(list.names().slice(90, 110)).toEqual(Array.from({ length: 20 }, (_, index) => nameOf(90 + index)));
  for (let number = 5; number < 40; number += 1) list.stored.delete(member(number).id);
  await list.more(250);
  await list.settled();
  list.expectRight();
});

test('[PRES24] two changes of presence a second cost less than a kilobyte a second', async () => {
  const list = await listMembers(5_000);
  const before = list.bytes();
  // For a minute, members who aren't in view come and go: their mark, and whether they are in the room.
  for (let second = 0; second < 60; second += 1) {
    const one = member(1_000 + second);
    list.tellStatus(one, socketOf(one, second % 2 === 0 ? NORD : null));
    list.tellStatus(member(second), socketOf(member(second), null));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await list.settled();
  list.expectRight();
  expect(list.names()[0]).toBe('M1000');
  expect((list.bytes() - before) / 60).toBeLessThan(500);
  expect(list.inputs().length).toBeLessThan(20);
});

test('[PRES24] who enters comes first and who leaves goes to their place, without a read', async () => {
  const list = await listMembers(500);
  list.tellStatus(member(50), socketOf(member(50), NORD));
  list.expectRight();
  expect(list.names()[0]).toBe('M0050');
  list.tellStatus(member(50), socketOf(member(50), null));
  list.expectRight();
  list.tellStatus(member(50), []);
  expect(list.inputs()).toHaveLength(1);
  // A member whom only their presence had brought into the part.
  list.tellStatus(member(300), socketOf(member(300), NORD));
  await list.settled();
  list.expectRight();
  list.tellStatus(member(300), []);
  list.expectRight();
  expect(list.names()).not.toContain('M0300');
});

test('[PRES24] a row that was read is as the news say that came meanwhile', async () => {
  const list = await listMembers(5);
  list.holdAnswers(() => list.tellStatus(member(2), socketOf(member(2), NORD)));
  list.realtime.tell('changed', { what: 'users', userIds: [member(2).id] });
  await vi.advanceTimersByTimeAsync(100);
  expect(list.names()[0]).toBe('M0002');
});

test('[PRES24] who connects while the list is read is shown so, and it is read once', async () => {
  const list = await listMembers(500);
  await list.readFirst(() => list.tellStatus(member(2), socketOf(member(2), null)));
  expect(list.part().rows.find(({ id }) => id === member(2).id)?.user_sockets).toHaveLength(1);
  expect(list.inputs()).toHaveLength(2);
});

test('[PRES24] who enters while the list is read and isn’t in it comes in', async () => {
  const list = await listMembers(500);
  await list.readFirst(() => list.tellStatus(member(300), socketOf(member(300), NORD)));
  list.expectRight();
  expect(list.names()[0]).toBe('M0300');
});

test('[MEM4] who is renamed while the list is read is shown by the new name', async () => {
  const list = await listMembers(500);
  const renamed = member(7, 'M0007 renamed');
  await list.readFirst(() => {
    list.put(renamed);
    list.realtime.tell('changed', { what: 'users', userIds: [renamed.id] });
  });
  list.expectRight();
  expect(list.names()).toContain('M0007 renamed');
});

test('news reach the list as long as any part of the screen shows it; after that it is read again', async () => {
  const list = await listMembers(3);
  const key = { queryKey: ['channelMembers', NORD] };
  const isStale = () => list.queries.getQueryCache().find({ ...key, exact: false })?.state.isInvalidated;
  expect(isStale()).toBe(false);
  list.stop();
  list.realtime.tell('changed', { what: 'memberships', channelId: NORD, userIds: [member(1).id] });
  await list.settled();
  expect([isStale(), list.inputs().length]).toEqual([true, 1]);
});
