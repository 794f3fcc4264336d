import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { Participant } from '@pressel/contract/presence';
import { describe, expect, test } from 'vitest';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { checkRuns } from '#test/random-source.ts';
import {
  type Bench,
  CHANNEL,
  floorOf,
  genuine,
  openLine,
  openRoom,
  participantOf,
  roomStateOf,
  signedBy,
} from '#test/voice-bench.ts';
import { createFloorView } from './floor.ts';
import { createEarlyMedia, EARLY_MS } from './peer-floor-news.ts';

const idOf = (name: string) => name as ParticipantId;
const guestOf = (name: string, link: string): Participant => ({ ...participantOf(name), guest: { name, link } });

/** Self in a room with others; nothing is left to play of a talker who stops. */
const open = (others: readonly Participant[] = ['ann', 'bob', 'cid'].map((name) => participantOf(name))) => {
  const clock = createFakeClock();
  const view = createFloorView({
    clock,
    self: () => participantOf('self'),
    isPlayed: () => false,
    bufferedMs: async () => 0,
  });
  const own = { isSending: false };
  const media = createEarlyMedia({
    ...{ clock, floor: view, others: () => others, isSending: () => own.isSending },
    spent: new Set(),
  });
  view.apply(floorOf(1));
  return {
    clock,
    view,
    media,
    own,
    press: (name: string) => media.pressed(idOf(name)),
    heard: () => [...view.audible()].sort(),
  };
};

test('[TALK49] who presses on an idle floor is heard at once, and on when the news name them', async () => {
  const { clock, view, press, heard } = open();
  press('ann');
  expect(heard()).toEqual(['ann']);
  await clock.advance(300);
  view.apply(floorOf(2, ['ann']));
  await clock.advance(5_000);
  expect(heard()).toEqual(['ann']);
  view.apply(floorOf(3));
  await clock.advance(300);
  expect(heard()).toEqual([]);
  press('ann');
  expect(heard(), 'at the next press again').toEqual(['ann']);
});

test('[TALK49] of two who press at once the first is heard, until the news name the other one', async () => {
  const { clock, view, press, heard } = open();
  press('ann');
  press('bob');
  expect(heard()).toEqual(['ann']);
  await clock.advance(200);
  view.apply(floorOf(2, ['bob']));
  expect(heard()).toEqual(['bob']);
});

test('[TALK49] who never gets the floor is heard for 700 ms, once', async () => {
  const { clock, view, press, heard } = open();
  press('ann');
  await clock.advance(EARLY_MS - 1);
  expect(heard()).toEqual(['ann']);
  await clock.advance(1);
  expect(heard()).toEqual([]);
  for (let again = 0; again < 5; again += 1) {
    press('ann');
    expect(heard()).toEqual([]);
    await clock.advance(60_000);
  }
  view.apply(floorOf(2, ['bob']));
  view.apply(floorOf(3));
  await clock.advance(300);
  press('ann');
  expect(heard(), 'another one’s talk is no excuse').toEqual([]);
  view.apply(floorOf(4, ['ann']));
  view.apply(floorOf(5));
  await clock.advance(300);
  press('ann');
  expect(heard()).toEqual(['ann']);
  expect(clock.pending()).toBe(1);
});

test('[TALK49] who is contradicted is not tried again before they talked, after a lost link neither', async () => {
  const { view, press, heard } = open();
  press('ann');
  view.apply(floorOf(2, ['bob']));
  view.reset();
  view.apply(floorOf(1));
  press('ann');
  expect(heard()).toEqual([]);
});

