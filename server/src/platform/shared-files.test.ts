import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';

describe.skipIf(!hasRedis)('[FILE11] the folder of files of two processes', () => {
  let cluster: TestCluster;
  afterEach(() => cluster.close());

  const probesIn = (dataDir: string) => readdir(join(dataDir, 'files', 'probes'));

  test('is found to be another one', async () => {
    // By itself each has one of its own.
    cluster = await buildCluster();
    const [, two] = cluster.processes;
    await expect(two?.app.checkFolder()).rejects.toThrow(/^DATA_DIR\/files is not the folder of the processes/u);
    expect(await probesIn(String(two?.dataDir))).toEqual([]);
  });

  test('is found to be the same', async () => {
    cluster = await buildCluster();
    const { dataDir } = cluster.processes[0] as TestCluster['processes'][0];
    const beside = await buildCluster({ processes: 1, database: cluster.database, config: { dataDir } });
    await cluster.processes[1]?.stop();
    await expect(beside.processes[0]?.app.checkFolder()).resolves.toBeUndefined();
    expect(await probesIn(dataDir)).toEqual([]);
    await beside.close();
  });

  test('is not compared where nobody answers, and the process starts', async () => {
    cluster = await buildCluster();
    const [one, two] = cluster.processes as [TestCluster['processes'][0], TestCluster['processes'][0]];
    await one.stop();
    await expect(two.app.checkFolder()).resolves.toBeUndefined();
  });
});
