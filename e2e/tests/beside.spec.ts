import type { Page } from '@playwright/test';
import type { ParticipantId } from '@pressel/contract/ids';
import {
  expect,
  expectHeard,
  expectReady,
  release,
  roomPath,
  talk,
  talkButton,
  test,
  type World,
} from '../fixtures.ts';
import { connectNatively } from '../harness/native-socket.ts';
import { withholdFloor } from '../harness/withhold-floor.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

async function roomOfThree({ api, admin }: World, name: string) {
  const [lea, tom, mal] = await Promise.all(['Lea', 'Tom', 'Mal'].map((one) => api.person(one, admin.token)));
  if (lea === undefined || tom === undefined || mal === undefined) throw new Error('Nobody is there');
  return { ...(await api.channel(admin, name, [lea, tom, mal])), lea, tom, mal };
}

/** A client's offer that has only audio. */
const offerOf = (page: Page) =>
  page.evaluate(async () => {
    const connection = new RTCPeerConnection();
    connection.addTransceiver('audio');
    const { sdp } = await connection.createOffer();
    connection.close();
    return sdp ?? '';
  });

// The client that makes an offer chooses whether it has a BUNDLE group (RFC 8829).
for (const [name, change] of [
  ['with', (sdp: string) => sdp],
  ['without', (sdp: string) => sdp.replace(/^a=group:BUNDLE.*\r\n/mu, '')],
] as const) {
  test(`[TALK115] a foreign client’s offer of audio ${name} a BUNDLE group is answered`, async ({ world, open }) => {
    const { lea, tom, rtcSession } = await roomOfThree(world, 'Fremd');
    const page = await open(lea, roomPath(rtcSession));
    await expectReady(page, 1);
    const { socket, ask } = await connectNatively(world.server.origin, tom.token);
    const answers: string[] = [];
    socket.on('getAnswer', ({ sdp }) => void answers.push(sdp.sdp));
    const { participants } = await ask('join_room', { room: rtcSession });
    const sdp = { type: 'offer', sdp: change(await offerOf(page)) } as const;
    await ask('offer', { sdp, offerReceiveID: participants[0]?.id as ParticipantId, link: 'foreign' });
    await expect.poll(() => answers.length).toBe(1);
    socket.close();
  });
}

const PRESSES = 28;

test('[TALK115] [TALK117] a talker’s news go on being taken, however often somebody else presses', async ({
  world,
  open,
}) => {
  const { lea, tom, mal, rtcSession } = await roomOfThree(world, 'Gedränge');
  const page = await open(lea, roomPath(rtcSession), { voice: 'up', prepare: withholdFloor });
  const talker = await open(tom, roomPath(rtcSession), { voice: 'down' });
  for (const one of [page, talker]) await expectReady(one, 2);
  await talk(talker, () => expectHeard(page, 'down', 500));
  const { socket, ask } = await connectNatively(world.server.origin, mal.token);
  await ask('join_room', { room: rtcSession });
  // Enters the queue and leaves it, as often as the server lets one socket do.
  await Promise.all(
    Array.from({ length: PRESSES }, (_, index) => [
      ask('floor_request', { seq: 2 * index + 1, queue: true }),
      ask('floor_release', { seq: 2 * index + 2 }),
    ]).flat(),
  );
  await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
  await release(talker);
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  socket.close();
});

test('[TALK117] a channel that a member opens on its own is closed, before it floods the page', async ({
  world,
  open,
}) => {
  const { lea, mal, rtcSession } = await roomOfThree(world, 'Flut');
  const page = await open(lea, roomPath(rtcSession));
  const evil = await open(mal, roomPath(rtcSession));
  for (const one of [page, evil]) await expectReady(one, 2);
  const opened = await evil.evaluateHandle(() => {
    const { connections } = (window as unknown as { pageAudio: { connections: RTCPeerConnection[] } }).pageAudio;
    const channel = connections
      .find(({ connectionState }) => connectionState === 'connected')
      ?.createDataChannel('own');
    if (channel === undefined) throw new Error('no link');
    return channel;
  });
  // On a busy machine it is closed before this side has seen it open.
  await expect.poll(() => opened.evaluate(({ readyState }) => readyState)).toBe('closed');
});

test('[TALK118] a talk whose talker has no link here is said to have been missed', async ({ world, open, enter }) => {
  const { lea, tom, mal, rtcSession } = await roomOfThree(world, 'Sourd');
  const page = await open(lea, roomPath(rtcSession));
  const heard = await enter(tom, rtcSession);
  await expectReady(page, 2);
  const { socket, ask } = await connectNatively(world.server.origin, mal.token);
  await ask('join_room', { room: rtcSession });
  await heard.press();
  await expect(talkButton(page)).toHaveAttribute('data-state', 'busy');
  await heard.release();
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  await ask('floor_request', { seq: 1 });
  await expect(talkButton(page)).toHaveAttribute('data-state', 'busy');
  await ask('floor_release', { seq: 2 });
  const notice = page.getByRole('alert').filter({ hasText: say('voice.notice.missed_one', { count: 1 }) });
  await expect(notice).toContainText(mal.name);
  await expect(notice).not.toContainText(tom.name);
  socket.close();
});
