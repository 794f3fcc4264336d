import { waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';

test.each([
  ['/channelsList', 1],
  ['/dashboard', 1],
  ['/profile', 0],
])('[TALK92] a list of channels has the room ready before anybody asks for it: %s', async (at, times) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  try {
    const { router, unmount } = await renderApp({ at, signedIn: {} });
    const preload = vi.spyOn(router, 'preloadRoute');
    await waitFor(() => expect(router.state.status).toBe('idle'));
    await waitFor(() => expect(document.querySelector('main, h1')).not.toBeNull());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(preload.mock.calls.filter(([route]) => route.to === '/groupCallView/$roomId')).toHaveLength(times);
    unmount();
  } finally {
    vi.useRealTimers();
  }
});
