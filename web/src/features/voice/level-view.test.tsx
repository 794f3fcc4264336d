import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { camilleTalks, fakeActions, roomSource } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { TalkButton } from './button/talk-button.tsx';
import type { RoomSnapshot } from './engine/types.ts';
import { LEVEL_STEP_MS } from './level-meter.ts';
import { DEFAULT_TALK_KEY } from './talk-key.ts';
import { ParticipantGrid } from './tiles/participant-grid.tsx';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const show = (change: Partial<RoomSnapshot>, { hasTiles = true } = {}) => {
  const actions = fakeActions();
  const room = roomSource(change);
  const { container, unmount } = render(
    <WithVoiceWords>
      {hasTiles && <ParticipantGrid room={room} levels={actions.levels} onVolume={() => undefined} />}
      <TalkButton room={room} actions={actions} talkKey={DEFAULT_TALK_KEY} hasTiles={hasTiles} />
    </WithVoiceWords>,
  );
  const moved = () => [...container.querySelectorAll<HTMLElement>('span')].filter((one) => one.style.transform !== '');
  return { container, moved, unmount };
};

const OWN_TALK = { state: 'talking', since: 0, endsAt: 30_000 } as const;

test.each([
  ['another’s voice moves their tile', camilleTalks(), true, '[data-presence=talking]'],
  ['without tiles it moves the button', camilleTalks(), false, '[data-face=busy]'],
  ['one’s own voice moves the button', { talk: OWN_TALK }, true, '[data-face=talking]'],
])('[TALK90] %s and nothing else, by a transform', (_, change, hasTiles, place) => {
  const { moved, container } = show(change, { hasTiles });
  act(() => vi.advanceTimersByTime(LEVEL_STEP_MS));
  expect(moved()).toHaveLength(1);
  for (const halo of moved()) {
    expect(halo.getAttribute('style')).toMatch(/^transform: scale\(1\.\d+\);$/);
    expect(halo).toBeEmptyDOMElement();
    expect(halo.closest(place)).not.toBeNull();
  }
  expect(container.querySelectorAll('[style*="--"]:not([style^="--letters"])')).toHaveLength(0);
});

test('[TALK90] while nobody talks there is no halo and nothing runs', () => {
  // Work that an earlier file of this worker left may have set some since.
  vi.clearAllTimers();
  const { moved } = show({});
  act(() => vi.advanceTimersByTime(10 * LEVEL_STEP_MS));
  expect(moved()).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('[TALK90] with reduced motion the halo stands still', () => {
  const original = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(original(query), { matches: query.includes('prefers-reduced-motion') }),
  );
  const { moved } = show(camilleTalks());
  act(() => vi.advanceTimersByTime(10 * LEVEL_STEP_MS));
  expect(moved()).toHaveLength(0);
});

test('[TALK90] the ring of the talk’s time moves every three seconds, and with each of the last', () => {
  const now = performance.now();
  const { container } = show({ talk: { state: 'talking', since: now - 20_000, endsAt: now + 10_000 } });
  const left = () =>
    Math.round((1 - Number(container.querySelector<SVGElement>('circle[style]')?.style.strokeDashoffset)) * 30);
  const lefts = [left()];
  for (let second = 1; second <= 10; second += 1) {
    act(() => vi.advanceTimersByTime(1_001));
    lefts.push(left());
  }
  expect(lefts).toEqual([10, 10, 10, 7, 7, 5, 4, 3, 2, 1, 0]);
});

test('[TALK90] where the button is gone in the middle of a talk, nothing counts or reads on', () => {
  // Work that an earlier file of this worker left may have set some since.
  vi.clearAllTimers();
  const now = performance.now();
  const { unmount } = show({ talk: { state: 'talking', since: now, endsAt: now + 30_000 } });
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  unmount();
  // Lets React finish its own work.
  act(() => vi.advanceTimersByTime(1));
  expect(vi.getTimerCount()).toBe(0);
});
