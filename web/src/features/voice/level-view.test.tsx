import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { camilleTalks, fakeActions, roomSnapshot } from '#test/fake-voice-room.ts';
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
  const snapshot = roomSnapshot(change);
  const { container } = render(
    <WithVoiceWords>
      {hasTiles && <ParticipantGrid snapshot={snapshot} levels={actions.levels} onVolume={() => undefined} />}
      <TalkButton snapshot={snapshot} actions={actions} talkKey={DEFAULT_TALK_KEY} hasTiles={hasTiles} />
    </WithVoiceWords>,
  );
  const moved = () => [...container.querySelectorAll<HTMLElement>('span')].filter((one) => one.style.transform !== '');
  return { container, moved };
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

test('[TALK90] the ring of the talk’s time moves once a second', () => {
  const now = performance.now();
  const { container } = show({ talk: { state: 'talking', since: now - 6_000, endsAt: now + 24_000 } });
  const ring = () => Number(container.querySelector<SVGElement>('circle[style]')?.style.strokeDashoffset);
  expect(ring()).toBeCloseTo(0.2);
  act(() => vi.advanceTimersByTime(900));
  expect(ring()).toBeCloseTo(0.2);
  act(() => vi.advanceTimersByTime(101));
  expect(ring()).toBeCloseTo(7 / 30);
});
