import { getUserById, uploadUserPhoto } from '@pressel/contract/users';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secrets } from '#src/db/schema/server.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';

const PHOTO = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#40a060' } })
  .png()
  .toBuffer();

let t: TestApp;
let others: TestApp[];
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  others = [];
  team = await makeTeam(t);
  const photo_url = `data:image/png;base64,${PHOTO.toString('base64')}`;
  await t.call(uploadUserPhoto, { userId: team.ana.id, photo_url }, team.ana.token);
});
afterEach(async () => {
  for (const other of others) await other.close();
  await t.close();
});

/** Another process on the same database, or the same one after a restart. */
async function startOther(): Promise<TestApp> {
  const other = await buildTestApp({ database: t.database });
  others.push(other);
  return other;
}
const pathFrom = async (process: TestApp): Promise<string> =>
  String((await process.call(getUserById, { userId: team.ana.id }, team.ana.token)).body.res.photo_url);
const statusAt = async (process: TestApp, url: string): Promise<number> =>
  (await process.app.inject({ url })).statusCode;

test('a path outlives a restart, and opens at every process on the database', async () => {
  const path = await pathFrom(t);
  const other = await startOther();
  expect(await statusAt(other, path)).toBe(200);
  expect(await statusAt(t, await pathFrom(other))).toBe(200);
});

test('a path that was signed with another key is not found', async () => {
  const path = await pathFrom(t);
  await t.database.db.delete(secrets);
  const stranger = await startOther();
  expect(await statusAt(stranger, path)).toBe(404);
  expect(await statusAt(t, await pathFrom(stranger))).toBe(404);
});
