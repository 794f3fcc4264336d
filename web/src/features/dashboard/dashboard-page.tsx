import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Dashboard } from '@pressel/contract/dashboard';
import type { UserId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { IconUserQuestion } from '@tabler/icons-react';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useStorage, useUser } from '#src/shared/services.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import type { ShowEntry } from './all-activities.tsx';
import { MoreLink } from './card.tsx';
import styles from './dashboard.module.css';
import { useDashboard } from './dashboard.queries.ts';
import figures from './figures.module.css';
import { keepInPlace } from './keep-in-place.ts';
import { LastActivities } from './last-activities.tsx';
import { OwnChannels } from './own-channels.tsx';
import { RoomsNow } from './rooms-now.tsx';
import { TalkToday } from './talk-today.tsx';
import { TopChannels } from './top-channels.tsx';
import { TrendTile } from './trend-tile.tsx';

interface WithoutChannelProps {
  people: Extract<Dashboard, { role: 'admin' }>['withoutChannel'];
  /** Edits this user, channels included. */
  onEditUser: (id: UserId) => void;
}

/** Members who can talk with nobody yet, such as those who signed up themselves [DASH16]. */
function WithoutChannel({ people, onEditUser }: WithoutChannelProps) {
  const { t } = useTranslation('dashboard');
  const { count, users } = people;
  if (count === 0) return null;
  const more = count - users.length;
  return (
    <section className={styles.without} aria-label={t('without.label')}>
      <IconUserQuestion size={20} aria-hidden="true" />
      <p>{t('without.count', { count })}</p>
      <ul>
        {users.map(({ userId, name }) => (
          <li key={userId}>
            <UnstyledButton
              className={styles.withoutName}
              aria-label={t('without.edit', { name })}
              onClick={() => onEditUser(userId)}
            >
              <bdi>{name}</bdi>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {more > 0 && <MoreLink to="/usersList">{t('live.more', { count: more })}</MoreLink>}
    </section>
  );
}

const FirstSteps = lazyComponent(async () => (await import('./first-steps.tsx')).FirstSteps);

export interface DashboardPageProps {
  /** Buttons beside the title. */
  acts?: ReactNode;
  entry: ShowEntry;
  /** Lists below the figures. */
  tables?: ReactNode;
  /** Replaces the own channels while there are none. */
  noChannels: ReactNode;
  onCreateChannel: () => void;
  onAddUser: () => void;
  onEditUser: (id: UserId) => void;
}

/** The start page: what is going on, and the figures of the team. Members see the figures of their own channels. */
export function DashboardPage(props: DashboardPageProps) {
  const { t } = useTranslation('dashboard');
  const { data, isError, error, refetch } = useDashboard();
  return (
    <Page isWide title={t('greeting', { name: useUser().firstName })} name={t('title')} acts={props.acts}>
      {data === undefined ? (
        isError ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : (
          <RowsSkeleton rows={12} />
        )
      ) : (
        <Parts data={data} {...props} />
      )}
    </Page>
  );
}

/** In the order of phones, which is also that of screen readers and keyboards. On wider screens the grid places them. */
function Parts({ data, entry, tables, noChannels, onEditUser, ...firsts }: DashboardPageProps & { data: Dashboard }) {
  const { t } = useTranslation('dashboard');
  const figuresId = useId();
  if (data.role === 'member') {
    return (
      <div ref={keepInPlace} className={styles.grid} data-own="">
        <RoomsNow live={data.live} />
        <OwnChannels channels={data.channels} empty={noChannels} />
        <TalkToday talk={data.talkToday} />
      </div>
    );
  }
  return (
    <>
      <div className={styles.tops}>
        <StepsOnce data={data} {...firsts} />
        <WithoutChannel people={data.withoutChannel} onEditUser={onEditUser} />
      </div>
      <div ref={keepInPlace} className={styles.grid}>
        <RoomsNow live={data.live} />
        <TopChannels channels={data.topChannels} />
        <section className={figures.figures} aria-labelledby={figuresId}>
          {/* Hidden, because the tiles say it already. Without it they would belong to the card above. */}
          <VisuallyHidden component="h2" id={figuresId}>
            {t('figures')}
          </VisuallyHidden>
          <TrendTile label={t('users')} trend={data.users} />
          <TrendTile label={t('channels')} trend={data.channels} />
        </section>
        <TalkToday talk={data.talkToday} />
        <LastActivities activities={data.lastActivities} entry={entry} />
        <div className={styles.tables}>{tables}</div>
      </div>
    </>
  );
}

type StepsOnceProps = Pick<DashboardPageProps, 'onCreateChannel' | 'onAddUser'> & {
  data: Extract<Dashboard, { role: 'admin' }>;
};

/** The first steps, until this user has done or dismissed them [DASH13]. */
function StepsOnce(props: StepsOnceProps) {
  const storage = useStorage();
  const [isOver, setOver] = useState(() => storage.readPreference('firstSteps', z.literal('over')) !== undefined);
  const finish = useCallback(() => {
    storage.writePreference('firstSteps', 'over');
    setOver(true);
  }, [storage]);
  if (isOver) return null;
  return (
    <LazySection>
      <FirstSteps {...props} onOver={finish} />
    </LazySection>
  );
}
