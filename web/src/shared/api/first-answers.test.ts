import { getAllChannels } from '@pressel/contract/channels';
import { expect, test, vi } from 'vitest';
import { createApi } from '#src/shared/api/api.ts';
import { askFirst } from './first-answers.ts';

const body = { start: 0, limit: 5, sort: 'name', order: 'asc' } as const;
const call = { method: 'POST', path: getAllChannels.path, body } as const;
const answer = () => Response.json({ success: true, res: [], totalRecords: 0 });

/** Creates the app's own api over first answers, requested with the token `abc`. */
function start(token = 'abc', early: () => Promise<Response> = async () => answer()) {
  const fetch = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(early);
  const first = askFirst([call], { fetch, token: 'abc' });
  const later = vi.fn<typeof window.fetch>(async () => answer());
  const api = createApi({
    fetch: (input, init) => first.take(input, init) ?? later(input, init),
    readToken: () => token,
    onUnauthenticated: () => {},
  });
  return { api, fetch, later };
}

test('the first call is answered by what was asked for already, the next one is a call of its own', async () => {
  const { api, fetch, later } = start();
  expect(fetch).toHaveBeenCalledTimes(1);
  expect((await api.call(getAllChannels, body)).totalRecords).toBe(0);
  expect(later).not.toHaveBeenCalled();
  await api.call(getAllChannels, body);
  expect(later).toHaveBeenCalledTimes(1);
});

test('it is sent as the app would send it', async () => {
  const { api, fetch, later } = start();
  await api.call(getAllChannels, body);
  await api.call(getAllChannels, body);
  const { signal: _first, ...sent } = fetch.mock.calls[0]?.[1] ?? {};
  const { signal: _later, ...byTheApp } = later.mock.calls[0]?.[1] ?? {};
  expect(sent).toEqual(byTheApp);
});

test('another page, and the answer of another session, are not taken', async () => {
  const other = start();
  await other.api.call(getAllChannels, { ...body, limit: 25 });
  expect(other.later).toHaveBeenCalledTimes(1);
  const { api, later } = start('def');
  await api.call(getAllChannels, body);
  expect(later).toHaveBeenCalledTimes(1);
});

test('a lost link is told to whoever waits for the answer', async () => {
  const { api } = start('abc', async () => {
    throw new TypeError('Failed to fetch');
  });
  await expect(api.call(getAllChannels, body)).rejects.toMatchObject({ code: 'unreachable' });
});

test('who no longer wants the answer stops the call', async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  const first = askFirst([call], {
    token: null,
    fetch: (_path, init) => {
      signals.push(init.signal);
      return new Promise(() => {});
    },
  });
  const stop = new AbortController();
  first.take(call.path, { method: 'POST', body: JSON.stringify(body), signal: stop.signal })?.catch(() => undefined);
  stop.abort();
  expect(signals[0]?.aborted).toBe(true);
});
