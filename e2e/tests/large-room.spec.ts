import type { Page } from '@playwright/test';
import type { ParticipantId } from '@pressel/contract/ids';
import { MESH_COMFORT_SIZE } from '@pressel/contract/limits';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  release,
  roomPath,
  TALK_PATIENCE,
  talk,
  talkButton,
  test,
  tiles,
} from '../fixtures.ts';
import { type NativePeer, talkOn } from '../harness/native-peer.ts';
import { decodeOpus } from '../harness/opus-voice.ts';
import { stopListening } from '../harness/page-audio.ts';
import { recognise, type Voice } from '../harness/voice-signal.ts';

// Thirteen browsers fill any machine: `npm run bench -- mesh` has them. Here most people are without one.

const LINKS = { timeout: 90_000 };
const SILENCE = { up: 0, down: 0 };
/** Packets of each sender that are decoded at a time: a second of voice. */
const PACKETS = 50;

const expectLinked = async (peers: readonly NativePeer[], participants: number): Promise<void> => {
  const least = () => Math.min(...peers.map((peer) => peer.connectedTo().size));
  await expect.poll(least, LINKS).toBe(participants - 1);
};

/** Expects that somebody without a browser hears a voice from one sender, and nothing from anybody else. A page decodes it. */
async function expectHeardNatively(peer: NativePeer, from: ParticipantId, voice: Voice, page: Page): Promise<void> {
  const sum = new Map([[from, SILENCE]]);
  await expect
    .poll(async () => {
      for (const [id, packets] of peer.takeHeard()) {
        const { up, down } = recognise(await decodeOpus(page, packets.slice(-PACKETS)));
        const before = sum.get(id) ?? SILENCE;
        sum.set(id, { up: before.up + up, down: before.down + down });
      }
      return sum.get(from)?.[voice];
    }, TALK_PATIENCE)
    .toBeGreaterThan(400);
  sum.delete(from);
  for (const heard of sum.values()) expect(heard).toEqual(SILENCE);
}

const talkerOf = async (peer: NativePeer): Promise<ParticipantId> => {
  await expect.poll(() => peer.floor().talkers.length).toBe(1);
  return peer.floor().talkers[0]?.id as ParticipantId;
};

test(`${MESH_COMFORT_SIZE} people in one room: all are linked, all hear who talks and nobody else, one comes late, one vanishes`, async ({
  world,
  open,
  enter,
}) => {
  const { api, admin } = world;
  const [ann, bob, late, ...others] = await Promise.all(
    Array.from({ length: MESH_COMFORT_SIZE + 2 }, (_, index) => api.person(`Membre${index}`, admin.token)),
  );
  if (ann === undefined || bob === undefined || late === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Grande salle', [ann, bob, late, ...others]);
  const inside = others.slice(0, MESH_COMFORT_SIZE - 3);
  const peers: NativePeer[] = [];
  for (const person of inside) peers.push(await enter(person, rtcSession));
  const [first, second] = peers;
  if (first === undefined || second === undefined) throw new Error('Nobody is there');
  const talker = await open(ann, roomPath(rtcSession));
  const listener = await open(bob, roomPath(rtcSession));
  for (const page of [talker, listener]) await expectReady(page, MESH_COMFORT_SIZE - 1);
  await expectLinked(peers, MESH_COMFORT_SIZE - 1);

  await talk(talker, async () => {
    expect((await expectHeard(listener, 'up', 400, TALK_PATIENCE)).down).toBe(0);
    const talkerId = await talkerOf(first);
    for (const peer of peers) await expectHeardNatively(peer, talkerId, 'up', listener);
  });
  await release(talker);
  await expect(talkButton(listener)).toHaveAttribute('data-state', 'idle');
  await expectSilence(listener);

  const stop = talkOn(first);
  for (const page of [talker, listener]) expect((await expectHeard(page, 'down', 400)).up).toBe(0);
  for (const peer of peers.slice(1)) {
    peer.takeHeard();
    await expectHeardNatively(peer, first.id, 'down', listener);
  }
  for (const page of [talker, listener]) await stopListening(page);
  const newcomer = await open(late, roomPath(rtcSession));
  await expect(newcomer.locator('[data-tile][data-presence=talking]'), 'who comes late sees who talks').toHaveCount(1);
  await expectHeard(newcomer, 'down', 400);
  await stopListening(newcomer);
  await stop();
  await expectReady(newcomer, MESH_COMFORT_SIZE);
  await expect(newcomer.getByText(/salon est grand/u)).toHaveCount(0);

  await second.press();
  await expect(talkButton(newcomer)).toHaveAttribute('data-state', 'busy');
  second.vanish();
  const rest = peers.filter((peer) => peer !== second);
  for (const page of [talker, listener, newcomer]) {
    await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
    await expectReady(page, MESH_COMFORT_SIZE - 1);
  }
  await expectLinked(rest, MESH_COMFORT_SIZE - 1);
  await talk(newcomer, () => expectHeard(talker, 'up', 400, TALK_PATIENCE));
  await release(newcomer);

  for (const person of others.slice(MESH_COMFORT_SIZE - 3)) await enter(person, rtcSession);
  for (const page of [talker, newcomer]) {
    await expect(tiles(page)).toHaveCount(MESH_COMFORT_SIZE + 1);
    await expect(page.getByText(/salon est grand/u)).toBeVisible();
  }
});
