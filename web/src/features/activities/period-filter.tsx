import { TextInput } from '@mantine/core';
import { formatShortDate } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { ActivitiesView } from './activities-view.ts';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';

export interface PeriodFilterProps {
  /** Days as 'yyyy-MM-dd'; both count. */
  from: string | undefined;
  to: string | undefined;
  onPeriod: (change: Pick<ActivitiesView, 'from' | 'to'>) => void;
}

/** The first and the last day. */
export function PeriodFilter({ from, to, onPeriod }: PeriodFilterProps) {
  const { t } = useTranslation('activityLog');
  const { current } = useLanguage();
  const shown = (day: string) => formatShortDate(`${day}T12:00`, current);
  const value = () => {
    if (from !== undefined && to !== undefined) return t('filter.betweenOn', { from: shown(from), to: shown(to) });
    if (from !== undefined) return t('filter.fromOn', { from: shown(from) });
    return to === undefined ? undefined : t('filter.toOn', { to: shown(to) });
  };
  const off = { from: undefined, to: undefined };
  return (
    <FilterButton name={t('filter.period')} value={value()} onOff={() => onPeriod(off)}>
      {() => (
        <div className={styles.period}>
          <TextInput
            type="date"
            label={t('filter.from')}
            value={from ?? ''}
            max={to}
            onChange={(event) => onPeriod({ from: event.currentTarget.value || undefined, to })}
          />
          <TextInput
            type="date"
            label={t('filter.to')}
            value={to ?? ''}
            min={from}
            onChange={(event) => onPeriod({ from, to: event.currentTarget.value || undefined })}
          />
        </div>
      )}
    </FilterButton>
  );
}
