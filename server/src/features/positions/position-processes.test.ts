import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';

describe.skipIf(!hasRedis)('[PROC38] positions of a user whose devices are at two processes', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestApp, TestApp];
  let team: Team;
  beforeEach(async () => {
    cluster = await buildCluster();
    [one, two] = cluster.processes as [TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  test('an older one is neither shown nor stored after a newer one', async () => {
    const admin = await one.connect(team.admin.token);
    await caughtUp(admin);
    const [phone, desk] = [await one.connect(team.ana.token), await two.connect(team.ana.token)];
    for (const socket of [phone, desk]) await caughtUp(socket);
    const at = (lng: number, ageMs: number) => ({ lat: 48, lng, ageMs });
    await phone.send('position_update', at(1, 60_000));
    expect(await admin.next('onLocationChanged')).toMatchObject({ lng: 1 });
    await desk.send('position_update', at(2, 0));
    expect(await admin.next('onLocationChanged')).toMatchObject({ lng: 2 });
    expect(await phone.send('position_update', at(3, 30_000))).toMatchObject({ ok: true });
    await phone.send('position_update', at(4, 0));
    expect(await admin.next('onLocationChanged'), 'the one between them is left out').toMatchObject({ lng: 4 });
  });
});
