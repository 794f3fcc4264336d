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
  const before = vi.getTimerCount();
  const page = render(
    <AnnouncerProvider>
      <Saying />
    </AnnouncerProvider>,
  );
  expect(screen.getByText('Lea is talking.')).toBeInTheDocument();
  page.unmount();
  expect(vi.getTimerCount()).toBe(before);
});
