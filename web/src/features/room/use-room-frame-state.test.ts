import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sizeWindow } from '#test/window-size.ts';
import { useRoomFrameState } from './use-room-frame-state.ts';

const storage = { readPreference: () => undefined, writePreference: () => undefined };

test.each([
  [1480, 900, 'wide'],
  [1479, 900, 'middle'],
  [851, 900, 'middle'],
  [850, 900, 'narrow'],
  [360, 640, 'narrow'],
  [1600, 561, 'wide'],
  [1600, 560, 'narrow'],
])('[ROOM1] a window of %i × %i px is %s', (width, height, room) => {
  sizeWindow(width, height);
  expect(renderHook(() => useRoomFrameState(storage)).result.current.width).toBe(room);
});
