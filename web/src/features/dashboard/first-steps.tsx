import { Button } from '@mantine/core';
import { getAllActivities } from '@pressel/contract/activities';
import type { Dashboard } from '@pressel/contract/dashboard';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSharedOrigin } from '#src/shared/server-origin.ts';
import { useApi, useUser } from '#src/shared/services.tsx';
import { AddressCode } from '#src/shared/ui/address-code.tsx';
import card from './dashboard.module.css';
import styles from './first-steps.module.css';

/** The number of log entries that are searched: the first steps leave fewer. */
const LOOKED_AT = 50;
const STEPS = ['channel', 'people', 'enter', 'talk'] as const;
type Step = (typeof STEPS)[number];

export interface FirstStepsProps {
  data: Extract<Dashboard, { role: 'admin' }>;
  onCreateChannel: () => void;
  onAddUser: () => void;
  /** Called when the steps are done, or nobody wants to see them. */
  onOver: () => void;
}

/** The first steps of an administrator on a new server, until all are done [DASH13]. */
export function FirstSteps({ data, onCreateChannel, onAddUser, onOver }: FirstStepsProps) {
  const { t } = useTranslation('dashboard');
  const address = useSharedOrigin();
  const titleId = useId();
  const done = useDone(data);
  // A user who comes when all is done needs none of this; a user who does the last step sees it done.
  const [wasOpen, setWasOpen] = useState(false);
  const isDone = done !== undefined && done.size === STEPS.length;
  if (done !== undefined && !isDone && !wasOpen) setWasOpen(true);
  useEffect(() => {
    if (isDone && !wasOpen) onOver();
  }, [isDone, wasOpen, onOver]);
  if (done === undefined || (isDone && !wasOpen)) return null;
  const next = STEPS.find((step) => !done.has(step));
  const [room] = data.topChannels;
  const acts: Record<Step, ReactNode> = {
    channel: !done.has('channel') && (
      <Button variant={next === 'channel' ? 'filled' : 'default'} onClick={onCreateChannel}>
        {t('first.channelAct')}
      </Button>
    ),
    people: (
      <Button variant={next === 'people' ? 'filled' : 'default'} onClick={onAddUser}>
        {t('first.peopleAct')}
      </Button>
    ),
    enter: room && (
      <Button
        variant={next === 'enter' ? 'filled' : 'default'}
        renderRoot={(props) => <Link to="/groupCallView/$roomId" params={{ roomId: room.rtcSession }} {...props} />}
      >
        {t('first.enterAct')}
      </Button>
    ),
    talk: <AddressCode address={address} />,
  };
  return (
    <section className={card.card} aria-labelledby={titleId}>
      <header className={card.head}>
        <h2 id={titleId} className={card.title}>
          {t('first.title')}
        </h2>
        <p className={card.fact}>{t('first.done', { count: done.size, of: STEPS.length })}</p>
        <Button className={styles.over ?? ''} size="compact-sm" variant="subtle" onClick={onOver}>
          {t(isDone ? 'first.close' : 'first.dismiss')}
        </Button>
      </header>
      <ol className={styles.steps}>
        {STEPS.map((step) => (
          <li key={step} className={styles.step} data-done={done.has(step) || undefined}>
            {done.has(step) ? (
              <IconCircleCheckFilled className={styles.mark} size={20} role="img" aria-label={t('first.isDone')} />
            ) : (
              <IconCircle className={styles.mark} size={20} aria-hidden="true" />
            )}
            <div className={styles.what}>
              <h3 className={styles.name}>{t(`first.${step}`)}</h3>
              <p className={styles.text}>{t(`first.${step}Text`)}</p>
              {acts[step]}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The steps that are done; undefined until the log was read. */
function useDone({ users, channels, lastActivities }: FirstStepsProps['data']): ReadonlySet<Step> | undefined {
  const api = useApi();
  const { id } = useUser();
  const log = useQuery({
    // Any entry of the log may be a step.
    queryKey: ['first-steps', lastActivities[0]?.id],
    queryFn: async ({ signal }) => {
      const query = { types: ['channel_join' as const, 'channel_talk' as const], limit: LOOKED_AT };
      return (await api.call(getAllActivities, query, { signal })).res.activities;
    },
    placeholderData: keepPreviousData,
  });
  if (log.data === undefined) return undefined;
  const isDone: Record<Step, boolean> = {
    channel: channels.total > 0,
    people: users.total > 1,
    enter: log.data.some((entry) => entry.user?.id === id),
    // The user who talks on the second device is somebody else.
    talk: log.data.some((entry) => entry.type === 'channel_talk' && entry.user !== null && entry.user.id !== id),
  };
  return new Set(STEPS.filter((step) => isDone[step]));
}
