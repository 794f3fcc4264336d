import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { camilleTalks, createFakeRoomSession, person, roomSnapshot } from '#test/fake-room-session.ts';
import { ANSWER_FIRST_MS, SOUND_FIRST_MS, soundFirst } from './sound-first.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const joining = roomSnapshot({ status: { state: 'joining' }, channel: null, participants: [] });
/** Camille talks; the link to her is in this state. */
const talking = (media: 'connecting' | 'connected' | 'failed') =>
  roomSnapshot({
    ...camilleTalks(),
    participants: [person(0, { isSelf: true, media: 'self' }), person(1, { isTalking: true, media })],
  });

/** A room that is being entered, and whether its page may be drawn. */
function enter(first: RoomSnapshot = joining) {
  const fake = createFakeRoomSession(first);
  const way = new AbortController();
  let isDue = false;
  void soundFirst(fake.room, way.signal).then(() => {
    isDue = true;
  });
  return {
    ...fake,
    way,
    looks: vi.spyOn(fake.room, 'getSnapshot'),
    isDue: async (afterMs = 0) => {
      await vi.advanceTimersByTimeAsync(afterMs);
      return isDue;
    },
  };
}

test('[TALK164] where nobody talks the page comes with the answer to the join', async () => {
  vi.clearAllTimers();
  const { show, isDue, watchers, looks } = enter();
  expect(await isDue()).toBe(false);
  show(roomSnapshot());
  expect(await isDue()).toBe(true);
  expect(watchers()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  looks.mockClear();
  await vi.advanceTimersByTimeAsync(SOUND_FIRST_MS);
  expect(looks, 'nobody looks at the room any more').not.toHaveBeenCalled();
});

test('[TALK164] where somebody talks it comes when they are linked, or can’t be', async () => {
  for (const state of ['connected', 'failed'] as const) {
    const { show, isDue } = enter();
    show(talking('connecting'));
    expect(await isDue(ANSWER_FIRST_MS)).toBe(false);
    show(talking(state));
    expect(await isDue()).toBe(true);
  }
});

test('[TALK164] links to those who listen are not waited for, and the own voice from another page is nobody’s', async () => {
  const { show, isDue } = enter();
  show(
    roomSnapshot({
      ...talking('connected'),
      participants: [...talking('connected').participants, person(2, { media: 'connecting' })],
    }),
  );
  expect(await isDue()).toBe(true);
});

test('[TALK164] a server that is far away is not waited for, nor a link that takes long', async () => {
  const far = enter();
  expect(await far.isDue(ANSWER_FIRST_MS - 1)).toBe(false);
  expect(await far.isDue(1)).toBe(true);
  const slow = enter();
  slow.show(talking('connecting'));
  expect(await slow.isDue(SOUND_FIRST_MS - 1)).toBe(false);
  expect(await slow.isDue(1)).toBe(true);
});

test('[TALK164] a room that says that somebody talks a moment after it is entered is believed', async () => {
  const { show, isDue } = enter();
  show(roomSnapshot());
  show(talking('connecting'));
  expect(await isDue()).toBe(false);
});

test.each([
  ['refused', roomSnapshot({ status: { state: 'refused', code: 'not_a_member' }, channel: null })],
  ['lost', roomSnapshot({ status: { state: 'lost' } })],
  ['that one is in already', talking('connected')],
])('[TALK164] a room %s is drawn at once', async (_, snapshot) => {
  expect(await enter(snapshot).isDue()).toBe(true);
});

test('[TALK164] a way that is given up waits for nothing', async () => {
  const { way, isDue } = enter();
  way.abort();
  expect(await isDue()).toBe(true);
});
