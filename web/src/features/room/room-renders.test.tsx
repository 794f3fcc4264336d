import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { RoomParticipant, RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { people, roomSnapshot } from '#test/fake-room-session.ts';
import { createRenderList } from '#test/render-list.ts';
import { enterRoom } from '#test/render-room.tsx';

/** Parts that show neither who talks nor who waits. */
const QUIET = ['RoomHeader', 'PaneToggles', 'VoiceSettings', 'VoiceNotices', 'MessagesPanel', 'Composer'];

const EIGHT = people(8);
const talker = EIGHT[3] as RoomParticipant;
const idle = roomSnapshot({ participants: EIGHT });
const changed = (number: number, change: Partial<RoomParticipant>) =>
  EIGHT.map((one, index) => (index === number ? { ...one, ...change } : one));
const begun = roomSnapshot({
  ...idle,
  participants: changed(3, { isTalking: true }),
  talkers: [{ id: talker.id, name: talker.name, since: 0, givesWay: false }],
});

/** Enters a room with eight people and the messages beside them. */
async function enter(first: RoomSnapshot) {
  const list = createRenderList();
  const { show } = await enterRoom(first, undefined, 'shell', 0, list.onRender);
  await userEvent.click(screen.getByRole('button', { name: 'Messages' }));
  await expect.poll(() => list.seen()).toEqual(expect.arrayContaining([...QUIET, 'TalkButton', 'ParticipantTile']));
  list.take();
  return (next: RoomSnapshot) => {
    act(() => show(next));
    return list.take();
  };
}
const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;

test.each([
  ['a talk begins', idle, begun],
  ['a talk ends', begun, idle],
])(
  '[ROOM25] %s: the button and the talker’s tile render, and none of the parts that don’t show it',
  async (_, before, after) => {
    const show = await enter(before);
    const names = show(after);
    expect(count(names, 'TalkButton')).toBeGreaterThan(0);
    expect(count(names, 'ParticipantTile')).toBe(1);
    expect(names.filter((name) => QUIET.includes(name))).toEqual([]);
  },
);

test('[ROOM25] somebody waits: their tile alone renders', async () => {
  const show = await enter(idle);
  const names = show({ ...idle, participants: changed(5, { queuePosition: 1 }) });
  expect(count(names, 'ParticipantTile')).toBe(1);
  expect(names.filter((name) => [...QUIET, 'TalkButton', 'VoiceAnnouncer'].includes(name))).toEqual([]);
});

test('[ROOM25] one asks to talk: the button alone renders', async () => {
  const show = await enter(idle);
  expect(show({ ...idle, talk: { state: 'asking', since: 0, open: true, late: false } })).toEqual(['TalkButton']);
});
