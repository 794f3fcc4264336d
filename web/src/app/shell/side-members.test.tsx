import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { memberOf } from '#test/render-members.tsx';
import { channelOf, sampleId } from '#test/samples.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { sizeWindow } from '#test/window-size.ts';

vi.mock('./current-room.tsx', async (load) => ({
  ...(await load<object>()),
  useCurrentRoom: () => ({ channelId: sampleId(101), name: 'Nord', stopTalking: () => undefined }),
}));

beforeEach(stubLayout);

const inNord = () =>
  renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare(api) {
      api.on(getAllChannels, () => ({ success: true, res: [channelOf(1, 'Nord')], totalRecords: 1 }));
      api.on(getUsersInChannel, () => ({ success: true, res: [memberOf(1, 'Ali')], totalRecords: 1 }));
    },
  });

test('[MEM1] a phone asks for members while its drawer is open, and no more', async () => {
  sizeWindow(390, 844);
  const app = await inNord();
  const asked = () => app.api.inputs(getUsersInChannel).length;
  const tell = () =>
    act(() => app.realtime.tell('changed', { what: 'memberships', channelId: sampleId(101) as ChannelId }));
  await screen.findByRole('heading', { level: 1, name: 'Canaux' });
  tell();
  expect(asked()).toBe(0);
  await app.user.click(screen.getByRole('button', { name: 'Ouvrir le menu' }));
  expect(await screen.findByText('Ali')).toBeInTheDocument();
  expect(asked()).toBe(1);
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByText('Ali')).toBeNull());
  tell();
  await act(async () => undefined);
  expect(asked()).toBe(1);
});

test('[MEM1] where the sidebar stands beside the page its members are read, and none while they are folded away', async () => {
  sizeWindow(1480);
  const app = await inNord();
  const asked = () => app.api.inputs(getUsersInChannel).length;
  expect(await screen.findByText('Ali')).toBeInTheDocument();
  expect(asked()).toBe(1);
  await app.user.click(screen.getByRole('button', { name: /Nord/u, expanded: true }));
  act(() => app.realtime.tell('changed', { what: 'memberships', channelId: sampleId(101) as ChannelId }));
  await act(async () => undefined);
  expect(asked()).toBe(1);
});
