import { MantineProvider } from '@mantine/core';
import type { SessionUser } from '@pressel/contract/auth';
import { getChannelMessages, getUnreadCounts, markMessagesRead, sendMessage } from '@pressel/contract/chat';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { onTestFinished } from 'vitest';
import { createChat } from '#src/features/chat/chat.ts';
import { ChatProvider } from '#src/features/chat/chat-context.tsx';
import { openImageDrafts } from '#src/features/chat/image-drafts.ts';
import { MessagesPanel } from '#src/features/chat/messages-panel.tsx';
import { createOutbox } from '#src/features/chat/outbox.ts';
import { openOutboxStore } from '#src/features/chat/outbox-store.ts';
import { createI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import type { PrepareImage } from '#src/shared/images/prepare.ts';
import type { Language } from '#src/shared/languages.ts';
import { createQueryClient } from '#src/shared/queries.tsx';
import { RealtimeProvider, ServicesProvider, UserProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble } from './api-double.ts';
import { CHANNEL, createStoredChannel, ME, messageOf } from './chat-bench.ts';
import { NO_RENEWAL } from './no-renewal.ts';
import { createRealtimeDouble } from './realtime-double.ts';
import { sessionUserOf } from './samples.ts';

/** Renders the messages of a channel that has this many, with a fake server. */
export async function renderPanel(
  count: number,
  options: { user?: Partial<SessionUser>; language?: Language; readUpTo?: number; prepare?: PrepareImage } = {},
) {
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  storage.writePreference('language', options.language ?? 'fr');
  const i18n = await createI18n(storage);
  await i18n.loadNamespaces(['channels', 'chat']);
  const user = sessionUserOf({ id: ME, role: 'member', ...options.user });
  const channel = createStoredChannel(count);
  channel.readUpTo = options.readUpTo ?? count;
  const api = createApiDouble();
  api.on(getChannelMessages, channel.answer);
  api.on(getUnreadCounts, () => ({ success: true, res: [] }));
  api.on(markMessagesRead, ({ to }) => ({ success: true, readUpTo: to, unread: 0 }));
  api.on(sendMessage, ({ message, clientId = '' }) => ({
    success: true,
    message: channel.add(messageOf(channel.newest + 1, { textMsg: message, userId: ME, clientId })),
  }));
  const realtime = createRealtimeDouble();
  const tabs = {
    exclusive: (_: string, act: () => Promise<void>) => act(),
    post() {},
    on: () => () => undefined,
    close() {},
  };
  const chat = createChat({
    api,
    realtime,
    userId: user.id,
    storage,
    isAdmin: () => user.role === 'admin',
    opensOutbox: (page) => createOutbox({ ...page, store: openOutboxStore({ journal: page.storage }), tabs }),
  });
  const { prepare } = options;
  if (prepare !== undefined) chat.imageDrafts((page) => openImageDrafts({ ...page, prepare }));
  onTestFinished(chat.close);
  const session = createSession({ api, storage });
  const panel = (
    <MantineProvider env="test">
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={createQueryClient()}>
          <ServicesProvider services={{ api, session, storage, renewal: NO_RENEWAL }}>
            <UserProvider user={user}>
              <RealtimeProvider realtime={realtime}>
                <ChatProvider chat={chat}>
                  {/* Names of administrators' panels are links. */}
                  <RouterContextProvider router={createRouter({ routeTree: createRootRoute() })}>
                    <MessagesPanel channelId={CHANNEL} channelName="Nord" isLive isShown />
                  </RouterContextProvider>
                </ChatProvider>
              </RealtimeProvider>
            </UserProvider>
          </ServicesProvider>
        </QueryClientProvider>
      </I18nProvider>
    </MantineProvider>
  );
  const rendered = render(panel);
  return {
    ...rendered,
    /** Shows it again, as after a return from another page. */
    again: () => render(panel),
    ...{ api, channel, chat, realtime, storage, user: userEvent.setup() },
  };
}
