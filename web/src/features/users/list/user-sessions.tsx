import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { endSession, getUserSessions, type UserSession } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './user-sheet.module.css';
import { sessionAge } from './user-table.tsx';

/** Lists where and since when a user is signed in, with a button that ends each session (AUTH15). */
export function UserSessions({ userId }: { userId: UserId }) {
  const { t } = useTranslation('users');
  const api = useApi();
  const sessions = useQuery({
    queryKey: [...USERS_KEY, 'sessions', userId],
    queryFn: async ({ signal }) => (await api.call(getUserSessions, { userId }, { signal })).res,
    staleTime: 0,
    gcTime: 0,
  });
  /** The session that is about to be ended and is not confirmed yet. */
  const [asking, ask] = useState<string>();
  return (
    <section className={styles.part}>
      <h3>{sessions.data ? t('sheet.sessions', { count: sessions.data.length }) : t('sheet.sessionsUnread')}</h3>
      {sessions.data === undefined ? (
        sessions.isError ? (
          <LoadError error={sessions.error} onRetry={() => void sessions.refetch()} />
        ) : (
          <RowsSkeleton rows={2} />
        )
      ) : sessions.data.length === 0 ? (
        <p className={styles.none}>{t('sheet.noSessions')}</p>
      ) : (
        <ul className={styles.sessions}>
          {sessions.data.map((session) => (
            <Session
              key={session.id}
              session={session}
              isAsking={asking === session.id}
              onAsk={(isAsking) => ask(isAsking ? session.id : undefined)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface SessionProps {
  session: UserSession;
  isAsking: boolean;
  onAsk: (isAsking: boolean) => void;
}

/** Asks in its place: the first press turns the button into the question, and a press on anything else turns it back. */
function Session({ session, isAsking, onAsk }: SessionProps) {
  const { t } = useTranslation('users');
  const { current } = useLanguage();
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const end = useMutation({
    mutationFn: () => api.call(endSession, { sessionId: session.id }),
    onSuccess: () => notifications.show({ message: t('sheet.ended') }),
    onError: (error) => notifications.show({ title: t('sheet.endFailed'), message: words(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: USERS_KEY }),
  });
  const device = deviceWords(t, session);
  return (
    <li className={styles.session}>
      <IconDeviceDesktop size={18} aria-hidden="true" />
      <span className={styles.device}>
        <span>
          {device}
          {session.isOwn && ` · ${t('sheet.thisSession')}`}
        </span>
        <span className={styles.age} title={formatDateTime(session.createdAt, current)}>
          {t(session.isConnected ? 'sheet.sessionLive' : 'sheet.sessionIdle', {
            age: sessionAge(session.ageMs, current),
          })}
        </span>
      </span>
      <Button
        size="compact-sm"
        variant={isAsking ? 'filled' : 'default'}
        {...(isAsking ? { color: 'fault' } : {})}
        loading={end.isPending}
        aria-label={t(isAsking ? 'sheet.endSure' : 'sheet.endOf', { device })}
        onClick={(event) => {
          // The second click of a double click would hit the question, which came under the pointer.
          if (isAsking && event.detail > 1) return;
          if (isAsking) end.mutate();
          else onAsk(true);
        }}
        onBlur={() => onAsk(false)}
      >
        {t(isAsking ? 'sheet.endYes' : 'sheet.end')}
      </Button>
    </li>
  );
}

function deviceWords(
  t: ReturnType<typeof useTranslation<'users'>>['t'],
  { browser, system }: Pick<UserSession, 'browser' | 'system'>,
): string {
  if (browser !== null && system !== null) return t('sheet.device', { browser, system });
  return browser ?? system ?? t('sheet.unknownDevice');
}
