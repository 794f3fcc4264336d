import { getAllChannels } from '@pressel/contract/channels';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Language } from '#src/shared/languages.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, sampleId } from '#test/samples.ts';

const nord = channelOf(1, 'Nord');
const ana = { userId: sampleId(7) as never, name: 'Ana' };

const open = (language: Language = 'fr', role: 'admin' | 'member' = 'member') =>
  renderApp({
    at: '/channelsList',
    signedIn: { role },
    language,
    prepare: (api) =>
      api.on(getAllChannels, (query) =>
        pageOf([{ ...nord, lastTalk: { name: 'Bo', endedAt: '2026-01-05T10:00:00.000Z' } }], query, ({ name }) => name),
      ),
  });

test.each([
  ['fr', 'Dernière prise de parole', 'Ana parle'],
  ['en', 'Last transmission', 'Ana is talking'],
  ['de', 'Letzter Funkspruch', 'Ana spricht'],
] as const)(
  '[LIST20] the list of channels says who talked last, and at once who talks (%s)',
  async (language, last, now) => {
    const { realtime, api } = await open(language);
    const row = within(await screen.findByRole('row', { name: /Nord/u }));
    expect(row.getByRole('cell', { name: new RegExp(`^${last} ?Bo`, 'u') })).toBeVisible();
    act(() => realtime.tell('talkers_changed', { channelId: nord.id, talkers: [ana] }));
    expect(await row.findByText(now)).toBeVisible();
    act(() => realtime.tell('talkers_changed', { channelId: nord.id, talkers: [] }));
    await waitFor(() => expect(row.queryByText(now)).toBeNull());
    expect(row.getByText('Ana')).toBeVisible();
    expect(api.inputs(getAllChannels), 'by the news alone').toHaveLength(1);
  },
);

test('[LIST20] the palette says who talks in a channel', async () => {
  const app = await open('fr', 'member');
  await screen.findByRole('row', { name: /Nord/u });
  await app.user.keyboard('{Control>}k{/Control}');
  const option = await screen.findByRole('option', { name: /Nord.*Bo/u });
  act(() => app.realtime.tell('talkers_changed', { channelId: nord.id, talkers: [ana] }));
  expect(await within(option).findByText('Ana parle')).toBeVisible();
});
