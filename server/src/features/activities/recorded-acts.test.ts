import { endSession, getUserSessions } from '@pressel/contract/auth';
import { deleteMessage, sendMessage } from '@pressel/contract/chat';
import { createMultipleChannels, getChannelsToExport } from '@pressel/contract/transfer';
import { changeUsers, updatePasswordUser, uploadUserPhoto } from '@pressel/contract/users';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ActivityWatch, watchActivities } from '#test/activity-watch.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { prove } from '#test/proof.ts';

const BY = 'Admin Test';

describe('[LOG1] one entry of each', () => {
  let t: TestApp;
  let team: Team;
  let added: ActivityWatch['brieflyAdded'];
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
    added = watchActivities(t, team).brieflyAdded;
  });
  afterEach(() => t.close());

  test('message that is deleted: by whom, whose, where and from when', async () => {
    const { body } = await t.call(sendMessage, { channelId: team.nord, message: 'secret' }, team.ana.token);
    const { id, createdAt } = body.message;
    expect(await added(() => t.call(deleteMessage, { msgId: id }, team.admin.token))).toEqual([
      { type: 'message_delete', by: BY, target: 'Ana Test', channel: 'Nord', details: { createdAt } },
    ]);
  });

  test('import of channels, with its numbers, and of each channel; export', async () => {
    const channelData = [{ name: 'Est' }, { name: 'Nord' }, { name: '' }];
    const imported = await added(() => t.call(createMultipleChannels, { channelData }, team.admin.token));
    expect(imported).toHaveLength(2);
    expect(imported).toEqual(
      expect.arrayContaining([
        { type: 'channel_import', by: BY, details: { created: 1, existing: 1, rejected: 1, repeated: 0 } },
        { type: 'channel_creation', by: BY, channel: 'Est', details: { imported: true } },
      ]),
    );
    expect(await added(() => t.call(getChannelsToExport, {}, team.admin.token))).toEqual([
      { type: 'channel_export', by: BY, details: { count: 3 } },
    ]);
  });

  test('session that somebody else ends', async () => {
    const { body } = await t.call(getUserSessions, { userId: team.ana.id }, team.admin.token);
    const sessionId = body.res[0]?.id ?? '';
    expect(await added(() => t.call(endSession, { sessionId }, team.admin.token))).toEqual([
      { type: 'session_end', by: BY, target: 'Ana Test', details: { isOne: true } },
    ]);
  });

  test('photo that is set, and removed', async () => {
    const image = { width: 8, height: 8, channels: 3, background: '#0a0' } as const;
    const bytes = await sharp({ create: image }).png().toBuffer();
    const set = (photo_url: string) => t.call(uploadUserPhoto, { userId: team.ana.id, photo_url }, team.ana.token);
    const one = { type: 'user_update', by: 'Ana Test', target: 'Ana Test' };
    expect(await added(() => set(`data:image/png;base64,${bytes.toString('base64')}`))).toEqual([
      { ...one, details: { changes: [{ field: 'photo', from: '', to: expect.stringMatching(/./u) }] } },
    ]);
    expect(await added(() => set(''))).toEqual([
      { ...one, details: { changes: [{ field: 'photo', from: expect.stringMatching(/./u), to: '' }] } },
    ]);
  });

  test('password that is changed by who has it, and by an administrator; never the password', async () => {
    await prove(t, [team.admin, team.ana]);
    const change = (token: string) => t.call(updatePasswordUser, { id: team.ana.id, password: 'geheim' }, token);
    expect(await added(() => change(team.ana.token))).toEqual([
      { type: 'password_change', by: 'Ana Test', target: 'Ana Test' },
    ]);
    expect(await added(() => change(team.admin.token))).toEqual([
      { type: 'password_change', by: BY, target: 'Ana Test' },
    ]);
  });

  test('user whose right to the map changes with others’; none of whoever had it', async () => {
    const give = (userIds: Team['ana']['id'][]) =>
      t.call(changeUsers, { userIds, change: { type: 'setMapRight', mapRight: true } }, team.admin.token);
    await give([team.bo.id]);
    const entries = await added(() => give([team.ana.id, team.bo.id, team.out.id]));
    expect(entries.toSorted((a, b) => ((a.target ?? '') < (b.target ?? '') ? -1 : 1))).toEqual(
      ['Ana Test', 'Out Test'].map((target) => ({
        ...{ type: 'map_right_change', by: BY, target, details: { from: false, to: true } },
      })),
    );
  });
});
