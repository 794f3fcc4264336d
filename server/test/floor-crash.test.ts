import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import type { FloorStore } from '#src/features/voice/floor-store.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createStores, press, put } from './floor-stores.ts';
import { copyDataFolder } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

const quiet = { debug: () => undefined, warn: () => undefined, error: () => undefined };

test('[PROC24] a PostgreSQL that is killed forgets the floors, and their processes bring them back', {
  timeout: 120_000,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressel-floors-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await copyDataFolder(dir);
  const cluster = await startCluster({ programs: await findPrograms(), folder: join(dir, 'postgres'), log: quiet });
  onTestFinished(() => cluster.stop());
  const admin = new pg.Client(cluster.connection);
  await admin.connect();
  // Long ago, so that nothing is recovering before the crash.
  await admin.query('insert into floor_epochs values (1, 1)');
  await admin.end();
  const stores = createStores(cluster.connection);
  onTestFinished(async () => void (await stores.close()));
  const open = () => stores.open({ recoveryMs: FLOOR_LEASE_MS });
  const [one, two] = [await open(), await open()];
  const nord = uuidV7() as ChannelId;
  await put(one, nord, press('ana'));
  await put(two, nord, press('bo'));
  const before = (await two.read(nord)).state;

  process.kill(cluster.pid, 'SIGKILL');
  const answers = (store: FloorStore) =>
    store.due().then(
      () => store.openedAt() > 1,
      () => false,
    );
  await waitUntil(async () => (await answers(one)) && (await answers(two)), 60_000);
  await waitUntil(async () => (await one.read(nord)).state.queue.length === 1, 60_000);
  const { state } = await put(one, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 1 }).then(
    ({ step }) => step,
  );
  expect(state).toMatchObject({ talkers: [{ id: 'ana', seq: 1 }], queue: [{ id: 'bo', seq: 1 }] });
  expect(state.version).toBeGreaterThanOrEqual(before.version);
  expect(state.lastSeq).toEqual({ ana: 1, bo: 1 });
});
