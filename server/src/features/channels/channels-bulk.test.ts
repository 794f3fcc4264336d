import { deleteChannels, getAllChannels, getChannelIds } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { BULK_MAX } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';

describe('[LIST8] deleting several channels', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const names = async () => (await t.call(getAllChannels, {}, team.admin.token)).body.res.map(({ name }) => name);
  const unknown = uuidV7() as ChannelId;

  test('each as one is deleted: rooms close, the log has them, and those that are gone are named in their place', async () => {
    const inside = await enterRoom(t, team.ana, 'Nord');
    const channelIds = [team.nord, unknown, team.sud, team.nord];
    const { status, body } = await t.call(deleteChannels, { channelIds }, team.admin.token);
    expect([status, body.res]).toEqual([
      200,
      [
        { channelId: team.nord, outcome: 'done' },
        { channelId: unknown, outcome: 'not_found' },
        { channelId: team.sud, outcome: 'done' },
        { channelId: team.nord, outcome: 'done' },
      ],
    ]);
    expect(await inside.next('room_closed')).toEqual({ channelId: team.nord, reason: 'deleted' });
    expect(await names()).toEqual([]);
    const log = (await activityLog(t)).filter((line) => line.startsWith('channel_delete'));
    expect(log.toSorted()).toEqual(['channel_delete Admin Nord', 'channel_delete Admin Sud']);
  });

  test('a hundred at once', async () => {
    const channelIds: ChannelId[] = [];
    for (let n = 0; n < BULK_MAX; n += 1) channelIds.push(await makeChannel(t, team.admin, `C${n}`));
    expect((await t.call(deleteChannels, { channelIds }, team.admin.token)).status).toBe(200);
    expect(await names()).toEqual(['Nord', 'Sud']);
  });

  test('the ids that a filter finds', async () => {
    const { body } = await t.call(getChannelIds, { filter: 'SÛD' }, team.admin.token);
    expect(body.res).toEqual([team.sud]);
    expect((await t.call(getChannelIds, {}, team.admin.token)).body.res).toHaveLength(2);
  });

  test('nobody, members, malformed and too large are refused', async () => {
    const channelIds = [team.nord];
    const tooMany = Array.from({ length: BULK_MAX + 1 }, () => uuidV7());
    for (const [path, body, token, status, code] of [
      [deleteChannels.path, { channelIds }, undefined, 401, 'unauthenticated'],
      [deleteChannels.path, { channelIds }, team.ana.token, 403, 'forbidden'],
      [deleteChannels.path, { channelIds: [] }, team.admin.token, 400, 'malformed'],
      [deleteChannels.path, { channelIds: ['x'] }, team.admin.token, 400, 'malformed'],
      [deleteChannels.path, { channelIds: tooMany }, team.admin.token, 400, 'malformed'],
      [deleteChannels.path, { channelIds: ['x'.repeat(200_000)] }, team.admin.token, 413, 'too_large'],
      [getChannelIds.path, {}, undefined, 401, 'unauthenticated'],
      [getChannelIds.path, {}, team.ana.token, 403, 'forbidden'],
      [getChannelIds.path, { filter: 7 }, team.admin.token, 400, 'malformed'],
      [getChannelIds.path, { filter: 'x'.repeat(200_000) }, team.admin.token, 413, 'too_large'],
    ] as const) {
      const answer = await t.post(path, body, token);
      expect([path, answer.status, answer.body.code]).toEqual([path, status, code]);
    }
    expect(await names()).toEqual(['Nord', 'Sud']);
  });
});
