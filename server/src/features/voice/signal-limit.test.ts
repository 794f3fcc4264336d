import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, join, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink } from '#test/guests.ts';

/** Number of offers from one person to one participant that are relayed at once. */
const AT_ONCE = 20;

let t: TestApp;
let team: Team;
let steady: number;
beforeEach(async () => {
  steady = 1_000;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(() => t.close());

/**
 * A person who sends too much hears of it from the receiver's process. Signals to another process are sent, and dropped there
 * [PROC36].
 */
const expectRefused = (...acks: { ok: boolean }[]) => {
  if (PROCESSES === 1) for (const ack of acks) expect(ack).toMatchObject({ ok: false, code: 'too_many' });
};

const offerTo = (to: string, link: string, sdp = 'v=0') => ({
  sdp: { type: 'offer' as const, sdp },
  offerReceiveID: to as never,
  link,
});

test('[LINK11] offers from one person to a participant are limited, and those to and from others are not', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  const admin = await enterRoom(t, team.admin, 'Nord');
  const acks = [];
  for (let count = 0; count < 40; count += 1) acks.push(await ana.send('offer', offerTo(bo.id, `l${count}`)));
  expectRefused(...acks.slice(AT_ONCE));
  if (PROCESSES === 1) expect(acks.at(-1)).toMatchObject({ params: { retryAfterSeconds: 1 } });
  expect(acks.slice(0, AT_ONCE).filter(({ ok }) => ok)).toHaveLength(AT_ONCE);
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(AT_ONCE);

  expect(await ana.send('offer', offerTo(admin.id, 'x'))).toMatchObject({ ok: true });
  expect(await bo.send('offer', offerTo(ana.id, 'x'))).toMatchObject({ ok: true });
  steady += 1_000;
  expect(await ana.send('offer', offerTo(bo.id, 'later'))).toMatchObject({ ok: true });
  expectRefused(await ana.send('offer', offerTo(bo.id, 'too soon')));
  await caughtUp(bo);
  expect(bo.waiting('getOffer').slice(AT_ONCE)).toMatchObject([{ link: 'later' }]);
});

test('[LINK11] many sockets of one person, and such as come back, share what they may', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const acks: { ok: boolean }[] = [];
  for (let round = 0; round < 4; round += 1) {
    const sockets = await Promise.all([0, 1, 2, 3].map(() => enterRoom(t, team.ana, 'Nord')));
    for (const socket of sockets) {
      for (const link of ['a', 'b']) acks.push(await socket.send('offer', offerTo(bo.id, link)));
      await socket.send('leave_room', {});
      await join(socket, 'Nord');
      for (const link of ['c', 'd']) acks.push(await socket.send('offer', offerTo(bo.id, link)));
      socket.close();
    }
  }
  expectRefused(...acks.slice(AT_ONCE));
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(AT_ONCE);
});

test('[LINK11] a guest who offers all the time leaves the other guests of the link what they need', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const link = await makeLink(t, team.admin, team.nord);
  const [mal, guest] = [await enterByLink(t, link, 'Nord', 'Mal'), await enterByLink(t, link, 'Nord', 'Julie')];
  const malAgain = await enterRoom(t, { ...team.bo, token: mal.token }, 'Nord');
  const acks: { ok: boolean }[] = [];
  for (let count = 0; count < 60; count += 1)
    for (const tab of [mal, malAgain]) acks.push(await tab.send('offer', offerTo(bo.id, `l${count}`)));
  expectRefused(...acks.slice(AT_ONCE));
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(AT_ONCE);
  for (let count = 0; count < AT_ONCE; count += 1)
    expect(await guest.send('offer', offerTo(bo.id, `g${count}`))).toMatchObject({ ok: true });
  await caughtUp(bo);
  expect(bo.waiting('getOffer')).toHaveLength(2 * AT_ONCE);
});

test('[LINK11] three tabs that lose their sockets six times in a minute reach everybody at once each time', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  for (let round = 0; round < 6; round += 1) {
    const tabs = await Promise.all([0, 1, 2].map(() => enterRoom(t, team.ana, 'Nord')));
    for (const tab of tabs) {
      expect(await tab.send('offer', offerTo(bo.id, 'first'))).toMatchObject({ ok: true });
      expect(await tab.send('offer', offerTo(bo.id, 'restart'))).toMatchObject({ ok: true });
      tab.close();
    }
    steady += 10_000;
    await caughtUp(bo);
    expect(bo.waiting('getOffer')).toHaveLength(6 * (round + 1));
  }
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

test('[LINK13] candidates beyond a person’s share are refused and reach nobody; others still reach', async () => {
  const [ana, again] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.ana, 'Nord')];
  const bo = await enterRoom(t, team.bo, 'Nord');
  const candidate = { candidate: 'candidate:1 1 udp 1 192.0.2.1 9 typ host', sdpMid: '0' };
  const to = (id: string) => ({ candidate, candidateReceiveID: id as never });
  let reached = 0;
  bo.raw.on('getCandidate', () => {
    reached += 1;
  });
  let refused = 0;
  // One socket would use up its own allowance of events first: two sockets of the person send, and time passes between rounds.
  for (let round = 0; round < 6; round += 1) {
    const acks = await Promise.all(
      Array.from({ length: 520 }, (_, index) => (index % 2 === 0 ? ana : again).send('candidate', to(bo.id))),
    );
    refused += acks.filter((ack) => !ack.ok && ack.code === 'too_many').length;
    // The receiver's process has counted them by then.
    await caughtUp(bo);
    steady += 2_000;
  }
  // The receiver gets 1,200 at once, then 100 a second.
  expect(reached).toBe(1_200 + 100 * 10);
  if (PROCESSES === 1) expect(refused).toBe(6 * 520 - reached);
  expect(await ana.send('candidate', to(again.id))).toMatchObject({ ok: true });
});
