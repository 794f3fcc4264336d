import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { renderShell } from '#test/render-shell.tsx';
import { stubLayout } from '#test/stub-layout.ts';
import { sizeWindow } from '#test/window-size.ts';

beforeEach(stubLayout);

async function openShell() {
  const shell = await renderShell();
  return {
    ...shell,
    tell: () => act(async () => shell.realtime.tell('changed', { what: 'memberships', channelId: shell.channelId })),
  };
}

test('[MEM1] a phone asks for members while its drawer is open, and no more', async () => {
  sizeWindow(390, 844);
  const { asked, tell, user } = await openShell();
  await screen.findByRole('heading', { level: 1, name: 'Le salon' });
  await tell();
  expect(asked()).toBe(0);
  await user.click(screen.getByRole('button', { name: 'Ouvrir le menu' }));
  expect(await screen.findByText('Camille Roux')).toBeInTheDocument();
  expect(asked()).toBe(1);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByText('Camille Roux')).toBeNull());
  await tell();
  expect(asked()).toBe(1);
});

test('[MEM1] members beside the page are read, and not while they are folded away', async () => {
  sizeWindow(1480);
  const { asked, tell, user } = await openShell();
  expect(await screen.findByText('Camille Roux')).toBeInTheDocument();
  expect(asked()).toBe(1);
  await user.click(screen.getByRole('button', { name: /Nord/u, expanded: true }));
  await tell();
  expect(asked()).toBe(1);
});
