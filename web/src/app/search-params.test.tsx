import { getAllActivities } from '@pressel/contract/activities';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { z } from '@pressel/contract/zod';
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { parseSearch, searchBy, stringifySearch } from './search-params.ts';

const ODD = [
  '123',
  '1e3',
  'true',
  'null',
  '{}',
  '{"a":1}',
  '["a"]',
  '"a"',
  ' a',
  'a+b',
  'a&b=c',
  '50%',
  '[object Object]',
];

test.each(ODD)('[LIST4] the filter %j comes back out of its address as it went in', (q) => {
  const written = stringifySearch({ q, panel: 'create', page: 2, size: 25, desc: true, sort: undefined });
  expect(parseSearch(written)).toEqual({ q, panel: 'create', page: 2, size: 25, desc: true });
});

test('[LIST4] lists, and the two views of the dashboard, come back as well; without any there is no question mark', () => {
  const search = { types: ['login', 'logout'], users: { q: '123', page: 3 }, channels: { desc: true } };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
  expect(stringifySearch({ q: undefined })).toBe('');
});

test.each(['?q=%', '?q=%E0%A4', '?page=x', '?types=[', '?__proto__=1', '?=', '?&&'])('%s is no fault', (search) => {
  expect(() => parseSearch(search)).not.toThrow();
});

test('the schema of a route’s search is made when its route is met, and once', () => {
  const make = vi.fn(() => z.object({ next: z.string() }));
  const search = searchBy(make);
  expect(make).not.toHaveBeenCalled();
  for (const next of ['a', 'b']) expect(search['~standard'].validate({ next })).toEqual({ value: { next } });
  expect(make).toHaveBeenCalledTimes(1);
});

const LISTS = ['/usersList', '/channelsList', '/activities'] as const;
const TEXTS = [
  ['%7B%7D', '{}'],
  ['123', '123'],
  ['true', 'true'],
  ['a%', 'a%'],
  ['%00', ''],
] as const;
test.each(LISTS.flatMap((path) => TEXTS.map(([written, shown]) => [path, written, shown] as const)))(
  '[LIST4] %s?q=%s looks for "%s"',
  async (path, written, shown) => {
    const app = await renderApp({ at: `${path}?q=${written}`, signedIn: {} });
    expect(await screen.findByRole('searchbox')).toHaveValue(shown);
    const asked = () => [
      ...app.api.inputs(getAllUsers).map(({ filter = '' }) => filter),
      ...app.api.inputs(getAllChannels).map(({ filter = '' }) => filter),
      ...app.api.inputs(getAllActivities).map(({ text = '' }) => text),
    ];
    await waitFor(() => expect(asked()).toContain(shown));
    expect(new Set(asked())).toEqual(new Set([shown]));
  },
);
