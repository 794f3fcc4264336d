import type { BrowserContext, Page } from '@playwright/test';
import type { ParticipantId } from '@pressel/contract/ids';
import { expect, expectReady, roomPath, test, tiles } from '../fixtures.ts';
import { connectNatively } from '../harness/native-socket.ts';

/** Counts the peer connections that a page makes. */
const countConnections = () => {
  const counted = window as { connectionsMade?: number };
  counted.connectionsMade = 0;
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      counted.connectionsMade = (counted.connectionsMade ?? 0) + 1;
    }
  };
};
const connectionsOf = (page: Page) =>
  page.evaluate(() => (window as { connectionsMade?: number }).connectionsMade ?? Number.NaN);

/** An offer that any page accepts. */
const validOffer = (page: Page) =>
  page.evaluate(async () => {
    const connection = new RTCPeerConnection();
    connection.addTransceiver('audio');
    const { sdp } = await connection.createOffer();
    connection.close();
    return sdp ?? '';
  });

const ROUNDS = 6;
const SOCKETS = 8;
/** 20 at once, then one every 2 s [LINK12]: an attack of some seconds doesn't reach this number within a minute. */
const FEW = 50;

test('[LINK12] a member who offers all the time, by many sockets that come and go, costs few connections', async ({
  world: { api, admin, server },
  open,
}) => {
  const [ann, bob, mal] = await Promise.all(['Ann', 'Bob', 'Mal'].map((name) => api.person(name, admin.token)));
  if (ann === undefined || bob === undefined || mal === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Prise pour cible', [ann, bob, mal]);
  const prepare = async (context: BrowserContext) => void (await context.addInitScript(countConnections));
  const page = await open(ann, roomPath(rtcSession), { prepare });
  await expectReady(page, 1);
  const type = 'offer';
  const sdp = { type, sdp: await validOffer(page) } as const;
  const before = await connectionsOf(page);

  /** Enters twice, and offers two new links each time. */
  const attack = async (name: string) => {
    const { socket, ask } = await connectNatively(server.origin, mal.token);
    for (const visit of ['first', 'second']) {
      const { participants } = await ask('join_room', { room: rtcSession });
      const others = participants.filter(({ userId }) => userId !== mal.id);
      for (const { id } of others)
        for (const link of ['a', 'b'])
          await ask(type, { sdp, offerReceiveID: id as ParticipantId, link: `${name} ${visit} ${link}` }).catch(
            () => null,
          );
      await ask('leave_room', {});
    }
    socket.close();
  };
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all(Array.from({ length: SOCKETS }, (_, index) => attack(`${round} ${index}`)));

  await expect(tiles(page)).toHaveCount(1);
  // A well-meaning newcomer is linked at once.
  const friend = await open(bob, roomPath(rtcSession));
  for (const one of [page, friend]) await expectReady(one, 2);
  const made = (await connectionsOf(page)) - before;
  expect(made).toBeGreaterThan(1);
  expect(made).toBeLessThan(FEW);
});
