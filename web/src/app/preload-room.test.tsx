import { isDeepStrictEqual } from 'node:util';
import { getAllChannels } from '@pressel/contract/channels';
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf } from '#test/samples.ts';

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

test('[TALK92] who points at a channel, or comes to it by the keyboard, has its room loaded before the click', async () => {
  const { router, user } = await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare: (api) =>
      api.on(getAllChannels, (query) => pageOf([channelOf(1, 'Nord')], query, (channel) => channel.name)),
  });
  const preload = vi.spyOn(router, 'preloadRoute');
  // The preload of an idle page names no channel.
  const wanted = { to: '/groupCallView/$roomId', params: { roomId: 'Nord' } };
  const rooms = () =>
    preload.mock.calls.filter(([route]) => route.to === wanted.to && isDeepStrictEqual(route.params, wanted.params))
      .length;
  const link = await screen.findByRole('link', { name: /Nord/u });
  await user.hover(link);
  await waitFor(() => expect(rooms()).toBe(1));
  await user.unhover(link);
  link.focus();
  await waitFor(() => expect(rooms()).toBe(2));
});
