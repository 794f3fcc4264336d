import { render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnnouncerProvider, useAnnouncement } from './announcer.tsx';

function Saying() {
  useAnnouncement('Lea is talking.');
  return null;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a page that ends leaves no timer of what it said', () => {
  // Work that an earlier file of this worker left may have set some since.
  vi.clearAllTimers();
  const page = render(
    <AnnouncerProvider>
      <Saying />
    </AnnouncerProvider>,
  );
  expect(screen.getByText('Lea is talking.')).toBeInTheDocument();
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  page.unmount();
  expect(vi.getTimerCount()).toBe(0);
});
