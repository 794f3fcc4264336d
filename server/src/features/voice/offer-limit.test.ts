import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';

let t: TestApp;
let team: Team;
let steady: number;
beforeEach(async () => {
  steady = 1_000;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const offerTo = (to: string, link: string, sdp = 'v=0') => ({
  sdp: { type: 'offer' as const, sdp },
  offerReceiveID: to as never,
  link,
});

test('[LINK11] offers from one participant to another are limited, and those to and from others are not', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  const admin = await enterRoom(t, team.admin, 'Nord');
  const acks = [];
  for (let count = 0; count < 40; count += 1) acks.push(await ana.send('offer', offerTo(bo.id, `l${count}`)));
  expect(acks.filter(({ ok }) => ok)).toHaveLength(10);
  expect(acks.at(-1)).toMatchObject({ ok: false, code: 'too_many', params: { retryAfterSeconds: 2 } });
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(10);

  expect(await ana.send('offer', offerTo(admin.id, 'x'))).toMatchObject({ ok: true });
  expect(await bo.send('offer', offerTo(ana.id, 'x'))).toMatchObject({ ok: true });
  steady += 2_000;
  expect(await ana.send('offer', offerTo(bo.id, 'later'))).toMatchObject({ ok: true });
  expect(await ana.send('offer', offerTo(bo.id, 'too soon'))).toMatchObject({ ok: false });
});

test('[LINK11] a description that is longer than any browser’s reaches nobody', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  expect(await ana.send('offer', offerTo(bo.id, 'fits', 'v'.repeat(16_384)))).toMatchObject({ ok: true });
  const refused = { ok: false, code: 'malformed' };
  expect(await ana.send('offer', offerTo(bo.id, 'long', 'v'.repeat(16_385)))).toMatchObject(refused);
  const sdp = { type: 'answer' as const, sdp: 'v'.repeat(16_385) };
  expect(await ana.send('answer', { sdp, answerReceiveID: bo.id as never, link: 'long' })).toMatchObject(refused);
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(1);
  expect(bo.waiting('getAnswer')).toHaveLength(0);
});
