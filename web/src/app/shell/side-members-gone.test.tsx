import { getAllChannels } from '@pressel/contract/channels';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, sampleId } from '#test/samples.ts';
import { sizeWindow } from '#test/window-size.ts';

vi.mock('#src/features/members/side-members.tsx', () => {
  throw new Error('The link is lost.');
});
vi.mock('./current-room.tsx', async (load) => ({
  ...(await load<object>()),
  useCurrentRoom: () => ({ channelId: sampleId(101), name: 'Nord', stopTalking: () => undefined }),
}));

beforeEach(() => {
  sizeWindow(1480);
  vi.spyOn(console, 'error').mockReturnValue();
});
// biome-ignore lint/suspicious/noConsole: what is caught is said there too
afterEach(() => void vi.mocked(console.error).mockClear());

test('[APP11] a list of members that can’t be loaded says so in its place; the sidebar around it stays', async () => {
  await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllChannels, () => ({ success: true, res: [channelOf(1, 'Nord')], totalRecords: 1 })),
  });
  const members = await screen.findByRole('region', { name: /Nord/u });
  expect(await screen.findByRole('alert')).toHaveTextContent('Cette partie n’a pas pu être chargée.');
  expect(members).toContainElement(screen.getByRole('alert'));
  expect(screen.getByRole('navigation', { name: 'Navigation principale' })).toBeVisible();
  expect(await screen.findByRole('heading', { level: 1, name: 'Coéquipiers' })).toBeVisible();
});
