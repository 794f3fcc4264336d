import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { RealtimeProvider, UserProvider } from '#src/shared/services.tsx';
import { createStorage } from '#src/shared/storage.ts';
import { AnnouncerProvider } from '#src/shared/ui/announcer.tsx';
import { CHANNEL, ME, messageOf } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId, sessionUserOf } from '#test/samples.ts';
import { MessageNews } from './message-news.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function listen() {
  const i18n = await createI18n(createStorage({ local: localStorage, session: sessionStorage }));
  await i18n.loadNamespaces(['chat']);
  const realtime = createRealtimeDouble();
  render(
    <I18nProvider i18n={i18n}>
      <AnnouncerProvider>
        <UserProvider user={sessionUserOf({ id: ME })}>
          <RealtimeProvider realtime={realtime}>
            <MessageNews channelId={CHANNEL} />
          </RealtimeProvider>
        </UserProvider>
      </AnnouncerProvider>
    </I18nProvider>,
  );
  const hear = (part: Parameters<typeof messageOf>[1], number = 1) =>
    act(() => realtime.tell('messageResponse', messageOf(number, part)));
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
  const said = () => [...document.querySelectorAll('[data-spoken] p')].map(({ textContent }) => textContent);
  return { hear, pass, said };
}

test('[KEYS11] a message is said by its sender’s name, without the messages on the screen; one’s own is not', async () => {
  const { hear, said } = await listen();
  hear({ userId: ME });
  hear({ channelId: sampleId(901) });
  expect(said()).toEqual([]);
  hear({});
  expect(said()).toEqual(['Nouveau message de Noé']);
});

test('[KEYS11] several at once are said as how many, a single one that follows by its sender', async () => {
  const { hear, pass, said } = await listen();
  for (let number = 1; number <= 4; number += 1) hear({}, number);
  expect(said()).toEqual(['Nouveau message de Noé']);
  pass(3_000);
  expect(said()).toEqual(['Nouveau message de Noé', '3 nouveaux messages']);
  hear({ user: { display_name: 'Zoé' } }, 5);
  expect(said()).toHaveLength(2);
  pass(3_000);
  expect(said()).toEqual(['3 nouveaux messages', 'Nouveau message de Zoé']);
  pass(9_000);
  hear({}, 6);
  expect(said()).toEqual(['Nouveau message de Noé']);
});
