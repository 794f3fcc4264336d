import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { MEMBER } from '#test/render-room.tsx';
import { renderShell } from '#test/render-shell.tsx';
import { sampleId } from '#test/samples.ts';
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
  // By now the list would be there, if it were to come.
  await act(async () => void (await import('#src/features/members/side-members.tsx')));
  await act(() => new Promise((done) => void setTimeout(done)));
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

test('[MEM6] a row beside the page shows its person on the map, calls them, and opens their sheet', async () => {
  sizeWindow(1480);
  const socket = { userId: MEMBER.id, channelId: null, socket_id: sampleId(700) as never };
  const { user, router, realtime, located } = await renderShell([{ ...MEMBER, user_sockets: [socket] }]);
  const sent: string[] = [];
  realtime.send = (event) => {
    sent.push(event);
    return new Promise(() => undefined);
  };
  const row = within((await screen.findByTitle('Montrer sur la carte')).closest('li') as HTMLElement);
  await user.click(row.getByTitle('Montrer sur la carte'));
  expect(located).toEqual(['Camille Roux']);
  // The call loads this too, and nothing shows when it is there: loaded before, it doesn't come after the test.
  await import('#src/features/calls/call-parts.ts');
  await user.click(row.getByRole('button', { name: /Appeler.*Camille Roux/u }));
  expect(sent).toContain('call_start');
  expect(await screen.findByText('Ça sonne…')).toBeVisible();
  await user.click(row.getByRole('link', { name: 'Fiche de Camille Roux' }));
  const location = { pathname: '/usersList', search: { panel: `sheet:${MEMBER.id}` } };
  await waitFor(() => expect(router.state).toMatchObject({ status: 'idle', location }));
});

test('[MEM6] who is offline can be shown and read about, but not called', async () => {
  sizeWindow(1480);
  await renderShell();
  await screen.findByTitle('Montrer sur la carte');
  expect(screen.queryByRole('button', { name: /Appeler/u })).toBeNull();
  expect(screen.getByRole('link', { name: 'Fiche de Camille Roux' })).toBeVisible();
});

test('[LIST20] the sidebar says who talks in the channel of the room', async () => {
  sizeWindow(1480);
  const { realtime, channelId } = await renderShell();
  const region = within(await screen.findByRole('region', { name: /Nord/u }));
  await region.findByTitle('Montrer sur la carte');
  act(() => realtime.tell('talkers_changed', { channelId, talkers: [{ userId: MEMBER.id, name: 'Camille Roux' }] }));
  expect(await region.findByText('Camille Roux parle')).toBeVisible();
});

test('[APP11] a list of members that can’t be loaded says so in its place; the sidebar around it stays', async () => {
  sizeWindow(1480);
  vi.spyOn(console, 'error').mockReturnValue();
  // An earlier test may have loaded the module, which stays loaded. So all modules are loaded anew here. This test is the last one:
  // what a later one loads would not know what was rendered around it.
  const path = '#src/features/members/side-members.tsx';
  vi.resetModules();
  vi.doMock(path, () => {
    throw new Error('The link is lost.');
  });
  onTestFinished(() => {
    vi.doUnmock(path);
    vi.resetModules();
  });
  await (await import('#test/render-shell.tsx')).renderShell();
  // Mantine keeps its notifications, which are alerts too, across files.
  const members = within(await screen.findByRole('region', { name: /Nord/u }));
  expect(await members.findByRole('alert')).toHaveTextContent('Cette partie n’a pas pu être chargée.');
  expect(screen.getByRole('navigation', { name: 'Navigation principale' })).toBeVisible();
  expect(screen.getByRole('heading', { level: 1, name: 'Le salon' })).toBeVisible();
  // biome-ignore lint/suspicious/noConsole: what React said is expected
  vi.mocked(console.error).mockClear();
});
