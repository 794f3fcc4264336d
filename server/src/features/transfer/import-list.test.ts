import { createMultipleChannels, createMultipleUsers, listImports } from '@pressel/contract/transfer';
import { expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, CHEAP_PASSWORDS, PASSWORD } from '#test/build-test-app.ts';
import { caughtUp, makeTeam } from '#test/factories.ts';

test('[IMP32] the own imports are listed, running and ended, on any device, for an hour', async () => {
  let time = new Date('2026-03-01T10:00:00Z');
  const passwords = await CHEAP_PASSWORDS;
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const t = await buildTestApp({
    now: () => time,
    passwords: {
      ...passwords,
      async hashAll(...given: Parameters<typeof passwords.hashAll>) {
        await held;
        return passwords.hashAll(...given);
      },
    },
  });
  const { admin } = await makeTeam(t);
  const list = async (token = admin.token) => (await t.call(listImports, {}, token)).body.res;
  const [first, second] = [uuidV7(), uuidV7()];
  await t.call(createMultipleChannels, { channelData: [], importId: first }, admin.token);
  const socket = await t.connect(admin.token);
  await caughtUp(socket);
  time = new Date('2026-03-01T10:02:00Z');
  const row = { firstName: 'Lea', lastName: 'Ruiz', identifier: 'lea@example.net', pseudo: 'L', mapRight: 'oui' };
  const userData = [{ ...row, password: PASSWORD }];
  const answer = t.call(createMultipleUsers, { userData, importId: second }, admin.token);
  await socket.next('import_progress');
  expect(await list(await t.signIn(admin))).toEqual([
    { importId: second, kind: 'users', state: 'running', startedAt: '2026-03-01T10:02:00.000Z', endedAt: null },
    {
      importId: first,
      kind: 'channels',
      state: 'ended',
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:00:00.000Z',
    },
  ]);
  letGo();
  await answer;
  expect((await list()).map(({ state }) => state)).toEqual(['ended', 'ended']);
  time = new Date('2026-03-01T11:03:00Z');
  expect(await list()).toEqual([]);
  await t.close();
});
