import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatShortDate } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type ActivitiesView, isDay } from './activities-view.ts';
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
          <DayField label={t('filter.from')} day={from} max={to} onDay={(day) => onPeriod({ from: day, to })} />
          <DayField label={t('filter.to')} day={to} min={from} onDay={(day) => onPeriod({ from, to: day })} />
        </div>
      )}
    </FilterButton>
  );
}

interface DayFieldProps {
  label: string;
  day: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onDay: (day: string | undefined) => void;
}

/**
 * A field for a day. While its year is typed it has others, such as 0002: they are no choice yet, but set back they would take
 * away what is typed.
 */
function DayField({ label, day = '', min, max, onDay }: DayFieldProps) {
  const [typed, setTyped] = useState({ text: day, day });
  if (typed.day !== day) setTyped({ text: day, day });
  return (
    <TextInput
      type="date"
      label={label}
      value={typed.text}
      min={min}
      max={max}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped({ text, day });
        if (text === '' || isDay(text)) onDay(text || undefined);
      }}
      onBlur={() => setTyped({ text: day, day })}
    />
  );
}
