import { NativeSelect } from '@mantine/core';
import type { Activity } from '@pressel/contract/activities';
import type { ReactNode } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import type { ActivitiesView } from './activities-view.ts';
import styles from './activity-filters.module.css';
import { PeriodFilter } from './period-filter.tsx';
import { PickFilter } from './pick-filter.tsx';
import { TypeFilter } from './type-filter.tsx';

export interface ActivityFiltersProps {
  view: ActivitiesView;
  onView: (change: Partial<ActivitiesView>, isTyped?: boolean) => void;
  /** The entries shown: they also name people and channels that no longer exist. */
  shown: readonly Activity[];
  /** Shown at the end of the filters' last line. */
  children: ReactNode;
}

const SCOPES = ['spec', 'audit', 'all'] as const;

/** Filters the entries that the page shows: each filter is a button that says what it is set to. */
export function ActivityFilters({ view, onView, shown, children }: ActivityFiltersProps) {
  const { t } = useTranslation('activityLog');
  return (
    <section className={styles.filters} aria-label={t('filter.label')}>
      <FilterBox value={view.q ?? ''} onChange={(q) => onView({ q: q || undefined })} label={t('filter.text')} />
      <NativeSelect
        className={styles.scope}
        aria-label={t('filter.scope')}
        value={view.scope ?? 'spec'}
        // A choice of types overrides it.
        disabled={view.types !== undefined}
        data={SCOPES.map((scope) => ({ value: scope, label: t(`filter.scopes.${scope}`) }))}
        onChange={(event) => {
          const scope = SCOPES.find((one) => one === event.currentTarget.value);
          onView({ scope: scope === 'spec' ? undefined : scope });
        }}
      />
      <TypeFilter types={view.types} onTypes={(types) => onView({ types })} />
      <PickFilter
        kind="by"
        id={view.by}
        onPick={(by) => onView({ by })}
        fallback={shown.find(({ user }) => user?.id === view.by)?.user?.display_name}
      />
      <PickFilter
        kind="target"
        id={view.target}
        onPick={(target) => onView({ target })}
        fallback={shown.find(({ target }) => target?.id === view.target)?.target?.display_name}
      />
      <PickFilter
        kind="channel"
        id={view.channel}
        onPick={(channel) => onView({ channel })}
        fallback={shown.find(({ channel }) => channel?.id === view.channel)?.channel?.name}
      />
      <PeriodFilter from={view.from} to={view.to} onPeriod={onView} />
      {children}
    </section>
  );
}
