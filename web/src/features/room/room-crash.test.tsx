import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { camilleTalks, roomSnapshot } from '#test/fake-room-session.ts';
import { enterRoom, MEMBER } from '#test/render-room.tsx';
import { stubLayout } from '#test/stub-layout.ts';

beforeEach(stubLayout);
// React logs what was thrown.
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
// biome-ignore lint/suspicious/noConsole: what React said is expected
afterEach(() => void vi.mocked(console.error).mockClear());

const bar = () => screen.queryByRole('region', { name: 'Vous êtes dans le canal Maraude Nord' });

/** A snapshot that the page can't render though its bar can, like a fault of the page. */
function undrawable() {
  return Object.defineProperty({ ...roomSnapshot(camilleTalks()) }, 'lastTalk', {
    get(): never {
      throw new Error('broken');
    },
  });
}

test.each(['shell', 'bare'] as const)(
  '[APP11] [TALK67] a room’s page that throws leaves nobody out of the room: one talks, and comes back, by its bar (%s)',
  async (layout) => {
    const { calls, show, enteredRooms } = await enterRoom(roomSnapshot(), [MEMBER], layout);
    act(() => show(undrawable()));
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('La conversation continue');
    expect(calls, 'its button is gone with the page').toContain('stop');
    expect(calls).not.toContain('close');
    expect(enteredRooms.getSnapshot()).toBeDefined();
    expect(bar()).toHaveTextContent('Camille');
    expect(screen.getByRole('button', { name: /Camille parle/ })).toHaveAttribute('data-talk-button');

    calls.length = 0;
    const pressSpace = (target: Element) => {
      fireEvent.keyDown(target, { code: 'Space', key: ' ' });
      fireEvent.keyUp(target, { code: 'Space', key: ' ' });
    };
    pressSpace(document.body);
    expect(calls).toEqual(['press', 'release']);
    // The page that replaced it is no room page: on it a button has its own key [TALK111].
    pressSpace(screen.getByRole('button', { name: 'Quitter' }));
    expect(calls).toEqual(['press', 'release']);

    act(() => show(roomSnapshot()));
    await userEvent.click(screen.getByRole('link', { name: 'Maraude Nord' }));
    expect(await screen.findByRole('main', { name: 'Salon du canal Maraude Nord' })).toBeVisible();
    expect(bar()).toBeNull();
    expect(calls).not.toContain('close');
    calls.length = 0;
    pressSpace(screen.getByRole('button', { name: 'Quitter' }));
    expect(calls).toEqual(['press', 'release']);
  },
);

test('[APP11] with the page of a video room camera and screen go: their switches are gone too', async () => {
  const { show, enteredRooms } = await enterRoom();
  const video = { setCamera: vi.fn(), stopSharing: vi.fn() };
  Object.assign(enteredRooms.getSnapshot()?.room ?? {}, { video });
  act(() => show(undrawable()));
  expect(await screen.findByText('La conversation continue', { exact: false })).toBeVisible();
  expect(video.setCamera).toHaveBeenCalledWith(false);
  expect(video.stopSharing).toHaveBeenCalledOnce();
});

test('[APP11] a room’s page that threw is tried again by its button, too', async () => {
  const { calls, show } = await enterRoom();
  act(() => show(undrawable()));
  act(() => show(roomSnapshot()));
  await userEvent.click(await screen.findByRole('button', { name: 'Réessayer' }));
  expect(await screen.findByRole('main', { name: 'Salon du canal Maraude Nord' })).toBeVisible();
  expect(bar()).toBeNull();
  expect(calls).not.toContain('close');
});

test('[APP11] from there one leaves the room, by the bar', async () => {
  const { calls, show, enteredRooms } = await enterRoom();
  act(() => show(undrawable()));
  await userEvent.click(await screen.findByRole('button', { name: 'Quitter' }));
  expect(await screen.findByText('liste')).toBeInTheDocument();
  expect(calls).toContain('close');
  expect(enteredRooms.getSnapshot()).toBeUndefined();
});

test('[ROOM7] a panel that throws in a room where somebody talks shows so in its place, and the talk goes on', async () => {
  const { calls } = await enterRoom(roomSnapshot({ talk: { state: 'talking', since: 0, endsAt: 60_000 } }), [
    null as never,
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Membres' }));
  expect(await screen.findByText('Ce panneau ne répond plus. La conversation continue.')).toBeVisible();
  expect(document.querySelector('[data-talk-button]')).toHaveAttribute('data-state', 'talking');
  expect(calls).toEqual([]);
});
