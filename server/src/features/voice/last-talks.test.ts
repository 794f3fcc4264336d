import { getAllChannels } from '@pressel/contract/channels';
import { LAST_TALKS } from '@pressel/contract/limits';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink } from '#test/guests.ts';
import type { TestSocket } from '#test/socket-client.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

const talk = async (socket: TestSocket, seq: number) => {
  await socket.send('floor_request', { seq });
  await socket.send('floor_release', { seq: seq + 1 });
};
/** Stores entries about Nord that are so many seconds old, as an earlier run of the server did. */
const store = (entries: readonly (Partial<typeof activities.$inferInsert> & { age: number })[]) =>
  t.database.db.insert(activities).values(
    entries.map(({ age, ...values }) => ({
      ...{ id: uuidV7(), type: 'channel_talk', userId: team.ana.id, channelId: team.nord, channelName: 'Nord' },
      ...{ userFirstName: 'Ana', userDisplayName: 'Ana Test', createdAt: new Date(Date.now() - age * 1_000) },
      ...{ details: { durationMs: 2_000, end: 'released' }, ...values },
    })),
  );

describe('[TALK130] the last talks of a room', () => {
  const ask = async (socket: TestSocket) => {
    const ack = await socket.send('last_talks', {});
    if (!ack.ok) throw new Error(ack.code);
    return ack.data.talks;
  };

  test('come newest first: those of an earlier run of the server, from before one came, and the one that has just ended', async () => {
    await store([
      { age: 60, userDisplayName: 'Ana before' },
      {
        age: 30,
        userId: team.bo.id,
        userDisplayName: 'Bo Test',
        details: { durationMs: 9, end: 'released', talks: 3, spanMs: 700 },
      },
      { age: 20, channelId: team.sud, channelName: 'Sud' },
      { age: 10, type: 'message_send', details: null },
    ]);
    const [ana, bo] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.bo, 'Nord')];
    await talk(ana, 1);
    const talks = await ask(bo);
    expect(talks.map(({ name, talks: count }) => `${name} ${count}`)).toEqual([
      'Ana Test 1',
      'Bo Test 3',
      'Ana before 1',
    ]);
    expect(talks[0]).toMatchObject({ userId: team.ana.id });
    const [, merged, oldest] = talks;
    expect(merged).toMatchObject({ userId: team.bo.id, talkMs: 9 });
    expect((merged?.beganMsAgo ?? 0) - (merged?.endedMsAgo ?? 0)).toBe(700);
    expect((oldest?.beganMsAgo ?? 0) - (oldest?.endedMsAgo ?? 0)).toBe(2_000);
  });

  test('are ten at most', async () => {
    await store(Array.from({ length: LAST_TALKS + 5 }, (_, index) => ({ age: index, userDisplayName: `${index}` })));
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect((await ask(bo)).map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  test('are for who is in the room, not for guests, and not asked for without end', async () => {
    const outside = await t.connect(team.ana.token);
    expect(await outside.send('last_talks', {})).toMatchObject({ ok: false, code: 'not_in_room' });
    const guest = await enterByLink(t, await makeLink(t, team.admin, team.nord), 'Nord');
    expect(await guest.send('last_talks', {})).toMatchObject({ ok: false, code: 'forbidden' });
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(await bo.send('last_talks', null as never)).toMatchObject({ ok: false, code: 'malformed' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => bo.send('last_talks', {})));
    expect(answers.map((answer) => answer.ok || answer.code)).toEqual([true, true, true, true, true, 'too_many']);
  });
});

describe('[LIST20] the list of channels', () => {
  const list = async (payload: object, who: Person = team.admin) =>
    (await t.call(getAllChannels, payload as never, who.token)).body.res;

  test('says who talks now, who talked last, and when something happened', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    await ana.send('floor_request', { seq: 1 });
    const [nord, sud] = await list({ limit: 5 });
    expect(nord).toMatchObject({ talkers: [{ userId: team.ana.id, name: 'Ana Test' }], lastTalk: null });
    expect(sud).toMatchObject({ talkers: [], lastTalk: null, lastActivityAt: expect.any(String) });
    await ana.send('floor_release', { seq: 2 });
    const [after] = await list({ limit: 5 });
    expect(after).toMatchObject({ talkers: [], lastTalk: { name: 'Ana Test', endedAt: expect.any(String) } });
    expect(after?.lastActivityAt).toBe(after?.lastTalk?.endedAt);
    // All channels together may have thousands of talks.
    expect((await list({}))[0]).not.toHaveProperty('lastTalk');
  });

  test('says it to members of their own channels', async () => {
    await store([{ age: 5 }]);
    const [nord, ...others] = await list({ limit: 5 }, team.bo);
    expect(nord).toMatchObject({ name: 'Nord', lastTalk: { name: 'Ana Test' }, lastActivityAt: expect.any(String) });
    expect(others).toEqual([]);
    expect(JSON.stringify(await list({ limit: 5 }, team.out))).not.toContain('Ana');
  });

  test('looks for the last talk among the newest 500 entries about a channel, whatever others do; so no channel costs more than that', async () => {
    await t.database.db.delete(activities).where(eq(activities.channelId, team.nord));
    await store([
      { age: 1_000 },
      ...Array.from({ length: 499 }, (_, age) => ({ age, type: 'channel_join', details: null })),
      ...Array.from({ length: 50 }, (_, age) => ({ age, channelId: team.sud, channelName: 'Sud' })),
    ]);
    expect((await list({ limit: 1 }))[0]?.lastTalk).toMatchObject({ name: 'Ana Test' });
    await store([{ age: 500, type: 'channel_leave', details: null }]);
    expect((await list({ limit: 1 }))[0]?.lastTalk).toBeNull();
  });
});
