import { webcrypto } from 'node:crypto';
import type { ParticipantId } from '@pressel/contract/ids';
import { type FloorNews, floorText } from '@pressel/contract/voice';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

/** Checks a signature as a browser does. */
async function isSigned({ signature, ...floor }: FloorNews, publicKey: string): Promise<boolean> {
  const { subtle } = webcrypto;
  const key = await subtle.importKey('raw', Buffer.from(publicKey, 'base64url'), ECDSA, false, ['verify']);
  return subtle.verify(ECDSA, key, Buffer.from(signature, 'base64url'), Buffer.from(floorText(floor)));
}

test('[TALK115] every floor that is told is signed, by the key that the answer to a join names', async () => {
  const [ana, bo] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.bo, 'Nord')];
  const { floorKey } = bo.state;
  expect(ana.state.floorKey).toBe(floorKey);
  expect(await isSigned(ana.state.floor, floorKey)).toBe(true);
  await ana.send('floor_request', { seq: 1 });
  const taken = await bo.next('floor_changed');
  expect(taken.talkers).toMatchObject([{ id: ana.id }]);
  expect(await isSigned(taken, floorKey)).toBe(true);
  await ana.send('floor_release', { seq: 2 });
  const idle = await bo.next('floor_changed');
  expect(await isSigned(idle, floorKey)).toBe(true);
  const floorNow = async () => {
    const beat = await bo.send('beat', { version: 0 });
    return beat.ok ? beat.data.floor : undefined;
  };
  // A process that didn't make the change may know the earlier floor for a quarter of a second, and tell it to a newcomer.
  if (PROCESSES > 1) await waitUntil(async () => (await floorNow())?.version === idle.version);
  const floor = await floorNow();
  expect(floor).toMatchObject({ version: idle.version, talkers: [] });
  expect(floor !== undefined && (await isSigned(floor, floorKey))).toBe(true);
});

test('[TALK115] nothing of a signed floor can be changed, and another installation’s key is another one', async () => {
  const [ana, bo] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.bo, 'Nord')];
  const { floorKey } = bo.state;
  await ana.send('floor_request', { seq: 1 });
  await bo.send('floor_request', { seq: 1, queue: true });
  await ana.next('floor_changed');
  const news = await ana.next('floor_changed');
  const [talker] = news.talkers;
  if (talker === undefined) throw new Error('nobody talks');
  const changes: Partial<FloorNews>[] = [
    { signedAt: news.signedAt + 1 },
    { channelId: team.sud },
    { version: news.version + 1 },
    { mode: 'open' },
    { queue: [] },
    { talkers: [] },
    ...[
      { id: bo.id as ParticipantId },
      { userId: team.bo.id },
      { name: 'Nobody' },
      { talkingMs: 9_999 },
      { remainingMs: 9_999 },
    ].map((change) => ({ talkers: [{ ...talker, ...change }] })),
  ];
  expect(await isSigned(news, floorKey)).toBe(true);
  for (const change of changes) {
    expect(await isSigned({ ...news, ...change }, floorKey), JSON.stringify(change)).toBe(false);
  }
  const other = await buildTestApp();
  const { state } = await enterRoom(other, (await makeTeam(other)).ana, 'Nord');
  await other.close();
  expect(await isSigned(news, state.floorKey)).toBe(false);
});