test('[TALK49] all tabs of a person share one try, and so do all guests of a link', async () => {
  const again = { ...participantOf('ann'), id: idOf('ann-2') };
  const guests = [guestOf('dan', 'Visit'), guestOf('eva', 'Visit'), guestOf('fay', 'Other')];
  const { clock, view, press, heard } = open([participantOf('ann'), again, ...guests]);
  const tries = async (name: string) => {
    press(name);
    const found = heard();
    await clock.advance(EARLY_MS);
    return found;
  };
  expect(await tries('ann')).toEqual(['ann']);
  expect(await tries('ann-2')).toEqual([]);
  expect(await tries('dan')).toEqual(['dan']);
  expect(await tries('eva')).toEqual([]);
  expect(await tries('fay')).toEqual(['fay']);
  view.apply(floorOf(2, ['eva']));
  view.apply(floorOf(3));
  await clock.advance(300);
  expect(await tries('dan')).toEqual(['dan']);
});

describe('[TALK49] nobody is heard early', () => {
  test.each([
    ['somebody talks', floorOf(2, ['bob'])],
    ['somebody waits', floorOf(2, [], { queue: [idOf('bob')] })],
  ])('while %s', (_, floor) => {
    const { view, press, heard } = open();
    view.apply(floor);
    const before = heard();
    press('ann');
    expect(heard()).toEqual(before);
  });

  test('before the floor is known', () => {
    const { view, press, heard } = open();
    view.reset();
    press('ann');
    expect(heard()).toEqual([]);
  });

  test('who isn’t in the room', () => {
    const { press, heard } = open();
    press('stranger');
    expect(heard()).toEqual([]);
  });

  test('[TALK52] on one’s own other devices, unless they are to be heard', async () => {
    const { clock, view, press, heard } = open([participantOf('second-tab')]);
    press('second-tab');
    expect(heard()).toEqual([]);
    view.setHearsOwn(true);
    expect(heard()).toEqual(['second-tab']);
    await clock.advance(EARLY_MS);
    expect(heard()).toEqual([]);
  });

  test('[TALK53] by who talks themselves, or begins to', () => {
    const { media, own, press, heard } = open();
    press('ann');
    own.isSending = true;
    media.stop();
    expect(heard()).toEqual([]);
    press('bob');
    expect(heard()).toEqual([]);
  });
});

test('[TALK51] what is left to play of the last talker is played beside them, as beside a successor', async () => {
  const { clock, view, press, heard } = open();
  view.apply(floorOf(2, ['bob']));
  view.apply(floorOf(3));
  press('ann');
  expect(heard()).toEqual(['ann', 'bob']);
  // Nothing is left to play: it takes two looks to notice.
  await clock.advance(150);
  expect(heard()).toEqual(['ann']);
});

test('[TALK49] in open mode too, where the news are about others', () => {
  const { view, press, heard } = open();
  view.apply(floorOf(2, ['bob'], { mode: 'open' }));
  press('ann');
  view.apply(floorOf(3, ['bob', 'cid'], { mode: 'open' }));
  expect(heard()).toEqual(['ann', 'bob', 'cid']);
  view.apply(floorOf(4, ['ann', 'bob', 'cid'], { mode: 'open' }));
  view.apply(floorOf(5, [], { mode: 'single' }));
  expect(view.early()).toBeNull();
});

test('[TALK49] whatever attackers say and whenever, one at a time is heard early, and each for 700 ms in all before they talk', async () => {
  const names = ['ann', 'bob', 'cid'];
  await checkRuns({ runs: 60, steps: 300 }, async ({ below }, steps) => {
    const { clock, view, media, own, press } = open();
    const early = new Map<string, number>();
    let version = 1;
    for (const _step of steps) {
      const name = names[below(3)] ?? '';
      const act = below(10);
      if (act < 6) press(name);
      else if (act < 8) {
        version += 1;
        const isIdle = below(2) === 0;
        view.apply(floorOf(version, isIdle ? [] : [name]));
        if (!isIdle) early.delete(name);
      } else if (act === 8) {
        own.isSending = below(2) === 0;
        if (own.isSending) media.stop();
      }
      const talkers = view.current()?.talkers ?? [];
      const now = view.early();
      expect(now === null || talkers.length === 0, 'early beside a talker').toBe(true);
      const ms = 1 + below(150);
      if (now === null) await clock.advance(ms);
      for (let passed = 0; now !== null && passed < ms; passed += 1) {
        await clock.advance(1);
        if (view.early() === now) early.set(now.id, (early.get(now.id) ?? 0) + 1);
      }
      for (const [who, sum] of early) expect(sum, who).toBeLessThanOrEqual(EARLY_MS);
    }
  });
});

