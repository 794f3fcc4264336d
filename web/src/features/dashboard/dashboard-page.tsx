import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type Dashboard, getDashboard, type Trend } from '@pressel/contract/dashboard';
import type { UserId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { IconArrowDownRight, IconArrowUpRight, IconMinus, IconUserQuestion } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { formatChange, formatNumber, formatShortDay, ownTimeZone } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useApi, useStorage, useUser } from '#src/shared/services.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import type { ShowEntry } from './all-activities.tsx';
import { MoreLink } from './card.tsx';
import styles from './dashboard.module.css';
import { DASHBOARD_KEY } from './dashboard.realtime.ts';
import figures from './figures.module.css';
import { LastActivities } from './last-activities.tsx';
import { RoomsNow } from './rooms-now.tsx';
import { TalkToday } from './talk-today.tsx';
import { OwnChannels, TopChannels } from './top-channels.tsx';

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

/** Interval of reads without news, ms, because today's figures begin anew at midnight. */
const REFRESH_MS = 60_000;

/** Reads all figures in one answer, and again when something happened (see dashboard.realtime.ts). */
function useDashboard(): UseQueryResult<Dashboard> {
  const api = useApi();
  const timeZone = ownTimeZone();
  return useQuery({
    queryKey: [...DASHBOARD_KEY, timeZone],
    queryFn: async ({ signal }) => (await api.call(getDashboard, { timeZone }, { signal })).res,
    refetchInterval: REFRESH_MS,
  });
}

/**
 * Keeps the part of the page that has pointer or focus in its place on the screen. When content above it grows or
 * shrinks, the page scrolls by as much, as far as it can (DASH5). For the `ref` of the element around the parts.
 */
function keepInPlace(parts: HTMLElement | null): (() => void) | undefined {
  const page = parts?.parentElement;
  const scroller = scrollerOf(parts);
  if (parts === null || page == null || scroller === null) return undefined;
  let kept: Element | null = null;
  let place = 0;
  /** The part's offset within the scrolled content, px. */
  const placeOf = (part: Element) => part.getBoundingClientRect().top + scroller.scrollTop;
  /** Returns whether the part had moved. */
  const settle = (): boolean => {
    if (kept?.isConnected !== true) return false;
    const before = place;
    place = placeOf(kept);
    scroller.scrollTop += place - before;
    return place !== before;
  };
  const keep = (target: EventTarget | null) => {
    // A layout shift under a resting pointer causes this event before the size observer runs.
    if (settle()) return;
    kept = target instanceof Element && parts.contains(target) ? target.closest('section') : null;
    if (kept !== null) place = placeOf(kept);
  };
  const onTarget = ({ target }: Event) => keep(target);
  const onLeave = () => keep(document.activeElement);
  parts.addEventListener('pointerover', onTarget);
  parts.addEventListener('focusin', onTarget);
  parts.addEventListener('pointerleave', onLeave);
  const sizes = new ResizeObserver(settle);
  for (const part of [...page.children, ...parts.children]) sizes.observe(part);
  return () => {
    sizes.disconnect();
    parts.removeEventListener('pointerover', onTarget);
    parts.removeEventListener('focusin', onTarget);
    parts.removeEventListener('pointerleave', onLeave);
  };
}

function scrollerOf(element: Element | null): Element | null {
  let around = element;
  while (around !== null && !/auto|scroll/u.test(getComputedStyle(around).overflowY)) around = around.parentElement;
  return around;
}

/** Shows how many there are, how that changed within ten days, and how many were created on each of them. */
function TrendTile({ label, trend }: { label: string; trend: Trend }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  return (
    <div className={figures.tile}>
      <h3 className={figures.label}>{label}</h3>
      <p className={figures.number}>{formatNumber(trend.total, current)}</p>
      <Change percent={trend.changePercent} />
      <table className={figures.trend}>
        <VisuallyHidden component="caption">{t('trend.caption', { what: label })}</VisuallyHidden>
        <tbody>
          {trend.days.map(({ day, created }) => (
            <tr key={day} title={t('trend.day', { day: formatShortDay(day, current), created })}>
              <VisuallyHidden renderRoot={(props) => <th scope="row" {...props} />}>
                {formatShortDay(day, current)}
              </VisuallyHidden>
              <td>
                <VisuallyHidden>{formatNumber(created, current)}</VisuallyHidden>
                <span className={figures.bar} style={{ height: barHeight(created, trend) }} aria-hidden="true" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Change({ percent }: { percent: number | null }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  if (percent === null) return <p className={figures.change}>{t('trend.new')}</p>;
  const Icon = percent === 0 ? IconMinus : percent > 0 ? IconArrowUpRight : IconArrowDownRight;
  return (
    <p className={figures.change}>
      <Icon size={16} aria-hidden="true" />
      {percent === 0 ? t('trend.same') : t('trend.change', { percent: formatChange(percent, current) })}
    </p>
  );
}

/** A day without any keeps a trace, so that ten days are visible. */
const barHeight = (created: number, { days }: Trend): string =>
  `max(2px, ${(100 * created) / Math.max(1, ...days.map((one) => one.created))}%)`;
