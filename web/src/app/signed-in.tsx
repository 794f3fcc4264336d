import { MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { SessionUser } from '@pressel/contract/auth';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bindChannels } from '#src/features/channels/channels.realtime.ts';
import { bindUsers } from '#src/features/users/users.realtime.ts';
import { createStays, type Stays } from '#src/features/voice/stays.ts';
import { StaysProvider } from '#src/features/voice/stays-context.tsx';
import { createRealtime, type Realtime } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, UserProvider, useServices } from '#src/shared/services.tsx';
import '#src/shared/ui/console-styles.ts';

/** Opens the socket of the signed-in user, updates the lists by its events, and keeps the rooms that they are in. */
export function SignedIn({ user, children }: { user: SessionUser; children: ReactNode }) {
  const link = useLinkOf(user.id);
  if (link === undefined) return null;
  return (
    <UserProvider user={user}>
      <RealtimeProvider realtime={link.realtime}>
        <StaysProvider stays={link.stays}>
          <LabelledNotifications />
          {children}
        </StaysProvider>
      </RealtimeProvider>
    </UserProvider>
  );
}

/** Notifications. Labels their close button, which Mantine leaves without an accessible name. */
function LabelledNotifications() {
  const { t } = useTranslation('shared');
  const named = { Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('close') } } } };
  return (
    <MantineThemeProvider inherit theme={{ components: named }}>
      <Notifications position="bottom-right" autoClose={4_000} limit={3} />
    </MantineThemeProvider>
  );
}

/** One socket per signed-in user, and their rooms over it. */
function useLinkOf(userId: string): { realtime: Realtime; stays: Stays } | undefined {
  const { storage, session, openRealtime = createRealtime } = useServices();
  const queries = useQueryClient();
  const [link, setLink] = useState<{ realtime: Realtime; stays: Stays }>();

  // Before the browser paints: nothing below stands without the socket.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another user gets a socket of their own.
  useLayoutEffect(() => {
    const opened = openRealtime({ token: storage.readToken });
    const stays = createStays();
    const stops = [
      bindChannels(opened, queries),
      bindUsers(opened, queries),
      opened.onLink((state) => {
        if (state === 'refused') void session.check();
      }),
      // The server sends events from now on. Changes before, also while the link was down, were missed: everything is
      // read again.
      opened.on('ready', () => void queries.invalidateQueries()),
    ];
    setLink({ realtime: opened, stays });
    return () => {
      stays.leave();
      for (const stop of stops) stop();
      opened.close();
      setLink(undefined);
    };
  }, [userId, storage, session, openRealtime, queries]);

  return link;
}