const playing = (bench: Bench) => [...bench.audio.playing].map((track) => track.enabled);

test('[TALK49] [TALK147] in a room: heard from the press that the link tells, while the news of the grant are under way', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'] });
  const [bob, cid] = [await openLine(bench, 0), await openLine(bench, 1)];
  expect(playing(bench)).toEqual([false, false]);
  await bob.hear({ ...floorOf(0), isPress: true });
  await cid.hear({ ...floorOf(0), isPress: true });
  expect(playing(bench)).toEqual([true, false]);
  bench.signalling.emit('floor_changed', genuine(floorOf(2, ['cid'])));
  expect(playing(bench), 'the server chose the other one').toEqual([false, true]);
});

test('[TALK147] a floor that is newer than ours counts if the server signed it: its end was under way, and the next one presses already', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'], state: { floor: floorOf(2, ['bob']) } });
  const cid = await openLine(bench, 1);
  await cid.hear({ ...genuine(floorOf(3)), isPress: true });
  expect(playing(bench)).toEqual([true, true]);
  await bench.clock.advance(150);
  expect(playing(bench)).toEqual([false, true]);
  expect(cid.channel.readyState).toBe('open');
});

test('[TALK147] a forged floor opens nothing', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'], state: { floor: floorOf(2, ['bob']) } });
  const cid = await openLine(bench, 1);
  await cid.hear({ ...floorOf(3), signature: signedBy('other', 'anything'), isPress: true });
  expect(playing(bench)).toEqual([true, false]);
  expect(cid.channel.readyState).toBe('closed');
});

test('[TALK49] who is met in several rooms has one try for all of them', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const bob = await openLine(bench);
  const south = '01890000-0000-7000-8000-000000000010' as ChannelId;
  bench.signalling.answer('join_room', ({ room }) =>
    ok<'join_room'>(
      roomStateOf(['bob'], {
        channel: { id: south, name: room, rtcSession: room, talkMode: 'single' },
        floor: floorOf(1, [], { channelId: south }),
      }),
    ),
  );
  bench.enter('South');
  await settle();
  await bob.hear({ ...floorOf(0, [], { channelId: CHANNEL }), isPress: true });
  expect(playing(bench)).toEqual([true]);
  await bench.clock.advance(EARLY_MS);
  expect(playing(bench)).toEqual([false]);
  await bob.hear({ ...floorOf(0, [], { channelId: south }), isPress: true });
  expect(playing(bench)).toEqual([false]);
});

test('[TALK56] who is silenced stays silent', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const bob = await openLine(bench);
  bench.room.setPreferences({
    ...{ tones: true, tailMs: 200, hearsOwnDevices: false, roomVolume: 1 },
    volumes: { [participantOf('bob').userId as UserId]: 0 },
  });
  await bob.hear({ ...floorOf(0), isPress: true });
  expect(playing(bench)).toEqual([false]);
});

test('[TALK53] one’s own press ends what is heard early, and nothing is heard early while one talks', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'] });
  const [bob, cid] = [await openLine(bench, 0), await openLine(bench, 1)];
  await bob.hear({ ...floorOf(0), isPress: true });
  bench.room.press();
  expect(playing(bench)).toEqual([false, false]);
  expect(bench.isMicOpen(), 'the word of another page alone keeps nobody from talking').toBe(true);
  await cid.hear({ ...floorOf(0), isPress: true });
  expect(playing(bench)).toEqual([false, false]);
});
