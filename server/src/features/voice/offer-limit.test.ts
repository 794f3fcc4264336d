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

const offerTo = (to: string, link: string) => ({
  sdp: { type: 'offer' as const, sdp: 'v=0' },
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
